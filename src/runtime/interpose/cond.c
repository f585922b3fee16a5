/* SPDX-License-Identifier: Apache-2.0
 *
 * cond.c - condition variables
 *
 * Rules.  [wait]    rel(m), then the thread blocks; when it wakes, it reads the token of the
 *                   signal, then acq(m)
 *         [signal]  if a thread waits: writes a token (sync.h), and wakes one thread with it
 *         [broadcast]  wakes all threads that wait; if they are several, the token is fresh
 *         [owner]   a mutex that checks its owner refuses the wait of another thread (EPERM)
 *         [one]     threads that wait at the same time must use one mutex: misuse.h
 *         The token orders the signal before the return of the wait that it ended, in every
 *         reordering too.  A signal that wakes no thread makes no event.
 */
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"

#include <errno.h>

/* The thread was woken with a token. */
static void token_read(const struct rt_thread *self, uintptr_t cond, uint32_t loc)
{
	if (self->wait.is_only)
		rt_sync_receive(cond, loc, self->wait.token);
	else
		rt_sync_put(RT_SYNC_READ, 0, cond, loc, self->wait.token);
}

static int cond_wait(struct rt_thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
		     rt_time deadline, uintptr_t pc)
{
	if (deadline == RT_INVALID)
		return EINVAL;
	if (rt_mutex_refuses(self, mutex)) {
		rt_misuse(RT_MISUSE_WAIT_UNLOCKED, (uintptr_t)mutex, pc);
		return EPERM;
	}
	rt_cancel_point(self);
	struct rt_object *o = rt_object_get((uintptr_t)cond, RT_COND);
	rt_lock_used(self, o, pc);
	if (!o->first_waiter)
		o->value = (int64_t)(uintptr_t)mutex;
	else if (o->value != (int64_t)(uintptr_t)mutex) /* [one] */
		rt_misuse(RT_MISUSE_WAIT_OTHER, (uintptr_t)cond, pc);
	uint32_t depth = rt_mutex_give_all(self, mutex, pc);
	self->wait.at = rt_location(pc);
	self->wait.is_only = false;
	bool is_woken = rt_sched_block(self, o, deadline);
	if (is_woken && !self->wait.was_interrupted)
		token_read(self, (uintptr_t)cond, rt_location(pc));
	rt_mutex_take_all(self, mutex, depth, pc);
	rt_cancel_point(self); /* cleanup handlers find the mutex locked */
	return is_woken ? 0 : ETIMEDOUT;
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)cond, RT_CALLER);
		rt_object_forget((uintptr_t)cond, RT_COND);
	}
	return rt_real.pthread_cond_init(cond, attr);
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		const struct rt_object *o = rt_object_find((uintptr_t)cond, RT_COND);
		if (o && o->first_waiter)
			rt_misuse(RT_MISUSE_DESTROY_WAITED, (uintptr_t)cond, RT_CALLER);
		rt_lock_written((uintptr_t)cond, RT_CALLER);
		rt_object_forget((uintptr_t)cond, RT_COND);
	}
	return rt_real.pthread_cond_destroy(cond);
}

/* With a mutex that other processes share, the C library and the kernel do all the work. */
#define FOREIGN(self, mutex, call)                                         \
	({                                                                 \
		rt_mutex_foreign_given(self, mutex, RT_CALLER);            \
		int foreign_rc = RT_OUTSIDE(self, call);                   \
		if (foreign_rc != EPERM)                                   \
			rt_mutex_foreign_taken(self, mutex, 0, RT_CALLER); \
		foreign_rc;                                                \
	})

RT_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_cond_wait(cond, mutex);
	if (rt_mutex_is_foreign(mutex))
		return FOREIGN(self, mutex, rt_real.pthread_cond_wait(cond, mutex));
	return cond_wait(self, cond, mutex, RT_NEVER, RT_CALLER);
}

/* The clock that pthread_condattr_setclock chose: glibc keeps it in the second bit of
 * __wrefs. */
static clockid_t cond_clock(const pthread_cond_t *cond)
{
	return cond->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				     const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_cond_timedwait(cond, mutex, at);
	if (rt_mutex_is_foreign(mutex))
		return FOREIGN(self, mutex, rt_real.pthread_cond_timedwait(cond, mutex, at));
	return cond_wait(self, cond, mutex, rt_deadline(cond_clock(cond), at), RT_CALLER);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_cond_clockwait(cond, mutex, clock, at);
	if (rt_mutex_is_foreign(mutex))
		return FOREIGN(self, mutex, rt_real.pthread_cond_clockwait(cond, mutex, clock, at));
	return cond_wait(self, cond, mutex, rt_deadline(clock, at), RT_CALLER);
}

/* Returns false if no thread waits in the scheduler. */
static bool cond_signal(pthread_cond_t *cond, bool to_all, uintptr_t pc)
{
	struct rt_object *o = rt_object_get((uintptr_t)cond, RT_COND);
	rt_lock_used(rt_hot.self, o, pc);
	if (!o->first_waiter)
		return false;
	const uint32_t loc = rt_location(pc);
	struct rt_thread *first = o->first_waiter;
	if (to_all && first->wait.next) {
		uint32_t token = rt_token();
		rt_sync_put(RT_SYNC_WRITE, 0, (uintptr_t)cond, loc, token);
		rt_object_wake_all(o, token);
		return true;
	}
	first->wait.is_only = true;
	rt_object_wake_one(o, rt_sync_send((uintptr_t)cond, loc));
	return true;
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	RT_SCOPE;
	if (!rt_sched_point() || !cond_signal(cond, false, RT_CALLER))
		return rt_real.pthread_cond_signal(cond);
	return 0;
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	RT_SCOPE;
	if (!rt_sched_point() || !cond_signal(cond, true, RT_CALLER))
		return rt_real.pthread_cond_broadcast(cond);
	return 0;
}
