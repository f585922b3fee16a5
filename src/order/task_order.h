/* SPDX-License-Identifier: Apache-2.0
 *
 * task_order.h - from what tasks do to which of their steps comes before which
 *
 * Idea.   Tasks, finishes and syncs build the tree of order/dpst.h; promises, and what does not
 *         nest, are waits of order/joins.h.  A task's frames and finishes are a stack; the
 *         first spawn in a scope opens a block there, which is where the task then is.
 *
 * State.  slot[t]   of a task that runs or waits: its entry in run[]; entries are used again
 *         run[]     its innermost scope, its step, its list of waits
 *         scope[]   the scopes that are open further out, each with a link to the one below
 *         Of a finish or block that is open, node.extra is the list of the waits of its tasks
 *         that have ended.
 *
 * Rules.  [create]  a node below the creator's; its list is the creator's; the creator's step
 *                   ends.  An async marks the blocks it may outlast as escaped
 *         [end]     if the task has waited, its list goes to its finish, and to its block
 *         [finish]  a FINISH node; at its end the list it collected is put on the task's
 *         [sync]    closes the block of the innermost scope.  Blocks further out in the same
 *                   frame (`spawn A; finish { sync; }`) stay open, but are waited for
 *         [frame]   a block that is open at its end is leaked
 *         [set]     the promise keeps the step and the list; the step ends
 *         [get]     a node in front of the list; the step ends.  Not if the task itself has set it
 *
 *         [many]    what a task creates one after the other, each of which ends before the next begins and does
 *                   nothing but access memory, is one node that is many (dpst.h): such a task is
 *                   a step, and they share an entry.  One that does more than that
 *                   gets a node of its own then, with its step
 *
 *         [alone]   no task is live but the current one and its ancestors, if so many are and no
 *                   task has ended while others than its ancestors were live, since only the
 *                   first was
 *         [plain]   orderly so far, no promise was set, and either nothing is spawned, or all is,
 *                   and tasks and frames end with a sync, which only who feeds this can know
 *         [past]    nodes are numbered as they are made.  If only tasks that were alone made
 *                   some since a scope was opened, all of those are in it; when it is waited
 *                   for, they come before all that the task and its children do from then on
 *
 * Guarantee.  Exact, for any order in which tasks ran, also for frames that end without a sync.
 * Cost.   Each O(1) amortised.  24 bytes per task: its node and slot; and 4 per step, which is all that
 *         one of many costs; but see retire.h.
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
			uint32_t node; /* of the task or finish; of a frame, where it was called */
			uint32_t finish; /* the innermost: its node */
			uint32_t block;	 /* open here, or 0 */
			uint32_t below;	 /* in scope[]; 0: it is the frame a task begins with */
			bool is_finish;
			bool is_synced_below; /* what this frame spawned in scopes below was waited for */
		} top;	       /* the innermost one; of an unused entry, `below` is the next one */
		uint32_t step; /* 0: begins when it is asked for */
		uint32_t list;
		uint32_t depth;		/* how many ancestors it has */
		struct snag_task_past { /* [past]: nodes that are waited for */
			uint32_t from, end;
		} past;
		uint32_t node; /* of the task */
		/* The first node that comes before what the task creates next, as far as it matters:
		 * a scope that it waited for, or what until_create() said. */
		uint32_t waited;
		bool has_waited; /* its list differs from that it began with */
		bool is_many;
	} * run; /* from 1 on */
	size_t nruns, run_cap;
	uint32_t free_runs;
	struct snag_task_scope *scope; /* from 1 on */
	size_t nscopes, scope_cap;
	uint32_t free_scopes;
	uint32_t first;	     /* task */
	uint32_t nlive;	     /* tasks */
	bool is_disorderly;  /* one ended while others than its ancestors were live */
	uint32_t last_set;   /* the last step in which a promise was set */
	uint32_t alone_from; /* nodes from this on were made by tasks that were alone */
	uint32_t waited;     /* the first node whose scope was waited for by a task that has created
				another one since; who asks sets it back */
	bool has_async, has_spawned; /* since the first task began */
	bool has_loose;		     /* some outside of all finishes */
	bool is_synced;		     /* tasks and frames end with a sync: who feeds this says so */
};

#define SNAG_TASK_ORDER_NONE UINT32_MAX /* of `waited` */

