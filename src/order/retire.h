/* SPDX-License-Identifier: Apache-2.0
 *
 * retire.h - the order of tasks without the steps that nobody will ask about
 *
 * Idea.   A program creates millions of tasks, but who asks about them keeps few of their steps: of
 *         most, others have taken the place.  What can be asked is how steps that are kept stand to
 *         those to come.  So all other steps can go, and nodes that have no such step and no task
 *         in them or below; the rest is numbered anew, in the same order.
 *
 * State.  steps, nodes  those that are kept, by bit, and, when all are, how many were before: the new
 *                       number, or that of the next one that is kept
 * Rules.  [keep]    steps that are said to be, those that tasks are in; nodes of these, of scopes
 *                   that are open, and all above
 *         [time]    the time of a node is a number of a step, and nodes that were waited for are an
 *                   interval: these become numbers of what is kept next
 *         [joins]   not if there are any waits beyond structure: their answers name steps and nodes
 *         [all]     but whatever there is goes when the first task has waited for all others, as it has when it is in
 *                   no scope and each was created in a finish: all that was done comes before
 *                   all that follows, and one step will do for it
 * Guarantee.  Whether one kept step comes before another, or before one to come, is as before.
 * Cost.   O(what is kept), and a look at a word for 64 nodes or steps; 3 bits for each meanwhile.  [all]
 *         O(promises).
 */
#ifndef SNAG_ORDER_RETIRE_H
#define SNAG_ORDER_RETIRE_H

#include "order/task_order.h"

struct snag_retire {
	struct snag_task_order *order;
	struct snag_kept {
		uint64_t *bit;
		uint32_t *before; /* by word of bits */
		size_t nwords;
	} steps, nodes;
};

static inline bool snag_retire_may(const struct snag_task_order *o) /* [joins] */
{
	return o->joins.njoins == 1 && !o->last_set;
}

void snag_retire_begin(struct snag_retire *r, struct snag_task_order *o);

static inline void snag_retire_keep(struct snag_retire *r, uint32_t step)
{
	r->steps.bit[step / 64] |= UINT64_C(1) << step % 64;
}

/* All are kept that are: the order has its new numbers. */
void snag_retire_rest(struct snag_retire *r);

static inline uint32_t snag_kept_number(const struct snag_kept *k, uint32_t old)
{
	uint64_t below = k->bit[old / 64] & ((UINT64_C(1) << old % 64) - 1);
	return k->before[old / 64] + (uint32_t)__builtin_popcountll(below);
}

/* Then: the new number of a step that was kept. */
static inline uint32_t snag_retire_number(const struct snag_retire *r, uint32_t step)
{
	return snag_kept_number(&r->steps, step);
}

void snag_retire_done(struct snag_retire *r);

static inline bool snag_retire_may_all(const struct snag_task_order *o) /* [all] */
{
	const struct snag_task_run *run = &o->run[o->slot[o->first]];
	return o->nlive == 1 && o->slot[o->first] && !o->has_loose && !run->top.below &&
	       !run->top.block;
}
void snag_retire_all(
	struct snag_task_order *o); /* steps that were there are not to be named any more */

#endif
