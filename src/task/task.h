/* SPDX-License-Identifier: Apache-2.0
 *
 * task.h - tasks on one worker, depth first
 *
 * Runs a task-parallel program one task at a time, in an order that detectors can rely on, and
 * reports events (trace/event.h) to a listener.  The bodies of the tasks call the functions
 * below: the small task language, C programs, OpenMP.
 *
 * Order.     A child runs as soon as it is created.  Its creator continues when the child ends,
 *            or blocks in a get, a finish or a sync.  A task that blocks returns control to the
 *            task that started or resumed it.  When a promise is set, the tasks that wait for it
 *            run, in the order of their gets, before the setter continues.  The last task of a
 *            finish or a frame runs its waiting owner as it ends.
 * Threading. Everything runs on the thread that called snag_tasks_run().  Each task that must be
 *            able to wait has its own stack (task/fiber.h).
 * Memory.    Never malloc: it uses its own arenas of pages, because it also runs inside user
 *            programs.  A task that has ended costs no stack.
 */
#ifndef SNAG_TASK_TASK_H
#define SNAG_TASK_TASK_H

#include "trace/event.h"

#include <stddef.h>

struct snag_tasks; /* one run of one program */
struct snag_stack; /* task/fiber.h */

typedef void snag_task_body(void *arg);

struct snag_tasks_options {
	/* Gets every event of the run, in order, except accesses, which the bodies report
	 * themselves. `target` is a task, a promise, or 0. */
	void (*event)(void *ctx, uint8_t op, snag_tid task, uint32_t target);
	/* Called before another task continues, or the caller of task 0, which also has number
	 * 0. `own` is a word for each task and for that caller, NULL at first, at the disposal
	 * of the listener.  The first time, `stack` is not NULL: the stack of the task.  May be
	 * NULL. */
	void (*runs)(void *ctx, snag_tid task, void **own, const struct snag_stack *stack);
	/* may_enter: returns whether the task, which has reached an isolated block, may enter it
	 * now; it is called again whenever a block ends.  stuck: called when only tasks are left
	 * that may not; then one of them must be allowed.  Both may be NULL: every task may
	 * enter. */
	bool (*may_enter)(void *ctx, snag_tid task);
	void (*stuck)(void *ctx);
	void *ctx; /* `event` may be NULL: no listener */
	/* the bytes of a task's stack; 0: 256 KiB. Only the part that is used takes memory. */
	size_t stack_bytes;
};

enum snag_tasks_end {
	SNAG_TASKS_DONE,      /* every task has ended */
	SNAG_TASKS_DEADLOCK,  /* all remaining tasks wait: see snag_tasks_waiting() */
	SNAG_TASKS_STOPPED,   /* snag_tasks_stop() ended the run */
	SNAG_TASKS_EXHAUSTED, /* no memory for another task or promise, or no number for it */
};

/* The reasons why a task waits. */
enum snag_wait { SNAG_WAIT_PROMISE, SNAG_WAIT_FINISH, SNAG_WAIT_SYNC, SNAG_WAIT_OTHER };

struct snag_waiting {
	snag_tid task;
	enum snag_wait why;
	uint32_t target; /* the promise, or one of the tasks that have not ended */
};

/* Returns NULL if there is no memory for the first stack. */
struct snag_tasks *snag_tasks_new(const struct snag_tasks_options *options);
void snag_tasks_free(struct snag_tasks *ts); /* accepts NULL */

/* Runs `body` as task 0, inside a finish, until no task can continue. Call it once. */
enum snag_tasks_end snag_tasks_run(struct snag_tasks *ts, snag_task_body *body, void *arg);

/* After a deadlock: returns the number of tasks that wait, and fills in at most `max` of them,
 * in the order of their ids. */
size_t snag_tasks_waiting(const struct snag_tasks *ts, struct snag_waiting *ret, size_t max);

/* Follows, in that sorted list, the task that `task` waits for, the task that this one waits
 * for, and so on, to a promise that no task is left to set. Returns the length of the chain, and
 * fills in at most `max`. */
size_t snag_waiting_chain(const struct snag_waiting *waiting, size_t n, snag_tid task,
			  struct snag_waiting *ret, size_t max);

struct snag_tasks_stats {
	uint64_t tasks, promises; /* created */
	uint64_t blocked;	  /* waits that had to wait */
};
struct snag_tasks_stats snag_tasks_stats(const struct snag_tasks *ts); /* so far */

/* The rest is called from bodies.  What a body must not do (create or wait inside isolated, end
 * inside a finish it began, ...) is a failed assertion. */

snag_tid snag_task_self(const struct snag_tasks *ts);

/* Creates a task (async or spawn) and runs it.  Returns its number when it has ended or blocked.
 * Numbers are dense, in the order of creation. */
snag_tid snag_task_async(struct snag_tasks *ts, snag_task_body *body, void *arg);
snag_tid snag_task_spawn(struct snag_tasks *ts, snag_task_body *body, void *arg);

/* Returns memory for the argument of the next task, aligned to 16, which lives as long as that
 * task.  It lies at the end of the task's stack, so it is new whenever the stack is.  NULL: too
 * much. */
void *snag_task_argument(struct snag_tasks *ts, size_t nbytes);

void snag_task_finish_begin(struct snag_tasks *ts);
void snag_task_finish_end(struct snag_tasks *ts);
void snag_task_frame_begin(struct snag_tasks *ts);
void snag_task_frame_end(struct snag_tasks *ts); /* ends a frame without a sync of its own */
void snag_task_sync(struct snag_tasks *ts);
void snag_task_isolated_begin(struct snag_tasks *ts);
void snag_task_isolated_end(struct snag_tasks *ts);

uint32_t snag_task_promise_new(struct snag_tasks *ts); /* dense */
int snag_task_promise_set(struct snag_tasks *ts,
			  uint32_t promise); /* negative: it was set before */
void snag_task_promise_get(struct snag_tasks *ts, uint32_t promise);
bool snag_task_promise_is_set(const struct snag_tasks *ts, uint32_t promise);

/* Waits for a condition that the library does not know. It calls `is_over` whenever
 * snag_tasks_poll() is called or an isolated block ends. Returns false if the task cannot wait
 * because it is in such a block. */
bool snag_task_wait(struct snag_tasks *ts, bool (*is_over)(void *arg), void *arg);
void snag_tasks_poll(struct snag_tasks *ts);
/* Begins a block that the library does not know: waits until `may_enter` lets the task enter.
 * At the end of the block call snag_tasks_poll().  In an isolated block it does nothing. */
void snag_task_enter(struct snag_tasks *ts);

/* Abandons the run: does not return, but snag_tasks_run() does.  Drops the stacks of all tasks. */
_Noreturn void snag_tasks_stop(struct snag_tasks *ts);

#endif
