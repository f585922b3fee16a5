/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_report.h - reports from the marks that the compiler and its plugin leave in a program
 */
#ifndef SNAG_CLI_PASS_REPORT_H
#define SNAG_CLI_PASS_REPORT_H

#include "cc/pass_marks.h"

enum {
	CLI_PASS_COUNTS = 2 * (CC_PASS_KINDS + 1)
}; /* executed checks of reads and writes, and those of whole loops */

/* Names the sources, if any, that were compiled without checks: of the program, and of the
 * shared libraries it needs (cc/libraries.h). */
void cli_pass_check(const char *program);
/* The same for libraries that the program has opened: paths, each with a NUL after it, then an
 * empty one. */
void cli_pass_check_opened(const char *paths);

/* Returns whether part of the program was compiled with optimisation. Then the compiler may have
 * removed accesses that race, and the verdict is about the code that is left. */
bool cli_is_optimised(const char *program);

/* Prints which checks were removed: places in the code, and how often these were executed. The
 * program counts that if it was compiled with -fsnag-pass-count. */
void cli_pass_stats(const char *program, const uint64_t executed[CLI_PASS_COUNTS]);

#endif
