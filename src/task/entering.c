/* SPDX-License-Identifier: Apache-2.0
 *
 * entering.c - tasks that wait for something unknown to this library: isolated blocks, foreign
 * locks
 *
 * Idea.   Blocks never wait for each other: one task runs at a time, and it runs through its
 *         block. A listener that wants them in another order decides for each task that reaches
 *         a block whether it may enter.  If not, the task is blocked, as in a get, and the
 *         library calls the listener again whenever a block ends.  The listener may have blocks
 *         of its own, such as atomic operations: then it says where they begin and end.  A task
 *         that reaches a lock held by another task is blocked likewise, until the owner of the
 *         lock reports a change.
 *
 * State.  entering   the tasks that may not continue, in the order they came
 *
 * Rules.  [enter]  the task continues, or is blocked
 *         [leave]  the tasks that now may continue are resumed, one after the other
 *         [stuck]  only tasks that may not enter a block are left: the listener that blocks them
 *                  is called, and must let one enter
 */
#include "task/core.h"

#include <assert.h>

static void wait_to_enter(struct snag_tasks *ts)
{
	struct snag_task **last = &ts->entering;
	while (*last)
		last = &(*last)->next;
	*last = ts->now;
	ts->now->next = NULL;
	snag_task_block(ts, SNAG_WAIT_OTHER);
}

static bool may_go_on(const struct snag_tasks *ts, const struct snag_task *task)
{
	return task->is_over ? task->is_over(task->over_arg) : ts->may_enter(ts->ctx, task->id);
}

void snag_tasks_poll(struct snag_tasks *ts)
{
	for (struct snag_task **at = &ts->entering; *at;) {
		struct snag_task *task = *at;
		if (!may_go_on(ts, task)) {
			at = &task->next;
			continue;
		}
		*at = task->next;
		snag_task_resume(ts, task);
		at = &ts->entering; /* the tasks that came in between */
	}
}

bool snag_task_wait(struct snag_tasks *ts, bool (*is_over)(void *arg), void *arg)
{
	if (ts->is_isolated)
		return false;
	ts->now->is_over = is_over;
	ts->now->over_arg = arg;
	wait_to_enter(ts);
	ts->now->is_over = NULL;
	return true;
}

void snag_task_enter(struct snag_tasks *ts) /* [enter] */
{
	if (!ts->is_isolated && ts->may_enter && !ts->may_enter(ts->ctx, ts->now->id))
		wait_to_enter(ts);
}

void snag_task_isolated_begin(struct snag_tasks *ts)
{
	assert(!ts->is_isolated && "isolated inside isolated");
	snag_task_enter(ts);
	ts->is_isolated = true;
	snag_tasks_report(ts, SNAG_OP_ISOLATED_BEGIN, 0);
}

void snag_task_isolated_end(struct snag_tasks *ts) /* [leave] */
{
	assert(ts->is_isolated && "no isolated block is open");
	ts->is_isolated = false;
	snag_tasks_report(ts, SNAG_OP_ISOLATED_END, 0);
	snag_tasks_poll(ts);
}

void snag_tasks_unstick(struct snag_tasks *ts) /* [stuck] */
{
	for (;;) {
		const struct snag_task *task = ts->entering;
		while (task && task->is_over)
			task = task->next;
		if (!task || ts->end != SNAG_TASKS_DONE)
			return;
		ts->stuck(ts->ctx);
		snag_tasks_poll(ts);
	}
}
