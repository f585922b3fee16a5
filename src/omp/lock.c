/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.c - critical sections and locks
 *
 * Idea.   A lock of the program is only a name: its address.  Its state is here.  A task owns
 *         it, and may take a nestable one again.  A context that must wait is not ready.
 *
 * Rules.  [wait]  A thread waits only for a task that was suspended with the lock, at a barrier for
 *                 example.  A promise orders it after that task.
 *         [next]  A context that waited comes too late if another one takes the lock first.  But
 *                 every second time that other one waits instead, so that snag sees both orders.
 *         [team]  A lock excludes the threads of one team, and those that they create.
 *         [order] While sections follow an order (snag explore), a task that comes to its section
 *                 too early waits, and looks again whenever a section ends.
 *         [held]  A task that becomes another task of the detector (a segment, a phase)
 *                 releases its locks as the one and takes them as the other.
 */
#include "omp/core.h"

struct mp_lock {
	const void *at;
	uint32_t number; /* the detector's number of it, + 1 */
	struct mp_task *owner;
	int depth;
	struct mp_queue waiting;
	/* the context that may continue next; NULL: it has continued, or there is none */
	struct mp_context *next;
	unsigned passes; /* so often another one came before that */
	uint32_t passed; /* the promise set when a waiting task got the lock, + 1 */
	/* how many references there are; for locks that are not found by their address */
	unsigned known;
};

struct mp_held {
	struct mp_held *next;
	struct mp_lock *lock;
};

enum { POLLS = 128 };

static struct mp_map locks;
static unsigned given; /* so often */

/* [team] */
static struct mp_lock **lock_slot(const void *at)
{
	enum { ABOVE_ADDRESSES = 48 };
	uintptr_t group = mp_contention_group();
	return (struct mp_lock **)mp_map_at(
		&locks, (const void *)((uintptr_t)at | group << ABOVE_ADDRESSES));
}

static struct mp_lock *lock_in(struct mp_lock **slot, const void *at)
{
	if (!*slot) {
		*slot = mp_alloc(sizeof(**slot));
		(*slot)->at = at;
	}
	return *slot;
}

struct mp_lock *mp_lock_at(const void *at)
{
	return lock_in((struct mp_lock **)mp_map_at(&locks, at), at);
}

struct mp_lock *mp_lock_new(const void *at)
{
	struct mp_lock *lock = mp_alloc(sizeof(*lock));
	lock->at = at;
	lock->known = 1;
	return lock;
}

struct mp_lock *mp_lock_know(struct mp_lock *lock)
{
	lock->known++;
	return lock;
}

void mp_lock_release(struct mp_lock *lock)
{
	if (lock && --lock->known == 0)
		mp_free(lock);
}

struct mp_lock *mp_lock_here(const void *at)
{
	return lock_in(lock_slot(at), at);
}

void mp_lock_obstacle(void)
{
	mp_obstacle(SNAG_OMP_OBSTACLE_TRY_LOCK);
}

void mp_lock_forget(const void *at)
{
	struct mp_lock **lock = lock_slot(at);
	mp_free(*lock);
	*lock = NULL;
}

static void lock_report(struct mp_lock *lock, bool is_acquired)
{
	if (!mp.hooks || !mp.launched)
		return;
	if (!lock->number)
		lock->number = mp.hooks->number(SNAG_OMP_NUMBER_LOCK) + 1;
	mp.hooks->lock(lock->number - 1, lock->at, is_acquired, mp.place);
}

static void lock_taken(struct mp_lock *lock, struct mp_task *t)
{
	lock->owner = t;
	lock->depth = 1;
	struct mp_held *held = mp_alloc(sizeof(*held));
	*held = (struct mp_held){t->held, lock};
	t->held = held;
	lock_report(lock, true);
}

bool mp_lock_try(struct mp_lock *lock, struct mp_task *t)
{
	if (lock->owner)
		return false;
	lock_taken(lock, t);
	return true;
}

static bool is_too_early(void) /* [order] */
{
	return mp.has_order && mp.launched && !mp_asks(SNAG_OMP_MAY_ENTER);
}

/* Returns whether it is the turn of another context, which only waits for this lock. */
static bool is_passed(struct mp_lock *lock) /* [next] */
{
	return lock->next && !mp.has_order && ++lock->passes % 2 == 0;
}

void mp_lock_take(struct mp_lock *lock, struct mp_task *t)
{
	bool has_waited = false;
	for (bool waits; (waits = lock->owner || is_passed(lock)) || is_too_early();) {
		has_waited |= waits;
		mp_queue_add(waits ? &lock->waiting : &mp.entering, mp.now);
		mp_block();
		if (lock->next == mp.now)
			lock->next = NULL;
	}
	if (has_waited && lock->passed) { /* [wait] */
		mp_lock_obstacle();
		mp_report(SNAG_OP_PROMISE_GET, lock->passed - 1);
	}
	lock_taken(lock, t);
}

void mp_lock_give(struct mp_lock *lock)
{
	struct mp_task *owner = lock->owner;
	if (!owner)
		return;
	struct mp_held **at = &owner->held;
	while (*at && (*at)->lock != lock)
		at = &(*at)->next;
	struct mp_held *held = *at;
	if (held)
		*at = held->next;
	mp_free(held);
	lock_report(lock, false);
	lock->owner = NULL;
	lock->depth = 0;
	struct mp_context *next = mp_queue_take(&lock->waiting);
	if (next && mp.launched) {
		lock->passed = mp_promise() + 1;
		mp_report(SNAG_OP_PROMISE_SET, lock->passed - 1);
	}
	if (next) {
		lock->next = next;
		mp_ready(next);
	}
	mp_queue_ready(&mp.entering);
	if (++given % POLLS == 0) /* a context that polls the lock may wait for another one */
		mp_yield();
}

int *mp_lock_depth(struct mp_lock *lock, const struct mp_task *t)
{
	return lock->owner == t ? &lock->depth : NULL;
}

void mp_locks_report(struct mp_task *t, bool is_acquired) /* [held] */
{
	for (struct mp_held *held = t->held; held; held = held->next)
		lock_report(held->lock, is_acquired);
}
