/* SPDX-License-Identifier: Apache-2.0
 *
 * printer.h - formatted text to a file or standard output; errors are reported at the end
 *
 * After the first failure a printer ignores its input, and snag_printer_commit() returns the
 * failure. So printing code needs no error paths.
 */
#ifndef SNAG_REPORT_PRINTER_H
#define SNAG_REPORT_PRINTER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct snag_printer {
	struct snag_output *out;
	struct snag_error err; /* the first failure; code 0: none */
	size_t n;	       /* bytes in the buffer */
	char buffer[4096];     /* most pieces are a few bytes */
};

/* "-" is standard output; see trace/output.h. */
int snag_printer_open(struct snag_printer *p, const char *path, struct snag_error *err);
void snag_print_bytes(struct snag_printer *p, const char *bytes, size_t n);
void snag_print(struct snag_printer *p, const char *text);
void snag_printf(struct snag_printer *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints a name from a trace.  Control characters and invalid UTF-8 become '?', and a name of
 * more than SNAG_SHOWN_BYTES is cut. */
void snag_print_name(struct snag_printer *p, const char *name);
enum { SNAG_SHOWN_BYTES = 200 };

/* "1 race", "2 races" */
static inline const char *snag_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Ends the printer.  The file appears under its name, or the function returns the first failure
 * and leaves nothing behind. */
int snag_printer_commit(struct snag_printer *p, struct snag_error *err);

#endif
