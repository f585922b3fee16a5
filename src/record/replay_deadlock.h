/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_deadlock.h - run a program again, steered by a schedule to a deadlock
 *
 * The deadlock is confirmed when threads of the new run wait for each other at the expected places: the
 * runtime tells of such a circle (runtime/sched/deadlock.h) and ends the program.
 */
#ifndef SNAG_RECORD_REPLAY_DEADLOCK_H
#define SNAG_RECORD_REPLAY_DEADLOCK_H

#include "record/replay.h"

struct snag_deadlock_plan {
	char *const *argv;
	const struct snag_turns *turns;
	const char *const *place; /* where the threads are to wait, in any order */
	size_t n;
	uint64_t seed;				/* of what comes after the schedule */
	bool is_quiet;				/* the program's input and output are empty */
	double seconds;				/* it is killed if it takes longer; 0: never */
	const volatile sig_atomic_t *interrupt; /* likewise, when this is not 0; may be NULL */
};

int snag_replay_deadlock(const struct snag_deadlock_plan *plan,
			 struct snag_replay_result *ret_result, struct snag_error *err);

#endif