void snag_task_order_init(struct snag_task_order *o);
void snag_task_order_done(struct snag_task_order *o);
void snag_task_order_reserve(struct snag_task_order *o, size_t ntasks, size_t npromises);

static inline bool snag_task_order_has_begun(const struct snag_task_order *o, uint32_t task)
{
	return o->slot[task];
}

/* Whether there is room for what each of the following may add; makes it, or returns false: there
 * are too many tasks and finishes. */
static inline bool snag_task_order_has_room(const struct snag_task_order *o)
{
	return snag_dpst_has_room(&o->tree) && o->free_runs;
}
bool snag_task_order_more(struct snag_task_order *o);

/* What the rules of traces (trace/task_rules.h) allow, in their order, while there is room. */
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

/* [many] The task ends, and the next of them begins, with the same number.  False: it has done more, and is
 * none of them. */
static inline bool snag_task_order_next(struct snag_task_order *o, uint32_t task)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (!o->slot[task] || !run->is_many)
		return false;
	run->step = 0;
	return true;
}

/* The node that it is in. */
static inline uint32_t snag_task_place(const struct snag_task_run *run)
{
	return run->top.block ? run->top.block : run->top.node;
}

/* The step a task is in. */
static inline uint32_t snag_task_order_step(struct snag_task_order *o, uint32_t task)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (!run->step)
		run->step = snag_dpst_step(&o->tree, snag_task_place(run));
	return run->step;
}

/* Whether all other live tasks are ancestors of this one. */
static inline bool snag_task_order_is_alone(const struct snag_task_order *o, uint32_t task)
{
	return !o->is_disorderly && o->nlive == o->run[o->slot[task]].depth + 1;
}

/* [plain] Then, as long as tasks are alone, a step that covers one covers all that follow, until
 * a scope that it is in, which was made before it, has been waited for by a task that then creates
 * another one: what the task itself does is covered, see snag_task_order_below(). */
static inline bool snag_task_order_is_plain(const struct snag_task_order *o)
{
	return !o->is_disorderly && !o->last_set &&
	       (!o->has_spawned || (o->is_synced && !o->has_async));
}

/* Whether a step, which comes before one that is alone, was done by the first task or waited for by
 * it: then it comes before all that follow, while tasks are alone. */
bool snag_task_order_is_first(const struct snag_task_order *o, uint32_t a);

/* [below] While tasks are alone and all is plain: the steps of the task's descendants are those of
 * nodes, or of tasks, above this number.  What is parallel to the task later is parallel to all of
 * them, so each of them covers what the task does, waited for or not.  SNAG_TASK_ORDER_NONE: unknown. */
static inline uint32_t snag_task_order_below(const struct snag_task_order *o, uint32_t task)
{
	const struct snag_task_run *run = &o->run[o->slot[task]];
	return snag_task_order_is_plain(o) && run->node >= o->alone_from ? run->node
									 : SNAG_TASK_ORDER_NONE;
}

/* What is done in that node and those after it, below the task, does not cover tasks that it creates. */
static inline void snag_task_order_until_create(struct snag_task_order *o, uint32_t task,
						uint32_t node)
{
	struct snag_task_run *run = &o->run[o->slot[task]];
	run->waited = node < run->waited ? node : run->waited;
}

/* The node of the task that made a step. */
uint32_t snag_task_order_maker(const struct snag_task_order *o, uint32_t step);

/* Whether step a, which is parallel to step `now` of a task that is alone, will be parallel to all
 * that `now` will be parallel to. */
bool snag_task_order_covers(const struct snag_task_order *o, uint32_t a, uint32_t now);
/* The block on the way from `now` to the root that alone waits for step a, or 0. */
uint32_t snag_task_order_block(const struct snag_task_order *o, uint32_t a, uint32_t now);

/* Nodes, by number, whose steps all come before what a task does now.  Not all of them. */
static inline struct snag_task_past snag_task_order_past(const struct snag_task_order *o,
							 uint32_t task)
{
	return o->run[o->slot[task]].past;
}

/* What the task that is in a step has waited for: a list for snag_joins_has(). */
static inline uint32_t snag_task_order_list(const struct snag_task_order *o, uint32_t task)
{
	return o->run[o->slot[task]].list;
}

#endif
