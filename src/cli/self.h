/* SPDX-License-Identifier: Apache-2.0
 *
 * self.h - runs snag, or another program, and waits until it ends
 */
#ifndef SNAG_CLI_SELF_H
#define SNAG_CLI_SELF_H

/* Runs a program, found by PATH, with no input, and discards its output. An argv[0] of "snag"
 * means this snag. Returns the exit status, 128 + the signal that ended the program, or -1 if it
 * cannot be run. */
int cli_run_quietly(char *const *argv);

#endif
