/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_report.h - what the compiler and its plugin left behind in a program
 */
#ifndef SNAG_CLI_PASS_REPORT_H
#define SNAG_CLI_PASS_REPORT_H

#include "cc/pass_marks.h"

enum {
	CLI_PASS_COUNTS = 2 * (CC_PASS_KINDS + 1)
}; /* reads and writes; and those of checks of loops */

/* Says which sources came out without checks, if any: of the program and of the shared libraries it
 * needs (cc/libraries.h). */
void cli_pass_check(const char *program);
/* The same of libraries that it has opened: paths, each with a NUL behind it, and an empty one. */
void cli_pass_check_opened(const char *paths);

/* Returns whether some of the program was compiled with optimisation.  Then the compiler may have
 * removed accesses that race, and a verdict is one about the code that is left. */
bool cli_is_optimised(const char *program);

/* Says what was removed: places in the code, and how often they were executed, as the program has
 * counted if it was compiled with -fsnag-pass-count. */
void cli_pass_stats(const char *program, const uint64_t executed[CLI_PASS_COUNTS]);

#endif
