/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_joins.c - hclib_end_finish_nonblocking(): a finish that another task waits for
 *
 * Idea.   Each task has a promise that it sets at its end, and that the finish it counts in
 *         knows. A finish that is left without waiting gets a task that gets all these promises
 *         and then puts the future.  So detectors see exactly which task waits for which.
 *
 * State.  Of a finish: the promises of its tasks, newest first.  A task adds those of its
 *         children before it sets its own.  When all have been got, all tasks have ended.
 *
 * Rules.  [leave]  the finish stays open, because its tasks count there, and the program
 *                  continues in one inside it, whose tasks are those of the outer finish
 *         [known]  tasks created by <snag/task.h> or <snag/task.hpp> are unknown here: only the
 *                  outer finish waits for them
 *         [end]    at the end of a finish or a task, all finishes that were left inside it end
 *                  first
 */
#include "task/hclib_joins.h"

#include "task/core.h"
#include "task/parallel.h"
#include "task/serial.h"
#include <snag/hclib/hclib.h>

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

struct join {
	struct join *next;
	struct snag_promise promise;
};

struct hclib_joins {
	_Atomic(struct join *) newest; /* the promises that all_got() has not got yet */
	struct join *got;	       /* those that it has got */
	struct hclib_joins *into; /* gets the promises of new tasks: [leave]; NULL: there is none */
	const void *owner;	  /* the task that began it */
	bool is_left;
};

static struct task_worker *worker_now(void)
{
	return snag_serial ? NULL : snag_worker_self();
}

static struct hclib_joins **joins_now(void)
{
	return snag_serial ? &snag_serial->now->finish->joins : &worker_now()->now->finish->joins;
}

static const void *task_now(void)
{
	return snag_serial ? (const void *)snag_serial->now : worker_now()->now;
}

void snag_hclib_begin(void)
{
	struct hclib_joins *joins = snag_record_new(worker_now(), sizeof(*joins));
	*joins = (struct hclib_joins){.into = joins, .owner = task_now()};
	*joins_now() = joins;
}

static void list_free(struct join *join)
{
	while (join) {
		struct join *next = join->next;
		snag_record_free(worker_now(), join);
		join = next;
	}
}

static void finish_close(struct hclib_joins *joins)
{
	snag_finish_end();
	list_free(joins->newest);
	list_free(joins->got);
	snag_record_free(worker_now(), joins);
}

void snag_hclib_left(void) /* [end] */
{
	struct hclib_joins *joins;
	while ((joins = *joins_now()) && joins->is_left && joins->owner == task_now())
		finish_close(joins);
}

void snag_hclib_end(void)
{
	snag_hclib_left();
	finish_close(*joins_now());
}

struct joined {
	void (*function)(void *arg);
	void *arg; /* the argument, if no copy follows this struct */
	struct join *join;
	size_t has_copy;
};

_Static_assert(sizeof(struct joined) % 16 == 0, "the argument behind it is aligned");

static void joined_run(void *arg)
{
	struct joined *task = arg;
	task->function(task->has_copy ? task + 1 : task->arg);
	snag_hclib_left();
	if (task->join)
		snag_promise_set(&task->join->promise, NULL);
}

static struct join *join_add(struct hclib_joins *joins)
{
	struct join *join = snag_record_new(worker_now(), sizeof(*join));
	snag_promise_init(&join->promise);
	join->next = atomic_load_explicit(&joins->newest, memory_order_relaxed);
	/* pairs with the exchange in all_got */
	while (!atomic_compare_exchange_weak_explicit(&joins->newest, &join->next, join,
						      memory_order_release, memory_order_relaxed))
		;
	return join;
}

void snag_hclib_create(void (*function)(void *), void *arg, const void *copy, size_t nbytes)
{
	struct hclib_joins *joins = *joins_now();
	struct joined *task = snag_record_new(worker_now(), sizeof(*task) + nbytes);
	*task = (struct joined){function, arg, NULL, copy != NULL};
	if (joins && joins->into)
		task->join = join_add(joins->into);
	if (copy)
		memcpy(task + 1, copy, nbytes);
	snag_async_from(joined_run, NULL, task, sizeof(*task) + nbytes);
	snag_record_free(worker_now(), task);
}

struct all {
	struct hclib_joins *joins;
	hclib_promise_t *event;
};

static void all_got(void *arg)
{
	const struct all *all = arg;
	struct join *join, *next;
	while ((join = atomic_exchange_explicit(&all->joins->newest, NULL, memory_order_acquire)))
		for (; join; join = next) {
			next = join->next;
			snag_promise_get(&join->promise);
			join->next = all->joins->got;
			all->joins->got = join;
		}
	hclib_promise_put(all->event, NULL);
}

hclib_future_t *hclib_end_finish_nonblocking(void)
{
	hclib_promise_t *event = hclib_promise_create();
	hclib_end_finish_nonblocking_helper(event);
	return &event->future;
}

void hclib_end_finish_nonblocking_helper(hclib_promise_t *event) /* [leave] */
{
	snag_hclib_left();
	struct hclib_joins *joins = *joins_now(), *outer;
	assert(joins && "hclib_start_finish() began no finish that is open");
	struct all all = {joins, event};
	joins->is_left = true;
	(void)snag_serial_called();
	snag_async_from(all_got, NULL, &all, sizeof(all));
	outer = snag_serial ? snag_serial->now->finish->outer->joins
			    : worker_now()->now->block->outer_finish->joins;
	snag_finish_begin();
	snag_hclib_begin();
	(*joins_now())->into = outer ? outer->into : NULL;
	(*joins_now())->is_left = true;
}
