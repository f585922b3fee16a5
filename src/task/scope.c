/* SPDX-License-Identifier: Apache-2.0
 *
 * scope.c - finish, frames and sync: waiting for tasks
 *
 * State.  A task counts in one finish, the innermost that was open in its creator or inherited
 *         by it, and, if it was spawned, in the frame that spawned it.  A task's finish list
 *         goes outwards through its own to those it inherited.
 *
 * Rules.  [create]      the child counts in its creator's innermost finish; a spawned one also
 *                       in the scope of its creator's frame
 *         [end]         it counts no longer; an owner that waits for nothing else continues
 *         [finish end]  the owner waits until no task counts in it
 *         [sync]        the same for the frame
 *         A frame may be left while tasks spawned in it run: only the finish waits for them, and
 *         their scope is freed with the last of them.
 *
 * At most one owner continues when a task ends.  If the task counted in a frame whose owner
 * waits in a sync, that owner has not ended, and either counts in the same finish or owns it.
 */
#include "task/core.h"

#include <assert.h>

static struct task_scope *scope_new(struct snag_tasks *ts, struct task_scope *outer)
{
	struct task_scope *scope = snag_pool_take(&ts->scope_pool);
	if (!scope)
		snag_tasks_exhausted(ts);
	*scope = (struct task_scope){.outer = outer, .owner = ts->now};
	return scope;
}

static void scope_drop(struct snag_tasks *ts, struct task_scope *scope)
{
	scope->owner = NULL;
	if (scope->pending == 0)
		snag_pool_give(&ts->scope_pool, scope);
}

static void scope_wait(struct snag_tasks *ts, struct task_scope *scope, enum snag_wait why)
{
	if (scope->pending == 0)
		return;
	scope->is_waited_for = true;
	snag_task_block(ts, why);
	scope->is_waited_for = false;
}

void snag_scope_enter(struct snag_tasks *ts, struct snag_task *task, bool is_spawned) /* [create] */
{
	struct snag_task *creator = ts->now;
	task->finish = task->in_finish = creator->finish;
	task->in_finish->pending++;
	task->in_frame = NULL;
	if (!is_spawned)
		return;
	if (!creator->frame->scope)
		creator->frame->scope = scope_new(ts, NULL);
	task->in_frame = creator->frame->scope;
	task->in_frame->pending++;
}

/* Takes one task out of a scope; returns the scope's owner if that continues now. */
static struct snag_task *scope_less(struct snag_tasks *ts, struct task_scope *scope)
{
	if (--scope->pending > 0)
		return NULL;
	if (scope->is_waited_for)
		return scope->owner;
	if (!scope->owner)
		scope_drop(ts, scope);
	return NULL;
}

struct snag_task *snag_scope_leave(struct snag_tasks *ts, struct snag_task *task) /* [end] */
{
	assert(task->finish == task->in_finish && "a task ends inside a finish it began");
	assert(task->frame == &task->base && "a task ends inside a frame it began");
	if (task->base.scope)
		scope_drop(ts, task->base.scope);

	struct snag_task *goes_on = scope_less(ts, task->in_finish);
	if (task->in_frame) {
		struct snag_task *synced = scope_less(ts, task->in_frame);
		assert(!goes_on || !synced);
		goes_on = goes_on ? goes_on : synced;
	}
	return goes_on;
}

void snag_task_finish_begin(struct snag_tasks *ts)
{
	assert(!ts->is_isolated && "finish inside isolated");
	ts->now->finish = scope_new(ts, ts->now->finish);
	snag_tasks_report(ts, SNAG_OP_FINISH_BEGIN, 0);
}

void snag_task_finish_end(struct snag_tasks *ts) /* [finish end] */
{
	struct snag_task *task = ts->now;
	struct task_scope *scope = task->finish;
	assert(!ts->is_isolated && "the end of a finish inside isolated");
	assert(scope->owner == task && scope->outer && "no finish of this task is open");
	scope_wait(ts, scope, SNAG_WAIT_FINISH);
	task->finish = scope->outer;
	scope_drop(ts, scope);
	snag_tasks_report(ts, SNAG_OP_FINISH_END, 0);
}

void snag_task_frame_begin(struct snag_tasks *ts)
{
	assert(!ts->is_isolated && "a frame inside isolated");
	struct task_frame *frame = snag_pool_take(&ts->frame_pool);
	if (!frame)
		snag_tasks_exhausted(ts);
	*frame = (struct task_frame){.outer = ts->now->frame};
	ts->now->frame = frame;
	snag_tasks_report(ts, SNAG_OP_FRAME_BEGIN, 0);
}

void snag_task_frame_end(struct snag_tasks *ts)
{
	struct task_frame *frame = ts->now->frame;
	assert(frame->outer && "no frame of this task is open");
	ts->now->frame = frame->outer;
	if (frame->scope)
		scope_drop(ts, frame->scope);
	snag_pool_give(&ts->frame_pool, frame);
	snag_tasks_report(ts, SNAG_OP_FRAME_END, 0);
}

void snag_task_sync(struct snag_tasks *ts) /* [sync] */
{
	struct task_scope *scope = ts->now->frame->scope;
	assert(!ts->is_isolated && "sync inside isolated");
	if (scope)
		scope_wait(ts, scope, SNAG_WAIT_SYNC);
	snag_tasks_report(ts, SNAG_OP_SYNC, 0);
}
