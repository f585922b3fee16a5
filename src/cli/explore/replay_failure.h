/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_failure.h - `snag replay` of a schedule that `snag explore` has written
 */
#ifndef SNAG_CLI_REPLAY_FAILURE_H
#define SNAG_CLI_REPLAY_FAILURE_H

#include "record/replay/replay_file.h"

struct cli_replay_failure {
	const struct snag_replay_file *file;
	char *const *argv;
	uint64_t seed;	/* of what comes after the schedule */
	double seconds; /* it is killed if it takes longer; 0: never */
	bool in_gdb;
};

/* Runs the program under the schedule, and says whether it fails in the same way.  Returns the exit
 * status. */
int cli_replay_failure(const struct cli_replay_failure *how, struct snag_error *err);

#endif
