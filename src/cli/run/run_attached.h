/* SPDX-License-Identifier: Apache-2.0
 *
 * run_attached.h - `snag run` of a program that runs already and has started the tool
 */
#ifndef SNAG_CLI_RUN_ATTACHED_H
#define SNAG_CLI_RUN_ATTACHED_H

#include "record/launch.h"

/* Works as `snag run` with word[0 .. n): options, "--", and the program with its arguments.
 * Returns the exit status; the program does not have it yet. */
int cli_run_attached(struct snag_attached *to, char *const *word, int n, struct snag_error *err);

#endif
