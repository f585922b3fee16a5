/* SPDX-License-Identifier: Apache-2.0
 *
 * task_order.h - turns the actions of tasks into the order of their steps
 *
 * Idea.   Tasks, finishes and syncs build the tree of order/dpst.h.  Promises, and waits that do
 *         not nest, are waits of order/joins.h.  The frames and finishes of a task are a stack.
 *         The first spawn in a scope opens a block there, and the task is then in that block.
 *
 * State.  slot[t]   of a task that runs or waits: its entry in run[]; entries are reused
 *         run[]     its innermost scope, its step, its list of waits
 *         scope[]   the open scopes further out, each with a link to the one below
 *         For an open finish or block, node.extra is the list of the waits of its tasks that
 *         have ended.
 *
 * Rules.  [create]  a node below the creator's; its list is the creator's; the creator's step
 *                   ends.  An async marks the blocks that it may outlast as escaped
 *         [end]     if the task has waited, its list goes to its finish and to its block
 *         [finish]  a FINISH node; at its end the list that it collected goes on the task's list
 *         [sync]    closes the block of the innermost scope.  Blocks further out in the same
 *                   frame (`spawn A; finish { sync; }`) stay open, but are waited for
 *         [frame]   a block that is open at its end is leaked
 *         [set]     the promise keeps the step and the list; the step ends
 *         [get]     a node in front of the list; the step ends.  Nothing if the task itself has
 *                   set the promise
 *
 *         [many]    a task may create many tasks one after the other, each of which ends before
 *                   the next begins and does nothing but access memory.  They are one node that
 *                   is many (dpst.h): each is a step, and they share an entry.  A task that does
 *                   more gets its own node then, with its step
 *
 *         [alone]   the current task is alone if only it and its ancestors are live.  This is
 *                   known if as many tasks are live as it has ancestors and itself, and since
 *                   only the first task was live no task has ended while others than its
 *                   ancestors were live
 *         [plain]   the run was orderly so far, no promise was set, and either nothing is
 *                   spawned or everything is, and tasks and frames end with a sync.  Only the
 *                   caller can know the last condition
 *         [past]    nodes are numbered as they are made.  If only tasks that were alone made
 *                   nodes since a scope was opened, all of these are in the scope.  When it is
 *                   waited for, they come before all that the task and its children do from then
 *                   on
 *
 * Guarantee.  Exact, for any order in which tasks ran, also for frames that end without a sync.
 * Cost.   Each call O(1) amortised.  24 bytes per task, for its node and slot, and 4 per step,
 *         which is all that one of many costs; but see retire.h.
 */
#ifndef SNAG_ORDER_TASK_ORDER_H
#define SNAG_ORDER_TASK_ORDER_H

#include "order/joins.h"

struct snag_task_order {
	struct snag_dpst tree;
	struct snag_joins joins;
	uint32_t *slot; /* 0: has not begun, or has ended */
	size_t slot_cap;
	struct snag_task_run {
		struct snag_task_scope {
			uint32_t node; /* of the task or finish; of a frame: where it was called */
			uint32_t finish; /* the innermost: its node */
			uint32_t block;	 /* open here, or 0 */
			uint32_t below;	 /* in scope[]; 0: the frame that a task begins with */
			bool is_finish;
			bool is_synced_below; /* the tasks that this frame spawned in scopes
					       * below were waited for */
		} top;	       /* the innermost one; of an unused entry, `below` is the next one */
		uint32_t step; /* 0: begins when it is needed */
		uint32_t list;
		uint32_t depth;		/* number of its ancestors */
		struct snag_task_past { /* [past]: nodes that were waited for */
			uint32_t from, end;
		} past;
		uint32_t node; /* of the task */
		/* The first node that comes before what the task creates next, as far as it
		 * matters: a scope that it waited for, or what until_create() set. */
		uint32_t waited;
		bool has_waited; /* its list differs from the one it began with */
		bool is_many;
	} * run; /* from 1 on */
	size_t nruns, run_cap;
	uint32_t free_runs;
	struct snag_task_scope *scope; /* from 1 on */
	size_t nscopes, scope_cap;
	uint32_t free_scopes;
	uint32_t first;		     /* task */
	uint32_t nlive;		     /* tasks */
	bool is_disorderly;	     /* a task ended while others than its ancestors were live */
	uint32_t last_set;	     /* the last step in which a promise was set */
	uint32_t alone_from;	     /* nodes from this one on were made by tasks that were alone */
	uint32_t waited;	     /* the first node whose scope was waited for by a task that has
			      * since created another one; the reader resets it */
	bool has_async, has_spawned; /* since the first task began */
	bool has_loose;		     /* some tasks outside all finishes */
	bool is_synced;		     /* tasks and frames end with a sync, says the caller */
};

#define SNAG_TASK_ORDER_NONE UINT32_MAX /* of `waited` */

void snag_task_order_init(struct snag_task_order *o);
void snag_task_order_done(struct snag_task_order *o);
void snag_task_order_reserve(struct snag_task_order *o, size_t ntasks, size_t npromises);

static inline bool snag_task_order_has_begun(const struct snag_task_order *o, uint32_t task)
{
	return o->slot[task];
}

