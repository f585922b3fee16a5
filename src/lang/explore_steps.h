/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_steps.h - one schedule of a program, step by step
 *
 * Idea.   The time of an action matters to other tasks only for reads, writes, sets and isolated
 *         blocks.  So these are the steps.  Everything else happens as soon as it can: it
 *         commutes with all actions of other tasks, and once possible it stays possible.
 * Rules.  [step]     A step is one such action of a task, followed by all that any task can do
 *                    without one.
 *         [block]    An isolated block is one step: no other block can come between, and plain
 *                    accesses of other tasks to its variables are ordered, or race.  In the
 *                    variables on which they race (`marked`) it is cut into pieces: before each
 *                    marked access except the first.  What lies between commutes with all that
 *                    other tasks can do meanwhile, so nothing is lost (Lipton's reduction).
 *         [loop]     If a task returns to the same state having only read, and what it read has
 *                    not been written since, it would loop for ever.  It takes no step until one
 *                    of these variables is written.
 */
#ifndef SNAG_LANG_EXPLORE_STEPS_H
#define SNAG_LANG_EXPLORE_STEPS_H

#include "lang/explore_order.h"

struct steps_loop {	       /* of one task */
	uint64_t state;	       /* a state it was in; */
	uint32_t from;	       /* the step before which it was; WORLD_NONE: none */
	uint32_t reads, until; /* since then; when to take a newer state */
	bool is_looping;       /* it was in that state again */
};

struct explore_steps {
	struct world world;
	struct order order;
	snag_tid *live; /* tasks that have not ended, ascending */
	size_t nlive, live_cap;
	struct steps_loop *loop;
	size_t loop_cap;
	bool *marked; /* each declared slot */
	bool cells_marked;
	bool has_marked;			   /* the present block has made a marked access */
	bool has_woken;				   /* something happened that other tasks may
						    * wait for */
	void (*on_fail)(void *ctx, snag_tid task); /* a task has failed, see its next action */
	void *ctx;
};

void steps_init(struct explore_steps *s, const struct snag_program *program);
void steps_done(struct explore_steps *s);
void steps_begin(struct explore_steps *s, uint64_t instructions); /* a new schedule */

/* Makes blocks be cut at this slot, from the next schedule on.  Returns false if they already
 * were. */
bool steps_mark(struct explore_steps *s, uint32_t slot);

bool steps_can(struct explore_steps *s, snag_tid task);
void steps_take(struct explore_steps *s, snag_tid task);
static inline bool steps_is_looping(const struct explore_steps *s, snag_tid task)
{
	return task < s->loop_cap && s->loop[task].is_looping;
}

#endif
