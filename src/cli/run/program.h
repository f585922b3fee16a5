/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - the program that a command runs
 */
#ifndef SNAG_CLI_PROGRAM_H
#define SNAG_CLI_PROGRAM_H

/* Returns the exit status for a wait status: the program's own, or that of a shell for a program
 * that a signal ended. */
int cli_program_status(int wait_status);

#endif
