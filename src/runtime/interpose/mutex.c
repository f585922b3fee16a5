/* SPDX-License-Identifier: Apache-2.0
 *
 * mutex.c - mutexes of all kinds
 *
 * Rules.  [lock]    Waits until the mutex has no owner; then acq(l).  If the owner locks it again:
 *                   a recursive mutex counts, one that checks errors returns EDEADLK, and with
 *                   any other the thread waits for itself, which is a deadlock.
 *         [unlock]  At the outermost level: rel(l), and wakes one thread that waits.  If another
 *                   thread than the owner unlocks it: the kinds that check refuse.  With any
 *                   other kind the mutex is free then.  A trace has no rel(l) without an owner, so
 *                   the runtime records nothing and gives the lock a new number.
 *         [foreign] If other processes share the mutex, the kernel knows its owner.  The runtime
 *                   calls the real functions, and records acq(l) and rel(l) between them.
 *         [free]    Likewise for all but robust mutexes if threads run in parallel.  Then these
 *                   functions do not enter the runtime and keep no state: the recorder
 *                   follows the owners of locks (record/merge_locks.h).
 *         [robust]  If the owner ends, the next lock returns EOWNERDEAD, and the end of the owner
 *                   comes before it.  If the thread that has locked it then unlocks
 *                   the mutex without making it consistent, every later lock returns
 *                   ENOTRECOVERABLE.
 *         [hidden]  In a program of tasks, locks of libgfortran, which guard its files, are no
 *                   events: they order nothing that the program may rely on, and would be an
 *                   obstacle to the verdict.
 *         [invalid] glibc gives a destroyed mutex the kind -1.  Every use of it returns EINVAL.
 *         [time]    An invalid time is an error only where the lock would have to wait.
 */
#include "runtime/interpose/mutex.h"

#include "runtime/interpose/deadline.h"
#include "runtime/interpose/lock.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/channel/record.h"
#include "runtime/sched/free.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>

enum { /* glibc's __kind */
       KIND_MASK = 3,
       KIND_ROBUST = 16,
       KIND_PRIORITY = 32 | 64,
       KIND_SHARED = 128,
       KIND_ELISION = 256 | 512
};

static bool has_invalid_kind(const pthread_mutex_t *mutex)
{
	const int known = KIND_MASK | KIND_ROBUST | KIND_PRIORITY | KIND_SHARED | KIND_ELISION;
	return mutex->__data.__kind & ~known;
}

/* [free] */
static bool is_parallel(const pthread_mutex_t *mutex)
{
	return rt.is_free && !(mutex->__data.__kind & KIND_ROBUST) && !has_invalid_kind(mutex);
}

/* glibc sets the same bit for robust mutexes; pthread_mutex_init has noted those. */
bool rt_mutex_is_foreign(const pthread_mutex_t *mutex)
{
	if (rt_likely(!(mutex->__data.__kind & KIND_SHARED)) || has_invalid_kind(mutex))
		return false;
	if (is_parallel(mutex))
		return true;
	const struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	return !o || !o->is_robust;
}

/* Returns whether the C library locks the mutex: [foreign] [free]. */
static bool is_real(const pthread_mutex_t *mutex)
{
	return is_parallel(mutex) || rt_mutex_is_foreign(mutex);
}

static struct rt_thread *mutex_point(const pthread_mutex_t *mutex)
{
	rt_begin_once();
	return is_parallel(mutex) ? rt_free_point() : rt_sched_point();
}

/* Calls the real function, which may wait. */
#define REAL(self, mutex, call)                           \
	({                                                \
		int real_rc;                              \
		if (is_parallel(mutex)) {                 \
			rt_free_out(self);                \
			real_rc = (call);                 \
			rt_free_in(self);                 \
		} else {                                  \
			real_rc = RT_OUTSIDE(self, call); \
		}                                         \
		real_rc;                                  \
	})

static bool is_owner(const struct rt_thread *self, const pthread_mutex_t *mutex)
{
	return mutex->__data.__owner == self->kernel_tid;
}

static int kind_of(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & KIND_MASK;
}

/* [invalid] */
static bool is_invalid(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if (rt_likely(!has_invalid_kind(mutex)))
		return false;
	rt_misuse(RT_MISUSE_INVALID, (uintptr_t)mutex, pc);
	return true;
}

