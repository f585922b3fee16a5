/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.c - barriers
 *
 * Rules.  [arrive]  Each round of a barrier has a token.  A thread that arrives updates it.
 *         [leave]   A thread that leaves reads it.  So every arrival happens before every
 *                   departure of the same round.
 */
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/sync.h"

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
				   unsigned count)
{
	RT_SCOPE;
	int shared = PTHREAD_PROCESS_PRIVATE;
	int rc = rt_real.pthread_barrier_init(barrier, attr, count);
	if (rc != 0 || !rt_sched_point())
		return rc;
	rt_lock_written((uintptr_t)barrier, RT_CALLER);
	if (attr)
		pthread_barrierattr_getpshared(attr, &shared);
	rt_object_forget((uintptr_t)barrier, RT_BARRIER);
	if (shared == PTHREAD_PROCESS_PRIVATE)
		rt_object_get((uintptr_t)barrier, RT_BARRIER)->need = count;
	return 0;
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)barrier, RT_CALLER);
		rt_object_forget((uintptr_t)barrier, RT_BARRIER);
	}
	return rt_real.pthread_barrier_destroy(barrier);
}

/* A barrier that other processes share: the kernel makes the thread wait. */
static int foreign_wait(struct rt_thread *self, pthread_barrier_t *barrier, uintptr_t pc)
{
	if (self)
		rt_sync_release((uintptr_t)barrier, pc);
	int rc = RT_OUTSIDE(self, rt_real.pthread_barrier_wait(barrier));
	if (self)
		rt_sync_acquire((uintptr_t)barrier, pc);
	return rc;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	struct rt_object *o = self ? rt_object_find((uintptr_t)barrier, RT_BARRIER) : NULL;
	if (!o)
		return foreign_wait(self, barrier, RT_CALLER);
	rt_lock_used(self, o, RT_CALLER);
	if (o->arrived == 0)
		o->token = rt_token();
	uint32_t token = o->token;
	uint32_t loc = rt_location(RT_CALLER);
	rt_sync_put(RT_SYNC_UPDATE, RT_ORDER_ACQ_REL, (uintptr_t)barrier, loc, token);
	bool is_last = ++o->arrived == o->need;
	if (is_last) {
		o->arrived = 0;
		rt_object_wake_all(o, 0);
	} else {
		self->wait.at = loc;
		while (o->token == token && o->arrived) {
			rt_sched_block(self, o, RT_NEVER);
			rt_cancel_anywhere(self);
		}
	}
	rt_sync_put(RT_SYNC_READ, 0, (uintptr_t)barrier, loc, token);
	return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
