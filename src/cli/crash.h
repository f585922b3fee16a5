/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.h - a crash of snag itself ends like any other failure: one line, status 125, no files left
 * behind
 *
 * Rules.  cli_crash_begin() installs handlers for SIGSEGV, SIGBUS, SIGFPE and SIGABRT.  A handler
 *         prints one line, removes temporary files and ends the process with status 125.  If the
 *         user allows core files (ulimit -c), the signal then acts as usual instead.
 *         SIGXFSZ has no effect: the write that exceeds the limit fails with EFBIG.
 *         A sanitized build keeps the handlers of its sanitizer.
 */
#ifndef SNAG_CLI_CRASH_H
#define SNAG_CLI_CRASH_H

void cli_crash_begin(void);

#endif
