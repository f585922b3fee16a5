/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.c - which task waits for what, after a deadlock
 *
 * A chain of waits ends: a task that waits in a finish or a sync waits for a task that was
 * created later, and a task that waits for a promise waits for no particular task, because any
 * task may set it.
 */
#include "task/core.h"

/* Writes into each scope the oldest task that counts in it. */
static void scopes_name_witness(const struct snag_tasks *ts)
{
	for (const struct snag_task *task = ts->newest; task; task = task->older) {
		task->in_finish->witness = task->id;
		if (task->in_frame)
			task->in_frame->witness = task->id;
	}
}

static struct snag_waiting task_wait(const struct snag_task *task)
{
	struct snag_waiting wait = {.task = task->id, .why = task->why};
	switch (task->why) {
	case SNAG_WAIT_PROMISE:
		wait.target = task->promise;
		break;
	case SNAG_WAIT_FINISH:
		wait.target = task->finish->witness;
		break;
	case SNAG_WAIT_SYNC:
		wait.target = task->frame->scope->witness;
		break;
	case SNAG_WAIT_OTHER: /* a lock that this library does not know */
		break;
	}
	return wait;
}

size_t snag_tasks_waiting(const struct snag_tasks *ts, struct snag_waiting *ret, size_t max)
{
	size_t n = 0;
	scopes_name_witness(ts);
	for (const struct snag_task *task = ts->oldest; task; task = task->newer) {
		if (!task->is_waiting)
			continue;
		if (n < max)
			ret[n] = task_wait(task);
		n++;
	}
	return n;
}

/* The first entry whose task is not before `task`; n: none. */
static size_t lower_bound(const struct snag_waiting *waiting, size_t n, snag_tid task)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (waiting[mid].task < task)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t snag_waiting_chain(const struct snag_waiting *waiting, size_t n, snag_tid task,
			  struct snag_waiting *ret, size_t max)
{
	size_t length = 0;
	for (size_t i = lower_bound(waiting, n, task); i < n && waiting[i].task == task;
	     i = lower_bound(waiting, n, task)) {
		if (length < max)
			ret[length] = waiting[i];
		length++;
		if (waiting[i].why == SNAG_WAIT_PROMISE)
			break;
		task = waiting[i].target;
	}
	return length;
}