int rt_mutex_take(struct rt_thread *self, pthread_mutex_t *mutex, rt_time deadline, uintptr_t pc)
{
	if (is_invalid(mutex, pc))
		return EINVAL;
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner == self && kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
		o->depth++;
		return 0;
	}
	if (o->owner == self && kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	if (o->owner == self && deadline == RT_NEVER)
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, pc);
	if (o->owner && deadline == RT_INVALID)
		return EINVAL;
	if (o->is_lost)
		return ENOTRECOVERABLE;
	if (!rt_lock_await(self, o, deadline, pc))
		return ETIMEDOUT;
	if (o->is_lost) { /* in the meantime; the next thread gets this answer, too */
		rt_object_wake_one(o, 0);
		return ENOTRECOVERABLE;
	}
	rt_lock_used_before(self, o, pc);
	if (o->is_dead && o->is_robust) /* [robust] */
		rt_sync_put(RT_SYNC_READ, 0, o->addr, rt_location(pc), o->token);
	rt_lock_begin(self, o, 1, deadline, pc);
	rt_lock_used_behind(self, o, pc);
	if (o->is_dead && o->is_robust) {
		o->is_dead = false;
		o->is_inconsistent = true;
		return EOWNERDEAD;
	}
	return 0;
}

static void owner_ends(struct rt_object *o)
{
	if (o->kind != RT_MUTEX || o->owner != rt_hot.self)
		return;
	if (!o->is_robust && !o->is_foreign)
		rt_misuse_kept(rt_hot.self, o);
	if (!o->is_robust)
		return;
	o->is_dead = true;
	o->token = rt_token();
	rt_sync_put(RT_SYNC_WRITE, 0, o->addr, rt_location(RT_CALLER), o->token);
	rt_lock_end(o, RT_CALLER);
}

void rt_mutex_owner_ends(void)
{
	if (rt_hot.self->held.n)
		rt_object_each(owner_ends);
}

static bool is_checked(const pthread_mutex_t *mutex)
{
	return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
	       kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || mutex->__data.__kind & KIND_ROBUST;
}

bool rt_mutex_refuses(struct rt_thread *self, const pthread_mutex_t *mutex)
{
	const struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	if (!is_checked(mutex))
		return false;
	return is_parallel(mutex) ? !is_owner(self, mutex) : !o || o->owner != self;
}

int rt_mutex_give(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	if (is_invalid(mutex, pc))
		return EINVAL;
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	rt_lock_used(self, o, pc);
	if (o->owner != self) {
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, pc);
		if (is_checked(mutex))
			return EPERM;
		if (o->owner)
			o->owner->held.n--;
		o->owner = NULL;
		o->lock = UINT32_MAX;
		rt_object_wake_one(o, 0);
		return 0;
	}
	if (o->depth > 1) {
		o->depth--;
	} else {
		o->is_lost = o->is_inconsistent;
		rt_lock_end(o, pc);
	}
	return 0;
}

/* [free] Works as rt_mutex_give_all(). */
static uint32_t parallel_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	uint32_t depth = kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ? mutex->__data.__count : 1;
	if (!is_owner(self, mutex))
		rt_misuse(RT_MISUSE_WAIT_UNLOCKED, (uintptr_t)mutex, pc);
	for (uint32_t i = 0; is_owner(self, mutex) && i < depth; i++) {
		rt_lock_put_parallel(false, false, mutex, pc);
		rt_real.pthread_mutex_unlock(mutex);
	}
	return depth;
}

static void parallel_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth,
			      uintptr_t pc)
{
	for (uint32_t i = 0; i < depth; i++) {
		RT_OUTSIDE(self, rt_real.pthread_mutex_lock(mutex));
		rt_lock_put_parallel(true, false, mutex, pc);
	}
}

uint32_t rt_mutex_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	if (is_parallel(mutex))
		return parallel_give_all(self, mutex, pc);
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	uint32_t depth = o->depth;
	rt_lock_used(self, o, pc);
	if (o->owner == self)
		rt_lock_end(o, pc);
	else
		rt_misuse_of_lock(RT_MISUSE_WAIT_UNLOCKED, o, pc);
	return depth;
}

void rt_mutex_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth, uintptr_t pc)
{
	if (is_parallel(mutex)) {
		parallel_take_all(self, mutex, depth, pc);
		return;
	}
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	rt_lock_await(self, o, RT_NEVER, pc);
	rt_lock_begin(self, o, depth ? depth : 1, RT_NEVER, pc);
}

/* The real function returned `rc`; it would have waited until the deadline. */
static int real_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, rt_time deadline,
		      uintptr_t pc)
{
	if (rc != 0 && rc != EOWNERDEAD)
		return rc;
	if (is_parallel(mutex)) {
		rt_lock_put_parallel(true, deadline != RT_NEVER, mutex, pc);
		return rc;
	}
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	o->is_foreign = true;
	if (o->owner == self)
		o->depth++;
	else /* the runtime does not know how long the kernel would have waited */
		rt_lock_begin(self, o, 1, RT_NO_WAIT, pc);
	return rc;
}

