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
 *         [free]    So are all others if threads run in parallel, but for robust ones.  These
 *                   functions do not enter the runtime then, and keep nothing: the recorder
 *                   follows who holds a lock (record/merge_locks.h).
 *         [robust]  the end of a thread that holds it is seen by the next lock
 *                   (EOWNERDEAD), which comes after it.  If that thread unlocks it without making it consistent,
 *                   no thread gets it any more (ENOTRECOVERABLE).
 *         [hidden]  In a program of tasks, the locks of libgfortran, which guard its files, are no
 *                   events: they order nothing that the program may rely on, and would stand in
 *                   the way of a verdict.
 *         [invalid] glibc marks a destroyed mutex by its kind, -1: every use is an error, EINVAL
 *         [time]    an invalid time is an error where the lock would have to wait
 */
#include "runtime/interpose/mutex.h"

#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/modules.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/sched/free.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/answers.h"
#include "runtime/sys.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>

enum { /* glibc's __kind */
       KIND_MASK = 3,
       KIND_ROBUST = 16,
       KIND_PRIORITY = 32 | 64,
       KIND_SHARED = 128,
       KIND_ELISION = 256 | 512
};

rt_time rt_deadline(clockid_t clock, const struct timespec *at)
{
	if (at->tv_nsec < 0 || at->tv_nsec >= 1000000000 ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return RT_INVALID;
	const struct timespec now = rt_answers_now(clock);
	int64_t left =
		(int64_t)(at->tv_sec - now.tv_sec) * 1000000000 + (at->tv_nsec - now.tv_nsec);
	return rt_sys_now() + (left > 0 ? (rt_time)left : 0);
}

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

/* glibc sets the same bit for robust mutexes: those were seen by pthread_mutex_init. */
bool rt_mutex_is_foreign(const pthread_mutex_t *mutex)
{
	if (rt_likely(!(mutex->__data.__kind & KIND_SHARED)) || has_invalid_kind(mutex))
		return false;
	if (is_parallel(mutex))
		return true;
	const struct rt_object *o = rt_object_find((uintptr_t)mutex, RT_MUTEX);
	return !o || !o->is_robust;
}

/* The C library has it: [foreign] [free]. */
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

/* [free] Records it; the recorder knows which lock it is. */
static void put_parallel(bool is_taken, bool gives_up, const volatile void *at, uintptr_t pc)
{
	rt_lane_mutex(is_taken, gives_up, (uintptr_t)at, rt_location(pc));
}

static bool is_owner(const struct rt_thread *self, const pthread_mutex_t *mutex)
{
	return mutex->__data.__owner == self->kernel_tid;
}

static int kind_of(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & KIND_MASK;
}

/* [hidden] */
static bool is_hidden(uintptr_t pc)
{
	return rt.is_of_tasks && rt_modules_is_fortran(pc);
}

/* A lock that is free becomes that of self, which would have waited until the deadline for it. */
static void lock_begin(struct rt_thread *self, struct rt_object *o, uint32_t depth,
		       rt_time deadline, uintptr_t pc)
{
	o->owner = self;
	self->nheld++;
	o->depth = depth;
	o->taken_at = rt_location(pc);
	o->taken_by = self->as;
	o->is_hidden = is_hidden(pc) || self->ignores_sync;
	if (o->is_hidden)
		return;
	if (o->lock == UINT32_MAX)
		o->lock = rt_new_lock();
	rt_put(RT_ACQUIRE, deadline != RT_NEVER, o->addr, o->taken_at, o->lock);
}

/* [invalid] */
static bool is_invalid(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if (rt_likely(!has_invalid_kind(mutex)))
		return false;
	rt_misuse(RT_MISUSE_INVALID, (uintptr_t)mutex, pc);
	return true;
}

static void lock_end(struct rt_object *o, uintptr_t pc)
{
	if (!o->is_hidden)
		rt_put(RT_RELEASE, 0, o->addr, rt_location(pc), o->lock);
	o->owner->nheld--;
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
	if (!lock_wait(self, o, deadline, pc))
		return ETIMEDOUT;
	if (o->is_lost) { /* meanwhile; the next one is told, too */
		rt_object_wake_one(o, 0);
		return ENOTRECOVERABLE;
	}
	rt_lock_used_before(self, o, pc);
	if (o->is_dead && o->is_robust) /* [robust] */
		rt_sync_put(RT_SYNC_READ, 0, o->addr, rt_location(pc), o->token);
	lock_begin(self, o, 1, deadline, pc);
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
	lock_end(o, RT_CALLER);
}

void rt_mutex_owner_ends(void)
{
	if (rt_hot.self->nheld)
		rt_object_each(owner_ends);
}

static bool is_checked(const pthread_mutex_t *mutex)
{
	return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
	       kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || mutex->__data.__kind & KIND_ROBUST;
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
			o->owner->nheld--;
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

/* [free] The same. */
static uint32_t parallel_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
	uint32_t depth = kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ? mutex->__data.__count : 1;
	if (!is_owner(self, mutex))
		rt_misuse(RT_MISUSE_WAIT_UNLOCKED, (uintptr_t)mutex, pc);
	for (uint32_t i = 0; is_owner(self, mutex) && i < depth; i++) {
		put_parallel(false, false, mutex, pc);
		rt_real.pthread_mutex_unlock(mutex);
	}
	return depth;
}

static void parallel_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth,
			      uintptr_t pc)
{
	for (uint32_t i = 0; i < depth; i++) {
		RT_OUTSIDE(self, rt_real.pthread_mutex_lock(mutex));
		put_parallel(true, false, mutex, pc);
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
		lock_end(o, pc);
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
	lock_wait(self, o, RT_NEVER, pc);
	lock_begin(self, o, depth ? depth : 1, RT_NEVER, pc);
}

/* It would have waited until the deadline. */
static int real_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, rt_time deadline,
		      uintptr_t pc)
{
	if (rc != 0 && rc != EOWNERDEAD)
		return rc;
	if (is_parallel(mutex)) {
		put_parallel(true, deadline != RT_NEVER, mutex, pc);
		return rc;
	}
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	o->is_foreign = true;
	if (o->owner == self)
		o->depth++;
	else /* how long the kernel would have waited is not known */
		lock_begin(self, o, 1, RT_NO_WAIT, pc);
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
			put_parallel(false, false, mutex, pc);
		return;
	}
	struct rt_object *o = rt_object_get((uintptr_t)mutex, RT_MUTEX);
	if (o->owner == self && --o->depth == 0)
		lock_end(o, pc);
}

