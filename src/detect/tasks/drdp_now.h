/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp_now.h - the running step of drdp, and its order with earlier steps
 *
 * Idea.   order/task_order.h decides which steps come before which.  Most questions are about
 *         the running step, and recur.  The most frequent ones are answered inline; other
 *         answers are remembered as long as they hold.
 *
 * State.  step     the running step
 *         before   by node of the other step: up to which of its steps the answer is yes, from
 *                  which it is no
 *         cover    by step: whether it stays parallel to all that this one is parallel to
 *         block    by step: which block alone waits for it
 *
 * Rules.  [cover]    without promises, and if covered steps are left out, a list of parallel
 *                    steps is no longer than the stack of blocks; without spawn it is one step
 *         [many]     a step of the same node that is many (order/dpst.h) covers this one,
 *                    whichever tasks are live and whatever was promised: only their finish waits
 *                    for it
 *         [lasting]  without promises, while tasks run one after the other, an answer stays
 *                    valid until a task waits for something that contains that step, and then
 *                    creates another task
 *         [below]    the same holds for an earlier step that was executed below the task of this
 *                    step
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
	struct snag_drdp_above { /* its parent and the parent's, and when these made what is
				  * below */
		uint32_t node, made;
	} above[SNAG_DRDP_ABOVE];
	uint32_t list; /* the list of what its task has waited for */
	struct snag_task_past past;
	bool is_alone;	/* all other live tasks are ancestors of its task */
	uint32_t below; /* if is_alone: the steps below its task, see snag_task_order_below() */
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

/* Makes the current step of the task, which has begun, the running one. */
void snag_drdp_begin(struct snag_drdp_now *now, uint32_t task);
/* As snag_drdp_begin(), if nothing happened except that the task, one of many, ended and the
 * next of them runs. */
static inline void snag_drdp_begin_next(struct snag_drdp_now *now, uint32_t task)
{
	now->step = now->express->latest = snag_task_order_step(&now->order, task);
}
/* A task waited for the scope of this node; 0: or much else has changed. */
void snag_drdp_waited_slow(struct snag_drdp_now *now, uint32_t node);
static inline void snag_drdp_waited(struct snag_drdp_now *now, uint32_t node)
{
	if (now->express->has_lasting)
		snag_drdp_waited_slow(now, node);
}

bool snag_drdp_is_before_slow(struct snag_drdp_now *now, uint32_t a, uint32_t node);

/* Returns whether step a, which began earlier, comes before this one on every schedule. */
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

/* Returns whether this step need not be added where step a is. */
bool snag_drdp_is_covered(struct snag_drdp_now *now, uint32_t a);

/* The same, as far as the answer is final. */
static inline bool snag_drdp_is_covered_for_good(const struct snag_drdp_now *now, uint32_t a)
{
	return snag_express_keeps(now->express, a);
}

/* [below] Returns whether this step, of that task, need not replace step a, which comes before. */
static inline bool snag_drdp_is_below(struct snag_drdp_now *now, uint32_t task, uint32_t a)
{
	uint32_t node = now->order.tree.step[a];
	if (now->below >= node || snag_task_order_maker(&now->order, a) <= now->below)
		return false;
	snag_task_order_until_create(&now->order, task, node);
	snag_express_keep(now->express, a); /* [lasting] */
	return true;
}

/* Returns the block that alone waits for step a, which is parallel to this one. */
uint32_t snag_drdp_block_of(struct snag_drdp_now *now, uint32_t a);

#endif
