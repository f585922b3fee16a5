/* SPDX-License-Identifier: Apache-2.0
 *
 * entering.c - isolated blocks on one worker, in the order they come or in one that is wanted
 *
 * Idea.   Blocks never wait for each other: one task runs at a time, and it runs through its
 *         block.  Whoever wants them in another order says of each task that comes to one
 *         whether it may enter; if not it is blocked, as in a get, and asked again
 *         whenever a block ends.
 *
 * State.  entering   the tasks that may not, in the order they came
 *
 * Rules.  [enter]  the task goes on, or is blocked
 *         [leave]  the tasks that now may enter are resumed, one after the other
 *         [stuck]  nothing can go on but tasks that may not enter: whoever keeps them waiting is
 *                  told so, and has to let one enter
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
	snag_task_block(ts, SNAG_WAIT_ISOLATED);
}

/* Resumes those that may enter; their blocks end before this does. */
static void let_enter(struct snag_tasks *ts)
{
	for (struct snag_task **at = &ts->entering; *at;) {
		struct snag_task *task = *at;
		if (!ts->may_enter(ts->ctx, task->id)) {
			at = &task->next;
			continue;
		}
		*at = task->next;
		snag_task_resume(ts, task);
		at = &ts->entering; /* whoever came meanwhile */
	}
}

void snag_task_isolated_begin(struct snag_tasks *ts) /* [enter] */
{
	assert(!ts->is_isolated && "isolated inside isolated");
	if (ts->may_enter && !ts->may_enter(ts->ctx, ts->now->id))
		wait_to_enter(ts);
	ts->is_isolated = true;
	snag_task_tell(ts, SNAG_OP_ISOLATED_BEGIN, 0);
}

void snag_task_isolated_end(struct snag_tasks *ts) /* [leave] */
{
	assert(ts->is_isolated && "no isolated block is open");
	ts->is_isolated = false;
	snag_task_tell(ts, SNAG_OP_ISOLATED_END, 0);
	if (ts->entering)
		let_enter(ts);
}

void snag_tasks_unstick(struct snag_tasks *ts) /* [stuck] */
{
	while (ts->entering && ts->end == SNAG_TASKS_DONE) {
		ts->stuck(ts->ctx);
		let_enter(ts);
	}
}