/* What is locked there next is another lock. */
static void lock_forget(const volatile void *lock)
{
	if (rt.is_free)
		rt_put(RT_LOCK_ENDS, 0, (uintptr_t)lock, rt_location(RT_CALLER), UINT32_MAX);
	rt_object_forget((uintptr_t)lock, RT_MUTEX);
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	RT_SCOPE;
	int robust = PTHREAD_MUTEX_STALLED, shared = PTHREAD_PROCESS_PRIVATE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)mutex, RT_CALLER);
		lock_forget(mutex);
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
		lock_forget(mutex);
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
	if (is_parallel(mutex) && rt_real.pthread_mutex_trylock(mutex) == 0) /* no wait: mostly */
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
	if (!is_hidden(RT_CALLER))
		rt_tasks_asked(RT_ASKED_LOCK, RT_CALLER);
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

/* Spin locks are mutexes without kinds. */

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		lock_forget(lock);
	}
	return rt_real.pthread_spin_init(lock, shared);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		struct rt_object *o = rt_object_find((uintptr_t)lock, RT_MUTEX);
		if (o && o->owner)
			rt_misuse_of_lock(RT_MISUSE_DESTROY_LOCKED, o, RT_CALLER);
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		lock_forget(lock);
	}
	return rt_real.pthread_spin_destroy(lock);
}

static struct rt_object *spin_object(pthread_spinlock_t *lock)
{
	struct rt_object *o = rt_object_get((uintptr_t)lock, RT_MUTEX);
	o->is_spin = true;
	return o;
}

static struct rt_thread *spin_point(void)
{
	rt_begin_once();
	return rt.is_free ? rt_free_point() : rt_sched_point();
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_lock(lock);
	if (rt.is_free) {
		rt_free_out(self);
		rt_real.pthread_spin_lock(lock);
		rt_free_in(self);
		put_parallel(true, false, lock, RT_CALLER);
		return 0;
	}
	struct rt_object *o = spin_object(lock);
	if (o->owner == self)
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, RT_CALLER);
	lock_wait(self, o, RT_NEVER, RT_CALLER);
	lock_begin(self, o, 1, RT_NEVER, RT_CALLER);
	rt_lock_used(self, o, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_trylock(lock);
	if (rt.is_free) {
		int rc = rt_real.pthread_spin_trylock(lock);
		if (rc == 0)
			put_parallel(true, true, lock, RT_CALLER);
		return rc;
	}
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
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_unlock(lock);
	if (rt.is_free) {
		put_parallel(false, false, lock, RT_CALLER);
		return rt_real.pthread_spin_unlock(lock);
	}
	struct rt_object *o = spin_object(lock);
	rt_lock_used(self, o, RT_CALLER);
	if (o->owner == self)
		lock_end(o, RT_CALLER);
	else
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, RT_CALLER);
	return 0;
}
