/* SPDX-License-Identifier: Apache-2.0
 *
 * printer.h - formatted text to a file or standard output, errors kept for the end
 *
 * After the first failure a printer ignores what it is given; the failure is
 * returned by commit.  So printing code reads straight down.
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
/* A name from a trace: control characters and invalid UTF-8 become '?', and one
 * of more than SNAG_SHOWN_BYTES is cut. */
void snag_print_name(struct snag_printer *p, const char *name);
enum { SNAG_SHOWN_BYTES = 200 };

/* "1 race", "2 races" */
static inline const char *snag_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Ends the printer: the file appears under its name, or the first failure is
 * returned and nothing is left behind. */
int snag_printer_commit(struct snag_printer *p, struct snag_error *err);

#endif
