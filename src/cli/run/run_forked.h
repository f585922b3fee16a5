/* SPDX-License-Identifier: Apache-2.0
 *
 * run_forked.h - the options of `snag run` that hold for children of fork, too
 *
 * A child of fork that creates threads starts a tool of its own (runtime/interpose/fork.c).  What
 * the user wants to see or not to see holds for it as for its parent.  Files of reports are the
 * parent's alone.
 */
#ifndef SNAG_CLI_RUN_FORKED_H
#define SNAG_CLI_RUN_FORKED_H

#include "cli/run/run_environment.h"

struct cli_forked {
	char words[RT_FORKED_WORDS]; /* each with a NUL behind it */
	size_t nbytes;
	uint32_t n;
};

/* Writes the options to *f, and gives them to the launcher.  It is an error if there is no room for
 * them. */
int cli_forked_words(const struct cli_run_values *v, struct cli_forked *f, struct snag_error *err);

#endif
