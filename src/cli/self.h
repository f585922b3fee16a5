/* SPDX-License-Identifier: Apache-2.0
 *
 * self.h - run snag, or another program, and wait for it
 */
#ifndef SNAG_CLI_SELF_H
#define SNAG_CLI_SELF_H

/* Runs a program, found by PATH, with no input; its output goes nowhere.  An argv[0] of "snag"
 * stands for this snag.  Returns its exit status, 128 + its signal, or -1 if it cannot be run. */
int cli_run_quietly(char *const *argv);

#endif
