/* SPDX-License-Identifier: Apache-2.0
 *
 * deque.h - a queue that its owner uses as a stack, and from which other workers take the oldest
 *
 * Idea.   The owner pushes and pops at `bottom`, thieves take at `top`.  They compete only for
 *         the last element, which a compare-and-swap of `top` gives to one of them.
 *
 * State.  Elements are [top, bottom), in a ring of fixed size.  Both only grow, except that a
 *         pop lowers `bottom` for a moment.  A full queue refuses: its owner then runs the task
 *         itself (async.c), which also bounds memory.
 *
 * Threading.  push and pop by the owner; steal and is_empty by any thread.
 *
 * Reference.  Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005; memory orders
 *             from Le, Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for
 *             weak memory models", PPoPP 2013.
 */
#ifndef SNAG_TASK_DEQUE_H
#define SNAG_TASK_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAG_DEQUE_SIZE = 1024 }; /* a power of two */

struct snag_deque {
	_Alignas(64) _Atomic int64_t top;
	_Alignas(64) _Atomic int64_t bottom;
	_Alignas(64) _Atomic(void *) slot[SNAG_DEQUE_SIZE];
};

/* Returns false if the deque is full. */
static inline bool snag_deque_push(struct snag_deque *d, void *item)
{
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
	int64_t t = atomic_load_explicit(&d->top, memory_order_acquire); /* pairs with steal */
	if (b - t >= SNAG_DEQUE_SIZE)
		return false;
	atomic_store_explicit(&d->slot[b & (SNAG_DEQUE_SIZE - 1)], item, memory_order_relaxed);
	/* The item's data is written before the item is: pairs with the load in steal. */
	atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
	return true;
}

static inline void *snag_deque_pop(struct snag_deque *d) /* the newest; NULL: empty */
{
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
	if (atomic_load_explicit(&d->top, memory_order_relaxed) > b)
		return NULL; /* top only grows: it is empty for sure */
	atomic_store_explicit(&d->bottom, b, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with the one in steal */
	int64_t t = atomic_load_explicit(&d->top, memory_order_relaxed);
	if (t < b)
		return atomic_load_explicit(&d->slot[b & (SNAG_DEQUE_SIZE - 1)],
					    memory_order_relaxed);
	void *item = NULL;
	if (t == b) {
		item = atomic_load_explicit(&d->slot[b & (SNAG_DEQUE_SIZE - 1)],
					    memory_order_relaxed);
		if (!atomic_compare_exchange_strong_explicit(
			    &d->top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
			item = NULL; /* a thief was faster */
	}
	atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
	return item;
}

static inline void *snag_deque_steal(struct snag_deque *d) /* the oldest; NULL: none, or beaten */
{
	int64_t t = atomic_load_explicit(&d->top, memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with the one in pop */
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_acquire); /* pairs with push */
	if (t >= b)
		return NULL;
	void *item =
		atomic_load_explicit(&d->slot[t & (SNAG_DEQUE_SIZE - 1)], memory_order_relaxed);
	if (!atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1, memory_order_seq_cst,
						     memory_order_relaxed))
		return NULL;
	return item;
}

/* Returns whether the deque was empty at some moment during the call. */
static inline bool snag_deque_is_empty(const struct snag_deque *d)
{
	return atomic_load_explicit(&d->top, memory_order_acquire) >=
	       atomic_load_explicit(&d->bottom, memory_order_acquire);
}

#endif
