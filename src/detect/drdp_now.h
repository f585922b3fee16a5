/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp_now.h - the step of drdp that runs, and how earlier steps stand to it
 *
 * Idea.   order/task_order.h knows which steps come before which.  Most questions are about the step
 *         that runs, and are asked again: what is asked most is answered in place, other answers are
 *         remembered as long as they hold.
 *
 * State.  step     the one that runs
 *         before   by node of the other step: up to which of its steps the answer is yes, from which
 *                  it is no
 *         cover    by step: whether it stays parallel to all that this one is parallel to
 *         block    by step: which block alone waits for it
 *
 * Rules.  [cover]    without promises a list of parallel steps is no longer than the stack of blocks,
 *                    and without spawn one step, if steps that are covered are left out
 *         [many]     a step of the same node that is many (order/dpst.h) covers this one, whoever is live and
 *                    whatever was promised: nothing but their finish waits for it
 *         [lasting]  without promises, while one task after the other runs, that stays so until
 *                    something that step is in is waited for by a task that creates another one then
 *         [below]    the same of what comes before, if it was done below the task of this step
 */
#ifndef SNAG_DETECT_DRDP_NOW_H
#define SNAG_DETECT_DRDP_NOW_H

#include "detect/inside.h"
#include "order/task_order.h"

enum {
	SNAG_DRDP_BEFORE = 1024,
	SNAG_DRDP_ABOVE = 2,
	SNAG_DRDP_COVERS = 8,
	SNAG_DRDP_BLOCKS_LOG = 8,
};

struct snag_drdp_now {
	struct snag_task_order order;
	uint32_t step;		 /* 0: begins with the next access */
	uint32_t node;		 /* of the step; SNAG_DPST_NONE: its other steps are other tasks */
	struct snag_drdp_above { /* its parent and the parent's, and when these made what is below */
		uint32_t node, made;
	} above[SNAG_DRDP_ABOVE];
	uint32_t list; /* what its task has waited for */
	struct snag_task_past past;
	bool is_alone;	/* all other live tasks are ancestors of its task */
	uint32_t below; /* what is below its task, if that is so: see snag_task_order_below() */
	struct snag_drdp_before {
		uint32_t step, node;
		uint32_t yes, no; /* steps of the node up to, from */
	} before[SNAG_DRDP_BEFORE];
	struct snag_drdp_cover {
		uint32_t step, a;
		bool yes;
	} cover[SNAG_DRDP_COVERS];
	struct snag_express *express; /* [lasting] its readers and writers */
	struct snag_drdp_block {
		uint32_t step, a;
		uint32_t block;
	} block[1 << SNAG_DRDP_BLOCKS_LOG];
	uint64_t asked, answered;
};

/* The current step of the task, which has begun, runs from now on. */
void snag_drdp_begin(struct snag_drdp_now *now, uint32_t task);
/* Nothing has happened but that the task ended, which was one of many, and the next of them runs. */
static inline void snag_drdp_begin_next(struct snag_drdp_now *now, uint32_t task)
{
	now->step = now->express->latest = snag_task_order_step(&now->order, task);
}
/* Something was waited for, the scope of this node; 0: or much else has changed. */
void snag_drdp_waited_slow(struct snag_drdp_now *now, uint32_t node);
static inline void snag_drdp_waited(struct snag_drdp_now *now, uint32_t node)
{
	if (now->express->has_lasting)
		snag_drdp_waited_slow(now, node);
}

bool snag_drdp_is_before_slow(struct snag_drdp_now *now, uint32_t a, uint32_t node);

/* Whether step a, which began earlier, comes before this one on every schedule. */
static inline bool snag_drdp_is_before(struct snag_drdp_now *now, uint32_t a)
{
	if (a == now->step)
		return true;
	uint32_t node = now->order.tree.step[a];
	return node == now->node || node - now->past.from < now->past.end - now->past.from ||
	       (node == now->above[0].node && a < now->above[0].made) ||
	       (node == now->above[1].node && a < now->above[1].made) ||
	       snag_drdp_is_before_slow(now, a, node);
}

/* Whether this step need not be added where step a is. */
bool snag_drdp_is_covered(struct snag_drdp_now *now, uint32_t a);

/* The same, as far as that was found out for good. */
static inline bool snag_drdp_is_covered_for_good(const struct snag_drdp_now *now, uint32_t a)
{
	return snag_express_keeps(now->express, a);
}

/* [below] Whether this step, of that task, need not take the place of step a, which comes before. */
static inline bool snag_drdp_is_below(struct snag_drdp_now *now, uint32_t task, uint32_t a)
{
	uint32_t node = now->order.tree.step[a];
	if (now->below >= node || snag_task_order_maker(&now->order, a) <= now->below)
		return false;
	snag_task_order_until_create(&now->order, task, node);
	snag_express_keep(now->express, a); /* [lasting] */
	return true;
}

/* The block that alone waits for step a, which is parallel to this one. */
uint32_t snag_drdp_block_of(struct snag_drdp_now *now, uint32_t a);

#endif
