/* SPDX-License-Identifier: Apache-2.0
 *
 * shrink.h - makes the schedule of a failure smaller: fewer switches from thread to thread
 *
 * Idea.   A shorter beginning of the turns often suffices: behind it every thread runs as long as
 *         it can (policy stay).  Then, one switch after another, a thread gets its next turn at
 *         once instead of later, or a turn is left out.  What still fails in the same way is kept.
 * Cost.   A run for every attempt, up to a number of runs and seconds.
 */
#ifndef SNAG_EXPLORE_SHRINK_H
#define SNAG_EXPLORE_SHRINK_H

#include "record/turns.h"

struct snag_shrink {
	/* Runs a schedule.  Returns whether it fails in the same way; then *ret_turns are the turns
	 * that the run really made. */
	bool (*fails)(void *ctx, const struct snag_turns *turns, struct snag_turns *ret_turns);
	void *ctx;
	unsigned runs;	/* at most */
	double seconds; /* likewise */
};

/* Replaces *turns by a smaller schedule; returns how many runs it took. */
unsigned snag_shrink(const struct snag_shrink *how, struct snag_turns *turns);

/* Returns how often the turns switch from one thread to another that ran before. */
size_t snag_turns_switches(const struct snag_turns *turns);
void snag_turns_copy(struct snag_turns *ret, const struct snag_turns *from);

#endif
