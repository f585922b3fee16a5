/* SPDX-License-Identifier: Apache-2.0
 *
 * rwlock.c - reader-writer locks
 *
 * Rules.  [rdlock]  waits while a writer holds the lock; racq(l).  Readers may nest.
 *         [wrlock]  waits while any thread holds the lock; acq(l)
 *         [unlock]  rrel(l) or rel(l); when no thread holds the lock, all that wait try again
 *         [prefers] If the lock prefers writers (pthread_rwlockattr_setkind_np), a reader also
 *                   waits while a writer does.
 */
#include "runtime/memory.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/sections.h"
#include "runtime/sched/spin.h"
#include "runtime/access/stack.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>

static bool is_foreign(const pthread_rwlock_t *lock)
{
	return lock->__data.__shared;
}

static struct rt_object *object_of(pthread_rwlock_t *lock)
{
	struct rt_object *o = rt_object_get((uintptr_t)lock, RT_RWLOCK);
	if (o->lock == UINT32_MAX)
		o->lock = rt_new_lock();
	return o;
}

static struct rt_reader **reader_find(struct rt_object *o, const struct rt_thread *t)
{
	struct rt_reader **link = &o->readers;
	while (*link && (*link)->thread != t)
		link = &(*link)->next;
	return link;
}

static void reader_add(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	struct rt_reader **link = reader_find(o, self), *r = *link;
	if (!r) {
		r = *link = rt_alloc(sizeof(*r));
		r->thread = self;
		r->is_hidden = self->ignoring.sync;
		if (!r->is_hidden)
			rt_put(RT_ACQUIRE_SHARED, deadline != RT_NEVER, o->addr, rt_location(pc),
			       o->lock);
		if (!r->is_hidden && rt.orders_blocks)
			rt_sections_began(self->tid);
	}
	r->depth++;
}

static void writer_set(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	o->owner = self;
	o->taken_at = rt_location(pc);
	o->taken_by = self->as;
	o->is_hidden = self->ignoring.sync;
	if (!o->is_hidden)
		rt_put(RT_ACQUIRE, deadline != RT_NEVER, o->addr, o->taken_at, o->lock);
	if (!o->is_hidden && rt.orders_blocks)
		rt_sections_began(self->tid);
}

/* Returns whether the thread has to wait for the lock. */
static bool is_taken(const struct rt_object *o, bool to_read)
{
	const pthread_rwlock_t *lock = (const pthread_rwlock_t *)o->addr;
	const bool prefers_writers =
		lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
	return o->owner || (to_read ? prefers_writers && o->need : o->readers != NULL);
}

/* Waits until the thread can have the lock.  Returns false if the deadline passed first. */
static bool wait_for(struct rt_thread *self, struct rt_object *o, bool to_read, rt_time deadline,
		     uintptr_t pc)
{
	bool is_in_time = true;
	self->wait.at = rt_location(pc);
	self->wait.to_read = to_read;
	o->need += !to_read;
	while (is_in_time && is_taken(o, to_read) &&
	       !(self->cancel.was_requested && self->cancel.is_asynchronous))
		is_in_time = rt_sched_block(self, o, deadline);
	o->need -= !to_read;
	if (!to_read && o->need == 0 && !o->owner) /* [prefers] */
		rt_object_wake_all(o, 0);
	rt_cancel_anywhere(self);
	return is_in_time;
}

static int read_lock(struct rt_thread *self, pthread_rwlock_t *lock, rt_time deadline, uintptr_t pc)
{
	if (deadline == RT_INVALID)
		return EINVAL;
	if (rt.orders_blocks)
		rt_tasks_block_enter();
	struct rt_object *o = object_of(lock);
	if (o->owner == self)
		return EDEADLK;
	if (is_taken(o, true) && !wait_for(self, o, true, deadline, pc))
		return ETIMEDOUT;
	rt_lock_used_before(self, o, pc);
	reader_add(self, o, deadline, pc);
	rt_lock_used_behind(self, o, pc);
	return 0;
}

static int write_lock(struct rt_thread *self, pthread_rwlock_t *lock, rt_time deadline,
		      uintptr_t pc)
{
	if (deadline == RT_INVALID)
		return EINVAL;
	if (rt.orders_blocks)
		rt_tasks_block_enter();
	struct rt_object *o = object_of(lock);
	if (o->owner == self)
		return EDEADLK;
	if (is_taken(o, false) && !wait_for(self, o, false, deadline, pc))
		return ETIMEDOUT;
	rt_lock_used_before(self, o, pc);
	writer_set(self, o, deadline, pc);
	rt_lock_used_behind(self, o, pc);
	return 0;
}

