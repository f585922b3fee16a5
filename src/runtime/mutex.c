/* SPDX-License-Identifier: Apache-2.0
 *
 * mutex.c - mutexes of all kinds, and spin locks
 *
 * Rules.  [lock]    waits until nobody holds it; then acq(l).  A thread that holds it
 *                   goes deeper if it is recursive, gets EDEADLK if it checks errors,
 *                   and otherwise waits for itself: a deadlock.
 *         [unlock]  at the outermost level rel(l), and one of those who wait may try.
 *                   Somebody else's unlock is refused by the kinds that check, and is
 *                   otherwise believed: rel(l) needs an owner in a trace, so nothing is
 *                   recorded but the lock gets a new number.
 *         [foreign] one that other processes share is the kernel's; acq(l) and rel(l) are
 *                   recorded between its lock and unlock
 *         [robust]  the end of a thread that holds it is seen by the next lock
 *                   (EOWNERDEAD).  If that thread unlocks it without making it consistent,
 *                   no thread gets it any more (ENOTRECOVERABLE).
 *         [time]    an invalid time is an error where the lock would have to wait
 */
#include "runtime/mutex.h"

#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/spin.h"
#include "runtime/stack.h"
#include "runtime/sys.h"
#include "runtime/tasks.h"

#include <errno.h>

enum { KIND_MASK = 3, KIND_ROBUST = 16, KIND_SHARED = 128 }; /* glibc's __kind */

static bool has_robust; /* there is, or was, a robust one */

rt_time rt_deadline(clockid_t clock, const struct timespec *at)
{
	struct timespec now;
	if (at->tv_nsec < 0 || at->tv_nsec >= 1000000000 ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return RT_INVALID;
	clock_gettime(clock, &now);
	int64_t left =
		(int64_t)(at->tv_sec - now.tv_sec) * 1000000000 + (at->tv_nsec - now.tv_nsec);
	return rt_sys_now() + (left > 0 ? (rt_time)left : 0);
}

/* glibc sets the same bit for robust mutexes: those were seen by pthread_mutex_init. */
bool rt_mutex_is_foreign(const pthread_mutex_t *mutex)
{
	if (rt_likely(!(mutex->__data.__kind & KIND_SHARED)))
		return false;
	const struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	return !o || !o->is_robust;
}

static int kind_of(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & KIND_MASK;
}

/* A lock that is free becomes that of self, which would have waited until the deadline for it. */
static void lock_begin(struct rt_thread *self, struct rt_object *o, uint32_t depth,
		       rt_time deadline, uintptr_t pc)
{
	o->owner = self;
	o->depth = depth;
	if (o->lock == UINT32_MAX)
		o->lock = rt_new_lock();
	rt_put(RT_ACQUIRE, deadline != RT_NEVER, o->addr, rt_location(pc), o->lock);
}

static void lock_end(struct rt_object *o, uintptr_t pc)
{
	rt_put(RT_RELEASE, 0, o->addr, rt_location(pc), o->lock);
	o->owner = NULL;
	o->depth = 0;
	rt_object_wake_one(o, 0);
}

static bool is_free(void *lock)
{
	return !((const struct rt_object *)lock)->owner;
}

static bool lock_wait(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	if (o->owner)
		self->waits_at = rt_location(pc);
	while (o->owner)
		if (!(o->owner != self && rt_tasks_wait(is_free, o)) &&
		    !rt_sched_block(self, o, deadline))
			return false;
	return true;
}

int rt_mutex_take(struct rt_thread *self, pthread_mutex_t *mutex, rt_time deadline, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner == self && kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
		o->depth++;
		return 0;
	}
	if (o->owner == self && kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	if (o->owner && deadline == RT_INVALID)
		return EINVAL;
	if (o->is_lost)
		return ENOTRECOVERABLE;
	if (!lock_wait(self, o, deadline, pc))
		return ETIMEDOUT;
	if (o->is_lost) { /* meanwhile; the next one is told, too */
		rt_object_wake_one(o, 0);
		return ENOTRECOVERABLE;
	}
	lock_begin(self, o, 1, deadline, pc);
	if (o->is_dead && o->is_robust) {
		o->is_dead = false;
		o->is_inconsistent = true;
		return EOWNERDEAD;
	}
	return 0;
}

static void owner_ends(struct rt_object *o)
{
	if (o->kind != RT_MUTEX || !o->is_robust || o->owner != rt_hot.self)
		return;
	o->is_dead = true;
	lock_end(o, RT_CALLER);
}

void rt_mutex_owner_ends(void)
{
	if (has_robust)
		rt_object_each(owner_ends);
}

static bool is_checked(const pthread_mutex_t *mutex)
{
	return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
	       kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || mutex->__data.__kind & KIND_ROBUST;
}

int rt_mutex_give(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner != self) {
		if (is_checked(mutex))
			return EPERM;
		o->owner = NULL;
		o->lock = UINT32_MAX;
		rt_object_wake_one(o, 0);
		return 0;
	}
	if (o->depth > 1) {
		o->depth--;
	} else {
		o->is_lost = o->is_inconsistent;
		lock_end(o, pc);
	}
	return 0;
}

uint32_t rt_mutex_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	uint32_t depth = o->depth;
	if (o->owner == self)
		lock_end(o, pc);
	return depth;
}

