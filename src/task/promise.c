/* SPDX-License-Identifier: Apache-2.0
 *
 * promise.c - promises: wait until something has been set
 *
 * State.  One word per promise: UNSET, SET, or the last task in the queue of those that wait for
 *         it; `next` of the last is the first.
 *
 * Rules.  [get]  if it is not set, puts the task at the end of the queue, and returns control to
 *                the task that started or resumed it
 *         [set]  runs each waiting task, first come first served, until it ends or blocks again;
 *                then the setter continues
 */
#include "base/pages.h"
#include "task/core.h"

#include <assert.h>

enum { UNSET = 0, SET = 1 };

uint32_t snag_task_promise_new(struct snag_tasks *ts)
{
	if (ts->stats.promises == UINT32_MAX)
		snag_tasks_exhausted(ts);
	void *grown = snag_pages_grow(ts->promise, &ts->promise_cap, ts->stats.promises + 1,
				      sizeof(*ts->promise));
	if (!grown)
		snag_tasks_exhausted(ts);
	ts->promise = grown;
	return (uint32_t)ts->stats.promises++;
}

bool snag_task_promise_is_set(const struct snag_tasks *ts, uint32_t promise)
{
	assert(promise < ts->stats.promises && "not a promise");
	return ts->promise[promise] == SET;
}

void snag_task_promise_get(struct snag_tasks *ts, uint32_t promise) /* [get] */
{
	assert(!ts->is_isolated && "get inside isolated");
	if (!snag_task_promise_is_set(ts, promise)) {
		struct snag_task *task = ts->now, *last = (struct snag_task *)ts->promise[promise];
		task->next = last ? last->next : task;
		if (last)
			last->next = task;
		ts->promise[promise] = (uintptr_t)task;
		task->promise = promise;
		snag_task_block(ts, SNAG_WAIT_PROMISE);
	}
	snag_tasks_report(ts, SNAG_OP_PROMISE_GET, promise);
}

int snag_task_promise_set(struct snag_tasks *ts, uint32_t promise) /* [set] */
{
	assert(!ts->is_isolated && "set inside isolated");
	if (snag_task_promise_is_set(ts, promise))
		return -1;
	struct snag_task *last = (struct snag_task *)ts->promise[promise];
	ts->promise[promise] = SET;
	snag_tasks_report(ts, SNAG_OP_PROMISE_SET, promise);
	if (!last)
		return 0;

	/* A resumed task may end, or wait again: read its `next` before. */
	struct snag_task *task, *next = last->next;
	do {
		task = next;
		next = task->next;
		snag_task_resume(ts, task);
	} while (task != last);
	return 0;
}
