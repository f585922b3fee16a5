/* SPDX-License-Identifier: Apache-2.0
 *
 * retire.h - removes from the order of tasks the steps that no later question can name
 *
 * Idea.   A program creates millions of tasks, but a detector keeps few of their steps, because
 *         newer accesses replace older ones.  Later questions compare only kept steps with new
 *         ones.  So all other steps can be removed, and so can nodes that have no kept step and
 *         no task in or below them.  The rest gets new numbers, in the same order.
 *
 * State.  steps, nodes  which are kept, as bits; and when all are marked, how many kept ones
 *                       come before: the new number, or that of the next kept one
 * Rules.  [keep]    keep the steps that the caller marks and those that tasks are in; the nodes
 *                   of these steps and of open scopes; and all nodes above them
 *         [time]    the time of a node is the number of a step, and the nodes that were waited
 *                   for are an interval.  Both become numbers of what is kept next
 *         [joins]   not if there are waits beyond structure, because their answers name steps
 *                   and nodes
 *         [all]     everything can be removed, waits too, when the first task has waited for all
 *                   others: it is in no scope, and each other task was created in a finish.
 *                   Then all earlier steps come before all later ones, and one step stands for
 *                   them
 * Guarantee.  Questions about a kept step and another kept or later step have the same answer as
 *             before.
 * Cost.   O(what is kept), plus one word for 64 nodes or steps, and 3 bits for each meanwhile.
 *         [all] O(promises).
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

/* Removes what is not marked; the order then has its new numbers. */
void snag_retire_rest(struct snag_retire *r);

static inline uint32_t snag_kept_number(const struct snag_kept *k, uint32_t old)
{
	uint64_t below = k->bit[old / 64] & ((UINT64_C(1) << old % 64) - 1);
	return k->before[old / 64] + (uint32_t)__builtin_popcountll(below);
}

/* After that: returns the new number of a kept step. */
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
void snag_retire_all(struct snag_task_order *o); /* the caller must forget all earlier steps */

#endif
