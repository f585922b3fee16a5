/* SPDX-License-Identifier: Apache-2.0
 *
 * once.c - pthread_once and call_once
 *
 * Rules.  [first]  runs the function, then writes the token of this object
 *         [later]  waits until it has run, and reads the token
 *         [throw]  a function that is left by an exception has not run
 */
#include "runtime/object.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stack.h"

#include <threads.h>

static void run_ended(struct rt_object **at)
{
	struct rt_object *o = *at;
	o->is_running = false;
	rt_object_wake_all(o, 0);
}

static void run(struct rt_object *o, void (*function)(void), uintptr_t pc)
{
	struct rt_object *running __attribute__((cleanup(run_ended))) = o;
	o->is_running = true;
	function();
	if (!rt_enter())
		return;
	o->is_dead = true;
	o->token = rt_token();
	rt_put(RT_SYNC_WRITE, 0, o->addr, rt_location(pc), o->token);
}

static void once(struct rt_thread *self, uintptr_t addr, void (*function)(void), uintptr_t pc)
{
	struct rt_object *o = rt_object_get(addr, RT_ONCE);
	while (o->is_running)
		rt_sched_block(self, o, RT_NEVER);
	if (o->is_dead)
		rt_put(RT_SYNC_READ, 0, addr, rt_location(pc), o->token);
	else
		run(o, function, pc);
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_once(control, function);
	once(self, (uintptr_t)control, function, RT_CALLER);
	return 0;
}

RT_EXPORT void call_once(once_flag *flag, void (*function)(void))
{
	struct rt_thread *self = rt_sched_point();
	if (self)
		once(self, (uintptr_t)flag, function, RT_CALLER);
	else
		rt_real.pthread_once((pthread_once_t *)flag, function);
}
