/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.c - cancelling threads
 *
 * Idea.   The C library marks a thread as cancelled, and ends it at its next cancellation point.
 *         A thread that waits in the scheduler reaches none, so the runtime ends its wait and
 *         then calls one (rt_cancel_point).  The C library itself ends a thread that is in a
 *         system call; on its way out the thread takes the baton again (RT_OUTSIDE).
 * Rules.  [asynchronous]  The runtime cancels such a thread at the end of its turn, where it waits,
 *                         or by a signal if it computes without an event.  The thread must not
 *                         end in the middle of the runtime, so the C library does not learn
 *                         that it can be cancelled at any time.
 */
#include "runtime/interpose/cancel.h"

#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/signals.h"
#include "runtime/interpose/thread.h"

#include <errno.h>

void rt_cancel_act(struct rt_thread *self)
{
	if (!self->cancel.is_disabled)
		rt_real.pthread_testcancel();
}

RT_EXPORT int pthread_cancel(pthread_t handle)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	int rc = rt_real.pthread_cancel(handle);
	if (rc != 0 || !t)
		return rc;
	t->cancel.was_requested = true;
	if (!t->cancel.is_disabled)
		rt_sched_interrupt(t);
	if (t->cancel.is_asynchronous && t->state == RT_OUT)
		rt_signals_ask(t->kernel_tid);
	if (t == self)
		rt_cancel_anywhere(self);
	return 0;
}

RT_EXPORT int pthread_setcancelstate(int state, int *ret_old)
{
	RT_SCOPE;
	struct rt_thread *self = rt_enter();
	int rc = rt_real.pthread_setcancelstate(state, ret_old);
	if (self && rc == 0) {
		self->cancel.is_disabled = state == PTHREAD_CANCEL_DISABLE;
		rt_cancel_anywhere(self);
	}
	return rc;
}

RT_EXPORT int pthread_setcanceltype(int type, int *ret_old)
{
	RT_SCOPE;
	struct rt_thread *self = rt_enter();
	if (!self)
		return rt_real.pthread_setcanceltype(type, ret_old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (ret_old)
		*ret_old = self->cancel.is_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS
							: PTHREAD_CANCEL_DEFERRED;
	self->cancel.is_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	rt_cancel_anywhere(self);
	return 0;
}
