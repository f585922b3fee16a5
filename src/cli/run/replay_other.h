/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_other.h - replays of witnesses that are not of a race: of deadlocks, atomicity violations
 *                  and uses of freed memory that are no races
 */
#ifndef SNAG_CLI_REPLAY_OTHER_H
#define SNAG_CLI_REPLAY_OTHER_H

#include "record/replay/replay_file.h"

struct cli_replay_other {
	const struct snag_replay_file *file;
	char *const *argv;
	uint64_t seed;	/* of what comes after the schedule */
	bool is_quiet;	/* the program's input and output are empty */
	double seconds; /* it is killed if it takes longer; 0: never */
	/* It is also killed when this is not 0; may be NULL. */
	const volatile sig_atomic_t *interrupt;
};

/* "a deadlock", "an atomicity violation", "a use of freed memory"; NULL: it is the witness of a
 * race, or no witness. */
const char *cli_replay_other_kind(const struct snag_replay_file *file);
/* Follows the schedule of such a witness. */
int cli_replay_other(const struct cli_replay_other *how, struct snag_replay_result *ret_result,
		     struct snag_error *err);

#endif
