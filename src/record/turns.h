/* SPDX-License-Identifier: Apache-2.0
 *
 * turns.h - a schedule: turns, one after another; in each, one thread executes a number of its
 * events
 *
 * The runtime follows such a schedule (runtime/sched/policy.c), and a witness becomes one: its
 * events in their order, each thread running up to the next one wanted; then both threads up to
 * just before their racing accesses; and then one access each.
 */
#ifndef SNAG_RECORD_TURNS_H
#define SNAG_RECORD_TURNS_H

#include "base/error.h"
#include "record/convert/convert.h"
#include "record/step_log.h"

struct snag_turn {
	uint32_t thread;
	uint64_t events;
};

struct snag_turns {
	struct snag_turn *at;
	size_t n, room;
	/* Of the threads; empty: in a replay, threads have the same numbers as in the run that
	 * was recorded. */
	struct snag_creators creators;
	struct snag_answers answers; /* the times that threads read in the schedule */
};

void snag_turns_done(struct snag_turns *turns);
void snag_turns_add(struct snag_turns *turns, uint32_t thread, uint64_t events);

/* Computes the turns that execute the steps in this order.  The last `ngoal` steps are the goal:
 * accesses, or requests at which threads wait.  An access may be one of several events of its step;
 * none of these may come before the goal.  If the request is at the end of a step, as in a wait for
 * a condition, its thread has begun the step. */
enum snag_goal { SNAG_GOAL_ACCESSES, SNAG_GOAL_REQUESTS };
void snag_turns_of_steps(struct snag_turns *ret_turns, const struct snag_step *step, size_t n,
			 enum snag_goal goal, size_t ngoal, const struct snag_step_log *log);

/* Writes the turns into memory that a program started from here inherits.  Returns its descriptor,
 * which the caller closes. */
int snag_turns_share(const struct snag_turns *turns, struct snag_error *err);

#endif
