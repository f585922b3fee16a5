/* SPDX-License-Identifier: Apache-2.0
 *
 * task.c - tasks on one worker, depth first
 *
 * Idea.   There is no queue of ready tasks.  A task that enables another one runs it at once, as
 *         if by a call: a creator runs its child, the setter of a promise those that waited for
 *         it, the last task of a finish (or frame) the owner that waits for it.  A task that
 *         ends or blocks returns control to the task that ran it.
 *
 * State.  `back` of the running task leads to the task that ran it, and so on to the caller of
 *         snag_tasks_run(): the tasks on this chain can continue.  All others have ended or are
 *         blocked. Each task has its own stack, because its creator continues while it is
 *         blocked.
 *
 * Rules.  [create]  the child runs; its `back` is its creator
 *         [end]     if an owner waited for this end, it continues, with the `back` of the task
 *                   that ended; otherwise that `back` continues
 *         [block]   `back` continues
 *         [resume]  the resumed task runs; its `back` is the one that resumed it
 *
 * Guarantee.  A program without promises never blocks before its children have ended: it runs as
 *             if async were a call.  When control is back outside and tasks are left, every one
 *             of them is blocked: that is a deadlock.  There is no other way not to end.
 *
 * Cost.   A task: one record and one stack taken and given back, two switches.  A task that has
 *         ended costs nothing.  The record and stack of the task that ended last are set aside,
 *         not given back, because its end still runs on it; the next child takes them.
 *
 * Reference.  Jin et al., "Dynamic determinacy race detection for task-parallel programs with
 *             promises" (DRDP), section 4.2.  There, a task that blocks again switches to its
 *             parent. That loses races, because the parent may not be the suspended task.  Here
 *             control returns to the task that resumed it.
 */
#include "task/task.h"

#include "base/pages.h"
#include "task/core.h"

#include <assert.h>

enum { DEFAULT_STACK = 256 << 10, LEAST_STACK = 16 << 10 };

static void nobody_listens(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
}

/* A record with a stack; NULL: no memory. */
static struct snag_task *task_take(struct snag_tasks *ts)
{
	struct snag_task *task = ts->spare;
	if (task) {
		ts->spare = NULL;
		return task;
	}
	task = snag_pool_take(&ts->task_pool);
	if (!task)
		return NULL;
	task->stack_number = snag_stacks_take(&ts->stacks);
	if (task->stack_number == SNAG_STACK_NONE)
		return NULL;
	task->stack = snag_stacks_at(&ts->stacks, task->stack_number);
	task->argument = 0;
	return task;
}

static void task_give(struct snag_tasks *ts, struct snag_task *task)
{
	snag_stacks_give(&ts->stacks, task->stack_number);
	snag_pool_give(&ts->task_pool, task);
}

struct snag_tasks *snag_tasks_new(const struct snag_tasks_options *options)
{
	struct snag_tasks *ts = snag_pages_map(sizeof(*ts));
	if (!ts)
		return NULL;
	size_t stack_bytes = options->stack_bytes ? options->stack_bytes : DEFAULT_STACK;
	ts->event = options->event ? options->event : nobody_listens;
	ts->runs = options->runs;
	ts->may_enter = options->may_enter;
	ts->stuck = options->stuck;
	ts->ctx = options->ctx;
	snag_stacks_init(&ts->stacks, stack_bytes < LEAST_STACK ? LEAST_STACK : stack_bytes);
	snag_pool_init(&ts->task_pool, sizeof(struct snag_task));
	snag_pool_init(&ts->scope_pool, sizeof(struct task_scope));
	snag_pool_init(&ts->frame_pool, sizeof(struct task_frame));
	ts->spare = task_take(ts);
	if (!ts->spare) {
		snag_tasks_free(ts);
		return NULL;
	}
	return ts;
}

void snag_tasks_free(struct snag_tasks *ts)
{
	if (!ts)
		return;
	for (struct snag_task *task = ts->oldest; task; task = task->newer)
		snag_fiber_forget(&task->fiber);
	snag_stacks_done(&ts->stacks);
	snag_pool_done(&ts->task_pool);
	snag_pool_done(&ts->scope_pool);
	snag_pool_done(&ts->frame_pool);
	snag_pages_free(ts->promise, ts->promise_cap, sizeof(*ts->promise));
	snag_pages_unmap(ts, sizeof(*ts));
}

/* Adds a task to the list of those that have not ended, which is sorted by id. */
static void task_add(struct snag_tasks *ts, struct snag_task *task)
{
	ts->stats.tasks++;
	task->newer = NULL;
	task->older = ts->newest;
	*(task->older ? &task->older->newer : &ts->oldest) = task;
	ts->newest = task;
}

static void task_remove(struct snag_tasks *ts, struct snag_task *task)
{
	*(task->older ? &task->older->newer : &ts->oldest) = task->newer;
	*(task->newer ? &task->newer->older : &ts->newest) = task->older;
}

