/* SPDX-License-Identifier: Apache-2.0
 *
 * records.c - memory for tasks and promises of the parallel runtime
 *
 * State.  Each worker has a pool for each size: 64, 128, 256 ... bytes; larger records are
 *         mapped separately.  A header before each record names its owner.  A thread that frees
 *         a record of another worker pushes it to that worker's `returned` list.  The worker
 *         takes the whole list when its pool is empty.  So memory returns to where it is needed,
 *         however tasks move.
 *
 * Threads that are not workers share the pools of one worker that does not exist, under a lock.
 * Pools live as long as the process, because promises may outlive a launch.
 */
#include "task/parallel.h"

#include "base/pages.h"
#include "task/serial.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST = 64 };

struct record_head {		   /* 16 bytes, before each record */
	struct task_worker *owner; /* NULL: the memory is mapped */
	size_t size;		   /* its size class; or how many bytes are mapped */
};

/* threads that are not workers use the pools of this one */
static struct task_worker common;
static atomic_flag nobody_lock = ATOMIC_FLAG_INIT; /* held briefly; no event for a detector */

void snag_no_memory(void)
{
	fputs("snag: no memory for another task\n", stderr);
	abort();
}

static unsigned size_class(size_t nbytes)
{
	return nbytes <= SMALLEST ? 0 : 58 - (unsigned)__builtin_clzl(nbytes - 1);
}

/* A record of a class that its pool has none of. */
static void *record_refill(struct task_worker *w, unsigned class)
{
	struct snag_pool *pool = &w->pool[class];
	/* Pairs with the release in record_return(). */
	void *list = atomic_exchange_explicit(&w->returned, NULL, memory_order_acquire);
	while (list) {
		struct record_head *head = list;
		list = *(void **)(head + 1);
		snag_pool_give(&w->pool[head->size], head);
	}
	if (pool->elem == 0)
		snag_pool_init(pool, sizeof(struct record_head) + ((size_t)SMALLEST << class));
	return snag_pool_take(pool);
}

static void *record_take(struct task_worker *w, unsigned class)
{
	struct record_head *head =
		w->pool[class].free ? snag_pool_take(&w->pool[class]) : record_refill(w, class);
	if (!head)
		snag_no_memory();
	*head = (struct record_head){.owner = w, .size = class};
	return head + 1;
}

void *snag_record_take(struct task_worker *w, size_t nbytes)
{
	if (nbytes > (size_t)SMALLEST << (SNAG_SIZE_CLASSES - 1)) {
		size_t size = sizeof(struct record_head) + nbytes;
		struct record_head *head = size > nbytes ? snag_pages_map(size) : NULL;
		if (!head)
			snag_no_memory();
		*head = (struct record_head){.size = size};
		return head + 1;
	}
	if (w)
		return record_take(w, size_class(nbytes));
	while (atomic_flag_test_and_set_explicit(&nobody_lock, memory_order_acquire))
		sched_yield();
	void *record = record_take(&common, size_class(nbytes));
	atomic_flag_clear_explicit(&nobody_lock, memory_order_release);
	return record;
}

void *snag_record_new(struct task_worker *w, size_t nbytes)
{
	void *record = snag_record_take(w, nbytes);
	if (snag_serial)
		snag_serial_memory(record, nbytes);
	return record;
}

static void record_return(struct task_worker *owner, struct record_head *head)
{
	void *first = atomic_load_explicit(&owner->returned, memory_order_relaxed);
	do
		*(void **)(head + 1) = first;
	while (!atomic_compare_exchange_weak_explicit(&owner->returned, &first, head,
						      memory_order_release, memory_order_relaxed));
}

void snag_record_free(struct task_worker *w, void *record)
{
	struct record_head *head = (struct record_head *)record - 1;
	if (!head->owner)
		snag_pages_unmap(head, head->size);
	else if (head->owner == w)
		snag_pool_give(&w->pool[head->size], head);
	else
		record_return(head->owner, head);
}
