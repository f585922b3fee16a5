/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_marks.h - what the plugin for clang (pass/) left behind in a program
 *
 * Self-check.  `snag cc` makes the compiler keep its command line in the section
 *         .GCC.command.line, and the plugin names each source file it has seen in .snag.pass
 *         (pass/marker.h).  A source in the former that is missing in the latter came
 *         out without checks: its accesses are not seen, and nothing else would say so.
 */
#ifndef SNAG_CLI_PASS_MARKS_H
#define SNAG_CLI_PASS_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PASS_KINDS = 7 };		     /* of removals.def, and the checks that there are */
enum { PASS_COUNTS = 2 * (PASS_KINDS + 1) }; /* reads and writes; and those of checks of loops */
extern const char *const cli_pass_kind[PASS_KINDS];

struct pass_marks {
	uint64_t places[PASS_KINDS]; /* accesses in the code, by what became of their checks */
	size_t nsources, nmissing;   /* files, and those without checks ... */
	char missing[256];	     /* ... of which this is one */
};

/* Reads the program's file, looked for as a shell does; false: it says nothing. */
bool cli_pass_marks(const char *program, struct pass_marks *ret_marks);

/* Says on standard error which objects came out without checks, if any. */
void cli_pass_check(const char *program);

/* Says what was removed: places in the code, and how often they were executed, as the program has
 * counted if it was compiled with -fsnag-pass-count. */
void cli_pass_stats(const char *program, const uint64_t executed[PASS_COUNTS]);

#endif