static _Noreturn void task_end(struct snag_tasks *ts) /* [end] */
{
	struct snag_task *task = ts->now, *to = task->back;
	assert(!ts->is_isolated && "a task ends inside isolated");
	snag_tasks_report(ts, SNAG_OP_TASK_END, 0);

	struct snag_task *goes_on = snag_scope_leave(ts, task);
	if (goes_on) {
		goes_on->back = to;
		goes_on->is_waiting = false;
		to = goes_on;
	}
	task_remove(ts, task);
	if (ts->spare)
		task_give(ts, ts->spare);
	ts->spare = task;
	snag_task_is_now(ts, to, NULL);
	snag_fiber_leave(&to->fiber);
}

static void task_main(void *arg)
{
	struct snag_tasks *ts = arg;
	ts->now->body(ts->now->arg);
	task_end(ts);
}

/* A task ready to run; NULL: there is no memory, or no number left. */
static struct snag_task *task_new(struct snag_tasks *ts, snag_task_body *body, void *arg)
{
	struct snag_task *task = task_take(ts);
	if (!task || ts->stats.tasks == UINT32_MAX)
		return NULL;
	task->id = (snag_tid)ts->stats.tasks;
	task->body = body;
	task->arg = arg;
	task->own = NULL;
	task->base = (struct task_frame){0};
	task->frame = &task->base;
	task->is_waiting = false;
	task->is_over = NULL;
	struct snag_stack stack = {task->stack.base, task->stack.nbytes - task->argument};
	task->argument = 0;
	snag_fiber_prepare(&task->fiber, &stack, task_main, ts);
	return task;
}

void *snag_task_argument(struct snag_tasks *ts, size_t nbytes)
{
	if (nbytes > ts->stacks.nbytes / 8)
		return NULL;
	if (!ts->spare)
		ts->spare = task_take(ts);
	if (!ts->spare)
		snag_tasks_exhausted(ts);
	struct snag_task *task = ts->spare; /* the next task takes this memory */
	uintptr_t top = (uintptr_t)task->stack.base + task->stack.nbytes;
	uintptr_t at = (top - nbytes) & ~(uintptr_t)15;
	task->argument = (uint32_t)(top - at);
	return (void *)at;
}

static void task_run(struct snag_tasks *ts, struct snag_task *task, const struct snag_stack *stack)
{
	struct snag_task *self = ts->now;
	task->back = self;
	task->is_waiting = false;
	snag_task_is_now(ts, task, stack);
	snag_fiber_switch(&self->fiber, &task->fiber);
}

void snag_task_resume(struct snag_tasks *ts, struct snag_task *task) /* [resume] */
{
	task_run(ts, task, NULL);
}

void snag_task_block(struct snag_tasks *ts, enum snag_wait why) /* [block] */
{
	struct snag_task *self = ts->now;
	self->why = why;
	self->is_waiting = true;
	ts->stats.blocked++;
	snag_task_is_now(ts, self->back, NULL);
	snag_fiber_switch(&self->fiber, &ts->now->fiber);
}

static snag_tid task_create(struct snag_tasks *ts, enum snag_op op, snag_task_body *body, void *arg)
{
	assert(!ts->is_isolated && "a task is created inside isolated");
	struct snag_task *task = task_new(ts, body, arg); /* [create] */
	if (!task)
		snag_tasks_exhausted(ts);
	snag_tid id = task->id;
	snag_scope_enter(ts, task, op == SNAG_OP_TASK_SPAWN);
	task_add(ts, task);
	snag_tasks_report(ts, op, id);
	task_run(ts, task, &task->stack);
	return id;
}

snag_tid snag_task_async(struct snag_tasks *ts, snag_task_body *body, void *arg)
{
	return task_create(ts, SNAG_OP_TASK_CREATE, body, arg);
}

snag_tid snag_task_spawn(struct snag_tasks *ts, snag_task_body *body, void *arg)
{
	return task_create(ts, SNAG_OP_TASK_SPAWN, body, arg);
}

snag_tid snag_task_self(const struct snag_tasks *ts)
{
	return ts->now->id;
}

enum snag_tasks_end snag_tasks_run(struct snag_tasks *ts, snag_task_body *body, void *arg)
{
	assert(!ts->now && "one run only");
	ts->now = &ts->outside;
	ts->outside.finish = &ts->all;
	struct snag_task *first = task_new(ts, body, arg);
	if (!first)
		return SNAG_TASKS_EXHAUSTED;
	snag_scope_enter(ts, first, false);
	task_add(ts, first);
	task_run(ts, first, &first->stack);
	snag_tasks_unstick(ts);
	if (ts->end == SNAG_TASKS_DONE && ts->oldest)
		ts->end = SNAG_TASKS_DEADLOCK;
	return ts->end;
}

static _Noreturn void run_abandon(struct snag_tasks *ts, enum snag_tasks_end end)
{
	ts->end = end;
	snag_task_is_now(ts, &ts->outside, NULL);
	snag_fiber_leave(&ts->outside.fiber);
}

void snag_tasks_stop(struct snag_tasks *ts)
{
	run_abandon(ts, SNAG_TASKS_STOPPED);
}

void snag_tasks_exhausted(struct snag_tasks *ts)
{
	run_abandon(ts, SNAG_TASKS_EXHAUSTED);
}

struct snag_tasks_stats snag_tasks_stats(const struct snag_tasks *ts)
{
	return ts->stats;
}
