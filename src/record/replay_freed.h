/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_freed.h - run a program again, steered to an access behind the end of its memory
 *
 * It is confirmed when the new run accesses freed memory at the expected place, after the block was
 * freed at the expected place.
 */
#ifndef SNAG_RECORD_REPLAY_FREED_H
#define SNAG_RECORD_REPLAY_FREED_H

#include "record/replay.h"

struct snag_freed_plan {
	char *const *argv;
	const struct snag_turns *turns;
	const char *access, *end;		/* places, as of snag_location_text */
	uint64_t seed;				/* of what comes after the schedule */
	bool is_quiet;				/* the program's input and output are empty */
	bool stops;				/* it is killed at the end of its turns */
	double seconds;				/* it is killed if it takes longer; 0: never */
	const volatile sig_atomic_t *interrupt; /* likewise, when this is not 0; may be NULL */
};

int snag_replay_freed(const struct snag_freed_plan *plan, struct snag_replay_result *ret_result,
		      struct snag_error *err);

#endif
