/* SPDX-License-Identifier: Apache-2.0
 *
 * fiber.c - contexts that the program switches between by itself
 *
 * Idea.   A fiber is a thread without a kernel thread of its own.  A thread that switches to a
 *         fiber becomes the fiber, with the baton, and waits as the fiber.  What a fiber does
 *         before it is left comes before what it does after a thread switches to it again.
 * Rules.  [create]  fork(fiber)
 *         [switch]  The old context writes a token, the new one reads it; unless the program says
 *                   that the switch orders nothing.
 */
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/thread.h"

enum { NO_SYNC = 1 };

RT_ABI(void *, __tsan_get_current_fiber, void)
{
	RT_SCOPE;
	return rt_enter();
}

RT_ABI(void *, __tsan_create_fiber, unsigned flags)
{
	RT_SCOPE;
	if (!rt_sched_point())
		return NULL;
	struct rt_thread *t = rt_thread_new_fiber();
	rt_thread_created(t, RT_CALLER);
	return t;
}

RT_ABI(void, __tsan_destroy_fiber, void *fiber)
{
	RT_SCOPE;
	if (rt_enter() && fiber)
		rt_thread_end_fiber(fiber);
}

RT_ABI(void, __tsan_switch_to_fiber, void *fiber, unsigned flags)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *to = fiber;
	uint32_t token = 0;
	if (!self || !to || to == self)
		return;
	uint32_t loc = rt_location(RT_CALLER);
	if (!(flags & NO_SYNC)) {
		token = rt_token();
		rt_put(RT_SYNC_WRITE, 0, 0, loc, token);
	}
	rt_sched_become(self, to);
	if (!(flags & NO_SYNC))
		rt_put(RT_SYNC_READ, 0, 0, loc, token);
}

RT_ABI(void, __tsan_set_fiber_name, void *fiber, const char *name)
{
}
