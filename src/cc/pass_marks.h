/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_marks.h - what the plugin for clang (pass/) left behind in a program
 *
 * Self-check.  `snag cc` makes the compiler keep its command line in the section
 *         .GCC.command.line, and the plugin names each source file it has seen in .snag.pass
 *         (pass/marker.h).  A source in the former that is missing in the latter came
 *         out without checks: its accesses are not seen, and nothing else would say so.
 *         Looked at are the program's file and the shared libraries it needs, and when it has
 *         ended those it has opened.
 */
#ifndef SNAG_CC_PASS_MARKS_H
#define SNAG_CC_PASS_MARKS_H

#include <stdint.h>

enum { PASS_KINDS = 9 };		     /* of removals.def, and the checks that there are */
enum { PASS_COUNTS = 2 * (PASS_KINDS + 1) }; /* reads and writes; and those of checks of loops */
/* Says on standard error which sources came out without checks, if any: of the program and of the shared
 * libraries it needs (libraries.h). */
void cli_pass_check(const char *program);
/* The same of libraries that it has opened: paths, each with a NUL behind it, and an empty one. */
void cli_pass_check_opened(const char *paths);

/* Says what was removed: places in the code, and how often they were executed, as the program has
 * counted if it was compiled with -fsnag-pass-count. */
void cli_pass_stats(const char *program, const uint64_t executed[PASS_COUNTS]);

#endif