static int unlock(struct rt_thread *self, pthread_rwlock_t *lock, uintptr_t pc)
{
	struct rt_object *o = object_of(lock);
	struct rt_reader **link = reader_find(o, self), *r = *link;
	rt_lock_used(self, o, pc);
	if (o->owner != self && !r)
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, pc);
	if (o->owner == self) {
		if (!o->is_hidden)
			rt_put(RT_RELEASE, 0, o->addr, rt_location(pc), o->lock);
		if (!o->is_hidden && rt.orders_blocks)
			rt_sections_ended(self->tid);
		o->owner = NULL;
	} else if (r && --r->depth == 0) {
		if (!r->is_hidden)
			rt_put(RT_RELEASE_SHARED, 0, o->addr, rt_location(pc), o->lock);
		if (!r->is_hidden && rt.orders_blocks)
			rt_sections_ended(self->tid);
		*link = r->next;
		rt_free(r, sizeof(*r));
	}
	if (!o->owner && !o->readers)
		rt_object_wake_all(o, 0);
	rt_tasks_freed();
	return 0;
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		rt_object_forget((uintptr_t)lock, RT_RWLOCK);
	}
	return rt_real.pthread_rwlock_init(lock, attr);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		struct rt_object *o = rt_object_find((uintptr_t)lock, RT_RWLOCK);
		if (o && (o->owner || o->readers))
			rt_misuse_of_lock(RT_MISUSE_DESTROY_LOCKED, o, RT_CALLER);
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		rt_object_forget((uintptr_t)lock, RT_RWLOCK);
	}
	return rt_real.pthread_rwlock_destroy(lock);
}

/* Defines a function that waits: its name, how it locks, and its deadline.  Without the runtime, or
 * if other processes share the lock, it calls the real function. */
#define LOCK(name, how, deadline, parameters, arguments)                 \
	RT_EXPORT int name parameters                                    \
	{                                                                \
		struct rt_thread *self = rt_sched_point();               \
		if (!self || is_foreign(lock))                           \
			return RT_OUTSIDE(self, rt_real.name arguments); \
		return how(self, lock, deadline, RT_CALLER);             \
	}
LOCK(pthread_rwlock_rdlock, read_lock, RT_NEVER, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_wrlock, write_lock, RT_NEVER, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_timedrdlock, read_lock, rt_deadline(CLOCK_REALTIME, at),
     (pthread_rwlock_t * lock, const struct timespec *at), (lock, at))
LOCK(pthread_rwlock_timedwrlock, write_lock, rt_deadline(CLOCK_REALTIME, at),
     (pthread_rwlock_t * lock, const struct timespec *at), (lock, at))
LOCK(pthread_rwlock_clockrdlock, read_lock, rt_deadline(clock, at),
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *at), (lock, clock, at))
LOCK(pthread_rwlock_clockwrlock, write_lock, rt_deadline(clock, at),
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *at), (lock, clock, at))

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self || is_foreign(lock))
		return rt_real.pthread_rwlock_tryrdlock(lock);
	rt_tasks_obstacle(RT_OBSTACLE_TRY_LOCK, RT_CALLER);
	struct rt_object *o = object_of(lock);
	if (is_taken(o, true)) {
		rt_spin_look(self, (uintptr_t)lock, o->owner ? o->owner->tid : UINT32_MAX);
		return EBUSY;
	}
	reader_add(self, o, RT_NO_WAIT, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self || is_foreign(lock))
		return rt_real.pthread_rwlock_trywrlock(lock);
	rt_tasks_obstacle(RT_OBSTACLE_TRY_LOCK, RT_CALLER);
	struct rt_object *o = object_of(lock);
	if (is_taken(o, false)) {
		rt_spin_look(self, (uintptr_t)lock, o->owner ? o->owner->tid : UINT32_MAX);
		return EBUSY;
	}
	writer_set(self, o, RT_NO_WAIT, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self || is_foreign(lock))
		return rt_real.pthread_rwlock_unlock(lock);
	return unlock(self, lock, RT_CALLER);
}
