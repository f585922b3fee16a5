/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_locks.c - which lock a record of threads that run in parallel means
 */
#include "record/merge_locks.h"

#include "base/memory.h"

#include <stdlib.h>

#define GIVEN (1ull << 63)

void snag_merge_locks_done(struct snag_merge_locks *l)
{
	snag_slots_done(&l->slots);
	free(l->lock);
}

static uint64_t lock_hash(const void *locks, uint32_t number)
{
	const struct snag_merge_locks *l = locks;
	return snag_hash(l->lock[number].key, 0);
}

static bool lock_equals(const void *locks, uint32_t number, const void *key)
{
	const struct snag_merge_locks *l = locks;
	return l->lock[number].key == *(const uint64_t *)key;
}

static struct snag_merge_lock *lock_find(struct snag_merge_locks *l, uint64_t key)
{
	uint32_t i = snag_slots_find(&l->slots, snag_hash(key, 0), lock_equals, l, &key);
	if (i == SNAG_SLOTS_NONE) {
		i = (uint32_t)l->n++;
		l->lock = snag_grow(l->lock, &l->cap, l->n, sizeof(*l->lock));
		l->lock[i] = (struct snag_merge_lock){.key = key, .number = l->numbers++};
		snag_slots_add(&l->slots, i, lock_hash, l);
	}
	return &l->lock[i];
}

/* [number] [foreign] */
static void lock_renew(struct snag_merge_locks *l, struct snag_merge_lock *lock)
{
	lock->number = l->numbers++;
	lock->holder = lock->depth = 0;
}

static bool acquire(struct snag_merge_locks *l, struct snag_merge_lock *lock, uint32_t thread)
{
	if (lock->holder == thread + 1) {
		lock->depth++;
		return false;
	}
	if (lock->holder) /* its release was not seen */
		lock_renew(l, lock);
	lock->holder = thread + 1;
	lock->depth = 1;
	return true;
}

static bool release(struct snag_merge_locks *l, struct snag_merge_lock *lock, uint32_t thread)
{
	if (lock->holder != thread + 1) {
		lock_renew(l, lock);
		return false;
	}
	if (--lock->depth)
		return false;
	lock->holder = 0;
	return true;
}

bool snag_merge_locks_take(struct snag_merge_locks *l, struct rt_record *r, uint32_t thread)
{
	const bool is_given = r->arg != UINT32_MAX;
	struct snag_merge_lock *lock =
		lock_find(l, is_given ? GIVEN | r->arg : rt_record_address(r));
	const enum rt_op op = rt_record_op(r);
	bool is_event = true;
	if (op == RT_LOCK_ENDS) {
		lock_renew(l, lock);
		is_event = false;
	} else if (!is_given) {
		is_event = op == RT_ACQUIRE ? acquire(l, lock, thread) : release(l, lock, thread);
	}
	r->arg = lock->number;
	return is_event;
}
