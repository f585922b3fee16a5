/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c - static variables of C++ functions, which the first thread to arrive initialises
 *
 * Idea.   Compiled code looks at the first byte of the guard with acquire order and calls
 *         __cxa_guard_acquire if it is 0.  The C++ library would wait there in the kernel,
 *         and snag does not observe its release.  So the runtime implements the guard: as an object
 *         of the scheduler, and a release of that byte.
 * Rules.  [acquire]  returns 1 if the caller is to initialise the variable, 0 if it is initialised
 *         [release]  the variable is initialised
 *         [abort]    the initialisation failed; the next thread tries
 */
#include "runtime/interpose/object.h"
#include "runtime/tasks/omp_flags.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"
#include "runtime/sys.h"

typedef uint8_t guard_byte; /* the first of 8; 1: initialised */

static bool is_made(const guard_byte *guard)
{
	/* pairs with the release in guard_end */
	return __atomic_load_n(guard, __ATOMIC_ACQUIRE);
}

/* Without the scheduler: the second byte says that a thread initialises the variable. */
static int guard_begin_alone(guard_byte *guard)
{
	while (!is_made(guard)) {
		if (!__atomic_exchange_n(&guard[1], 1, __ATOMIC_ACQUIRE)) /* pairs with guard_end */
			return 1;
		rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return 0;
}

static void guard_end(struct rt_thread *self, guard_byte *guard, bool made, uintptr_t pc)
{
	if (self)
		rt_flag_once(RT_ATOMIC_WRITE, (uintptr_t)guard, rt_location(pc));
	if (made)
		__atomic_store_n(guard, 1, __ATOMIC_RELEASE); /* pairs with is_made */
	__atomic_store_n(&guard[1], 0, __ATOMIC_RELEASE);     /* pairs with guard_begin_alone */
	struct rt_object *o = self ? rt_object_find((uintptr_t)guard, RT_ONCE) : NULL;
	if (o) {
		o->is_running = false;
		rt_object_wake_all(o, 0);
	}
}

RT_ABI(int, __cxa_guard_acquire, guard_byte *guard)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return guard_begin_alone(guard);
	struct rt_object *o = rt_object_get((uintptr_t)guard, RT_ONCE);
	while (o->is_running)
		rt_sched_block(self, o, RT_NEVER);
	rt_flag_once(RT_ATOMIC_READ, (uintptr_t)guard, rt_location(RT_CALLER));
	o->is_running = !is_made(guard);
	return o->is_running;
}

RT_ABI(void, __cxa_guard_release, guard_byte *guard)
{
	RT_SCOPE;
	guard_end(rt_sched_point(), guard, true, RT_CALLER);
}

RT_ABI(void, __cxa_guard_abort, guard_byte *guard)
{
	RT_SCOPE;
	guard_end(rt_sched_point(), guard, false, RT_CALLER);
}