void rt_mutex_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	lock_wait(self, o, RT_NEVER, pc);
	lock_begin(self, o, depth ? depth : 1, RT_NEVER, pc);
}

int rt_mutex_foreign_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (rc != 0 && rc != EOWNERDEAD)
		return rc;
	if (o->owner == self)
		o->depth++;
	else /* how long the kernel would have waited is not known */
		lock_begin(self, o, 1, RT_NO_WAIT, pc);
	return rc;
}

void rt_mutex_foreign_given(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner == self && --o->depth == 0)
		lock_end(o, pc);
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	RT_SCOPE;
	int robust = PTHREAD_MUTEX_STALLED, shared = PTHREAD_PROCESS_PRIVATE;
	if (rt_enter()) {
		rt_object_forget((uintptr_t)mutex, RT_MUTEX);
		if (attr) {
			pthread_mutexattr_getrobust(attr, &robust);
			pthread_mutexattr_getpshared(attr, &shared);
		}
		if (robust == PTHREAD_MUTEX_ROBUST && shared == PTHREAD_PROCESS_PRIVATE)
			rt_object_get((uintptr_t)mutex, RT_MUTEX)->is_robust = has_robust = true;
	}
	return rt_real.pthread_mutex_init(mutex, attr);
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	if (rt_enter()) {
		struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
		if (o && o->owner)
			return EBUSY;
		rt_object_forget((uintptr_t)mutex, RT_MUTEX);
	}
	return rt_real.pthread_mutex_destroy(mutex);
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_mutex_lock(mutex);
	if (rt_mutex_is_foreign(mutex))
		return rt_mutex_foreign_taken(self, mutex,
					      RT_OUTSIDE(self, rt_real.pthread_mutex_lock(mutex)),
					      RT_CALLER);
	return rt_mutex_take(self, mutex, RT_NEVER, RT_CALLER);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_mutex_trylock(mutex);
	if (rt_mutex_is_foreign(mutex))
		return rt_mutex_foreign_taken(self, mutex, rt_real.pthread_mutex_trylock(mutex),
					      RT_CALLER);
	rt_tasks_asked(RT_ASKED_LOCK, RT_CALLER);
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->is_lost)
		return ENOTRECOVERABLE;
	if (o->owner && (o->owner != self || kind_of(mutex) != PTHREAD_MUTEX_RECURSIVE)) {
		rt_spin_look(self, (uintptr_t)mutex, o->owner->tid);
		return EBUSY;
	}
	return rt_mutex_take(self, mutex, RT_NO_WAIT, RT_CALLER);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				      const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_mutex_clocklock(mutex, clock, at);
	if (rt_mutex_is_foreign(mutex))
		return rt_mutex_foreign_taken(
			self, mutex,
			RT_OUTSIDE(self, rt_real.pthread_mutex_clocklock(mutex, clock, at)),
			RT_CALLER);
	return rt_mutex_take(self, mutex, rt_deadline(clock, at), RT_CALLER);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_mutex_timedlock(mutex, at);
	if (rt_mutex_is_foreign(mutex))
		return rt_mutex_foreign_taken(
			self, mutex, RT_OUTSIDE(self, rt_real.pthread_mutex_timedlock(mutex, at)),
			RT_CALLER);
	return rt_mutex_take(self, mutex, rt_deadline(CLOCK_REALTIME, at), RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_mutex_unlock(mutex);
	if (rt_mutex_is_foreign(mutex)) {
		rt_mutex_foreign_given(self, mutex, RT_CALLER);
		return rt_real.pthread_mutex_unlock(mutex);
	}
	int rc = rt_mutex_give(self, mutex, RT_CALLER);
	rt_tasks_freed();
	return rc;
}

RT_EXPORT int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	if (!rt_enter() || rt_mutex_is_foreign(mutex))
		return rt_real.pthread_mutex_consistent(mutex);
	struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	if (!o || !o->is_inconsistent || o->is_lost)
		return EINVAL;
	o->is_inconsistent = false;
	return 0;
}

/* Spin locks are mutexes without kinds. */

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	RT_SCOPE;
	if (rt_enter())
		rt_object_forget((uintptr_t)lock, RT_MUTEX);
	return rt_real.pthread_spin_init(lock, shared);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	if (rt_enter())
		rt_object_forget((uintptr_t)lock, RT_MUTEX);
	return rt_real.pthread_spin_destroy(lock);
}

static struct rt_object *spin_object(pthread_spinlock_t *lock)
{
	struct rt_object *o = rt_object_get((uintptr_t)lock, RT_MUTEX);
	o->is_spin = true;
	return o;
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_spin_lock(lock);
	struct rt_object *o = spin_object(lock);
	lock_wait(self, o, RT_NEVER, RT_CALLER);
	lock_begin(self, o, 1, RT_NEVER, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_spin_trylock(lock);
	rt_tasks_asked(RT_ASKED_LOCK, RT_CALLER);
	struct rt_object *o = spin_object(lock);
	if (o->owner) {
		rt_spin_look(self, (uintptr_t)lock, o->owner->tid);
		return EBUSY;
	}
	lock_begin(self, o, 1, RT_NO_WAIT, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_spin_unlock(lock);
	struct rt_object *o = spin_object(lock);
	if (o->owner == self)
		lock_end(o, RT_CALLER);
	return 0;
}