/* Makes room for what each of the following calls may add.  Returns false if there are too many
 * tasks and finishes. */
static inline bool snag_task_order_has_room(const struct snag_task_order *o)
{
	return snag_dpst_has_room(&o->tree) && o->free_runs;
}
bool snag_task_order_more(struct snag_task_order *o);

/* The actions that the rules of traces (trace/task_rules.h) allow, in their order, while there
 * is room. */
void snag_task_order_first(struct snag_task_order *o, uint32_t task);
void snag_task_order_create(struct snag_task_order *o, uint32_t task, uint32_t child);
void snag_task_order_spawn(struct snag_task_order *o, uint32_t task, uint32_t child);
void snag_task_order_end(struct snag_task_order *o, uint32_t task);
void snag_task_order_make_many(struct snag_task_order *o,
			       uint32_t task); /* it was created just now */
void snag_task_order_finish_begin(struct snag_task_order *o, uint32_t task);
void snag_task_order_finish_end(struct snag_task_order *o, uint32_t task);
void snag_task_order_frame_begin(struct snag_task_order *o, uint32_t task);
void snag_task_order_frame_end(struct snag_task_order *o, uint32_t task);
void snag_task_order_sync(struct snag_task_order *o, uint32_t task);
void snag_task_order_set(struct snag_task_order *o, uint32_t task, uint32_t promise);
void snag_task_order_get(struct snag_task_order *o, uint32_t task, uint32_t promise);

static inline struct snag_task_run *snag_task_run_of(const struct snag_task_order *o, uint32_t task)
{
	return &o->run[o->slot[task]];
}

/* [many] The task ends, and the next one begins with the same number.  Returns false if the task
 * did more than access memory, so that it is not one of many. */
static inline bool snag_task_order_next(struct snag_task_order *o, uint32_t task)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (!o->slot[task] || !run->is_many)
		return false;
	run->step = 0;
	return true;
}

/* Returns the node that the task is in. */
static inline uint32_t snag_task_place(const struct snag_task_run *run)
{
	return run->top.block ? run->top.block : run->top.node;
}

/* Returns the step that a task is in. */
static inline uint32_t snag_task_order_step(struct snag_task_order *o, uint32_t task)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (!run->step)
		run->step = snag_dpst_step(&o->tree, snag_task_place(run));
	return run->step;
}

/* Returns whether all other live tasks are ancestors of this one. */
static inline bool snag_task_order_is_alone(const struct snag_task_order *o, uint32_t task)
{
	return !o->is_disorderly && o->nlive == o->run[o->slot[task]].depth + 1;
}

/* [plain] If this holds, and while tasks are alone, a step that covers one step covers all later
 * ones, up to this point: a task has waited for a scope that contains the step and is older than
 * it, and then creates another task.  What that task itself does is covered, see
 * snag_task_order_below(). */
static inline bool snag_task_order_is_plain(const struct snag_task_order *o)
{
	return !o->is_disorderly && !o->last_set &&
	       (!o->has_spawned || (o->is_synced && !o->has_async));
}

/* Step a comes before a step that is alone.  Returns whether the first task made it or waited
 * for it: then it comes before all later steps, while tasks are alone. */
bool snag_task_order_is_first(const struct snag_task_order *o, uint32_t a);

/* [below] While tasks are alone and all is plain: the steps of the task's descendants are those
 * of nodes, or of tasks, above this number.  What is parallel to the task later is parallel to
 * all of them.  So each of them covers what the task does, waited for or not.
 * SNAG_TASK_ORDER_NONE: unknown. */
static inline uint32_t snag_task_order_below(const struct snag_task_order *o, uint32_t task)
{
	const struct snag_task_run *run = &o->run[o->slot[task]];
	return snag_task_order_is_plain(o) && run->node >= o->alone_from ? run->node
									 : SNAG_TASK_ORDER_NONE;
}

/* Says that steps in this node and later ones, below the task, do not cover tasks that it
 * creates. */
static inline void snag_task_order_until_create(struct snag_task_order *o, uint32_t task,
						uint32_t node)
{
	struct snag_task_run *run = &o->run[o->slot[task]];
	run->waited = node < run->waited ? node : run->waited;
}

/* Returns the node of the task that made a step. */
uint32_t snag_task_order_maker(const struct snag_task_order *o, uint32_t step);

/* Step a is parallel to step `now` of a task that is alone.  Returns whether a will be parallel
 * to everything that `now` will be parallel to. */
bool snag_task_order_covers(const struct snag_task_order *o, uint32_t a, uint32_t now);
/* Returns the block on the path from `now` to the root that alone waits for step a, or 0. */
uint32_t snag_task_order_block(const struct snag_task_order *o, uint32_t a, uint32_t now);

/* Returns nodes, by number, whose steps all come before what a task does now.  There may be
 * more. */
static inline struct snag_task_past snag_task_order_past(const struct snag_task_order *o,
							 uint32_t task)
{
	return o->run[o->slot[task]].past;
}

/* Returns what the task that is in a step has waited for: a list for snag_joins_has(). */
static inline uint32_t snag_task_order_list(const struct snag_task_order *o, uint32_t task)
{
	return o->run[o->slot[task]].list;
}

#endif