int rt_mutex_foreign_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, uintptr_t pc)
{
	return real_taken(self, mutex, rc, RT_NEVER, pc);
}

void rt_mutex_foreign_given(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	if (is_parallel(mutex)) {
		if (!is_owner(self, mutex))
			rt_misuse(RT_MISUSE_UNLOCK, (uintptr_t)mutex, pc);
		if (!is_checked(mutex) || is_owner(self, mutex))
			rt_lock_put_parallel(false, false, mutex, pc);
		return;
	}
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner == self && --o->depth == 0)
		rt_lock_end(o, pc);
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	RT_SCOPE;
	int robust = PTHREAD_MUTEX_STALLED, shared = PTHREAD_PROCESS_PRIVATE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)mutex, RT_CALLER);
		rt_lock_forget(mutex, RT_CALLER);
		if (attr) {
			pthread_mutexattr_getrobust(attr, &robust);
			pthread_mutexattr_getpshared(attr, &shared);
		}
		if (robust == PTHREAD_MUTEX_ROBUST && shared == PTHREAD_PROCESS_PRIVATE)
			rt_object_get((uintptr_t)mutex, RT_MUTEX)->is_robust = true;
	}
	return rt_real.pthread_mutex_init(mutex, attr);
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
		if (is_invalid(mutex, RT_CALLER))
			return EINVAL;
		if (o && o->owner) {
			rt_misuse_of_lock(RT_MISUSE_DESTROY_LOCKED, o, RT_CALLER);
			return EBUSY;
		}
		if (is_parallel(mutex) && mutex->__data.__lock) {
			rt_misuse(RT_MISUSE_DESTROY_LOCKED, (uintptr_t)mutex, RT_CALLER);
			return EBUSY;
		}
		rt_lock_written((uintptr_t)mutex, RT_CALLER);
		rt_lock_forget(mutex, RT_CALLER);
	}
	return rt_real.pthread_mutex_destroy(mutex);
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = mutex_point(mutex);
	if (!self)
		return rt_real.pthread_mutex_lock(mutex);
	if (is_parallel(mutex) && is_owner(self, mutex) && !is_checked(mutex))
		rt_misuse(RT_MISUSE_DOUBLE_LOCK, (uintptr_t)mutex, RT_CALLER);
	if (is_parallel(mutex) &&
	    rt_real.pthread_mutex_trylock(mutex) == 0) /* mostly the thread need not wait */
		return real_taken(self, mutex, 0, RT_NEVER, RT_CALLER);
	if (is_real(mutex))
		return real_taken(self, mutex, REAL(self, mutex, rt_real.pthread_mutex_lock(mutex)),
				  RT_NEVER, RT_CALLER);
	return rt_mutex_take(self, mutex, RT_NEVER, RT_CALLER);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = mutex_point(mutex);
	if (!self)
		return rt_real.pthread_mutex_trylock(mutex);
	if (is_real(mutex))
		return real_taken(self, mutex, rt_real.pthread_mutex_trylock(mutex), RT_NO_WAIT,
				  RT_CALLER);
	if (!rt_lock_is_hidden(RT_CALLER))
		rt_tasks_obstacle(RT_OBSTACLE_TRY_LOCK, RT_CALLER);
	if (is_invalid(mutex, RT_CALLER))
		return EINVAL;
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
	struct rt_thread *self = mutex_point(mutex);
	if (!self)
		return rt_real.pthread_mutex_clocklock(mutex, clock, at);
	if (is_real(mutex))
		return real_taken(
			self, mutex,
			REAL(self, mutex, rt_real.pthread_mutex_clocklock(mutex, clock, at)),
			RT_NO_WAIT, RT_CALLER);
	return rt_mutex_take(self, mutex, rt_deadline(clock, at), RT_CALLER);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = mutex_point(mutex);
	if (!self)
		return rt_real.pthread_mutex_timedlock(mutex, at);
	if (is_real(mutex))
		return real_taken(self, mutex,
				  REAL(self, mutex, rt_real.pthread_mutex_timedlock(mutex, at)),
				  RT_NO_WAIT, RT_CALLER);
	return rt_mutex_take(self, mutex, rt_deadline(CLOCK_REALTIME, at), RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = mutex_point(mutex);
	if (!self)
		return rt_real.pthread_mutex_unlock(mutex);
	if (is_real(mutex)) {
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
	if (!rt_enter() || is_real(mutex))
		return rt_real.pthread_mutex_consistent(mutex);
	struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	if (!o || !o->is_inconsistent || o->is_lost)
		return EINVAL;
	o->is_inconsistent = false;
	return 0;
}
