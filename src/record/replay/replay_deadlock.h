/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_deadlock.h - runs a program again, steered by a schedule to a deadlock
 *
 * The deadlock is confirmed when threads of the new run wait for each other at the expected places:
 * the runtime reports the circle (runtime/sched/deadlock.h) and ends the program.
 */
#ifndef SNAG_RECORD_REPLAY_DEADLOCK_H
#define SNAG_RECORD_REPLAY_DEADLOCK_H

#include "record/replay/replay.h"
#include "record/replay/steering.h"

struct snag_deadlock_plan {
	struct snag_steering how; /* without `stops`: the circle ends the program */
	const char *const *place; /* where the threads are to wait, in any order */
	size_t n;
};

int snag_replay_deadlock(const struct snag_deadlock_plan *plan,
			 struct snag_replay_result *ret_result, struct snag_error *err);

#endif
