/* SPDX-License-Identifier: Apache-2.0
 *
 * core.h - shared by the files of the depth-first executor
 *
 * Other code uses task/task.h.
 */
#ifndef SNAG_TASK_CORE_H
#define SNAG_TASK_CORE_H

#include "base/pool.h"
#include "task/stacks.h"
#include "task/task.h"

/* A scope that waits for tasks: a finish, or the tasks spawned in a frame.  It is freed when it
 * has been left and no task counts in it. */
struct task_scope {
	struct task_scope *outer;  /* open around it in the same task or inherited; NULL: none */
	struct snag_task *owner;   /* NULL: the owner has left the scope */
	uint32_t pending;	   /* tasks that count in it and have not ended */
	bool is_waited_for;	   /* the owner is blocked until pending is 0 */
	snag_tid witness;	   /* for snag_tasks_waiting(): one of the pending tasks */
	struct hclib_joins *joins; /* for a finish: hclib_joins.c; otherwise NULL */
};

/* A procedure's frame.  Its scope exists from the first spawn on. */
struct task_frame {
	struct task_frame *outer;
	struct task_scope *scope; /* NULL: the task has spawned nothing since its last sync */
};

/* A task that has not ended.  Records of ended tasks are reused. */
struct snag_task {
	struct snag_fiber fiber; /* its fiber, if the task does not run */
	struct snag_task *back;	 /* the task that started or resumed it: gets control when this
				 * one ends or blocks */
	/* the next task in the queue of the promise, or of the block, that it waits for */
	struct snag_task *next;
	struct task_scope *finish;    /* the innermost finish that is open or inherited */
	struct task_frame *frame;     /* the innermost one; the last is `base` */
	struct task_scope *in_finish; /* the finish in which it counts */
	/* the scope of its creator's frame, where it also counts if it was spawned; otherwise
	 * NULL */
	struct task_scope *in_frame;
	struct task_frame base;
	snag_task_body *body;
	void *arg;
	void *own; /* for the use of the listener */
	snag_tid id;
	uint32_t stack_number;
	struct snag_stack stack;
	uint32_t argument;  /* bytes at the stack's end that hold the argument */
	enum snag_wait why; /* why it waits, if it does */
	bool is_waiting;
	uint32_t promise; /* the promise it waits for, if any */
	/* whether it may continue, if it waits for something else; NULL: to enter a block */
	bool (*is_over)(void *arg);
	void *over_arg;
	struct snag_task *older, *newer; /* all tasks that have not ended, by id */
};

struct snag_tasks {
	void (*event)(void *ctx, uint8_t op, snag_tid task, uint32_t target);
	void (*runs)(void *ctx, snag_tid task, void **own, const struct snag_stack *stack);
	bool (*may_enter)(void *ctx, snag_tid task);
	void (*stuck)(void *ctx);
	void *ctx;
	struct snag_task *now;	  /* the task that runs; NULL: none has yet */
	struct snag_task outside; /* the caller of snag_tasks_run() */
	struct task_scope all;	  /* the finish that task 0 lives in */
	struct snag_task *oldest, *newest;
	struct snag_task *spare; /* the task that ended last, with its stack; NULL: none */
	bool is_isolated;
	struct snag_task *entering; /* see entering.c */
	enum snag_tasks_end end;
	struct snag_stacks stacks;
	struct snag_pool task_pool, scope_pool, frame_pool;
	uintptr_t *promise; /* [promise]: see promise.c */
	size_t promise_cap;
	struct snag_tasks_stats stats;
};

static inline void snag_tasks_report(struct snag_tasks *ts, enum snag_op op, uint32_t target)
{
	ts->event(ts->ctx, (uint8_t)op, ts->now->id, target);
}

/* Makes `task` the running one; `stack`: see struct snag_tasks_options. */
static inline void snag_task_is_now(struct snag_tasks *ts, struct snag_task *task,
				    const struct snag_stack *stack)
{
	ts->now = task;
	if (ts->runs)
		ts->runs(ts->ctx, task->id, &task->own, stack);
}

/* Gives control to a task that is blocked, until the task ends or blocks. */
void snag_task_resume(struct snag_tasks *ts, struct snag_task *task);

/* Gives control back; returns when the running task is resumed. */
void snag_task_block(struct snag_tasks *ts, enum snag_wait why);

/* Ends the run: there is no memory, or no number left. */
_Noreturn void snag_tasks_exhausted(struct snag_tasks *ts);

/* In entering.c: only tasks that may not enter a block are left. */
void snag_tasks_unstick(struct snag_tasks *ts);

/* In scope.c.  A task counts in its scopes from its creation to its end.  leave() returns the
 * task that was waiting for this end, or NULL. */
void snag_scope_enter(struct snag_tasks *ts, struct snag_task *task, bool is_spawned);
struct snag_task *snag_scope_leave(struct snag_tasks *ts, struct snag_task *task);

#endif
