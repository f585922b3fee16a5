/* SPDX-License-Identifier: Apache-2.0
 *
 * once.c - pthread_once and call_once
 *
 * Rules.  [try]    A try reads the token of the try before, if there was one, runs the function,
 *                  and writes a token of its own.
 *         [throw]  A function that an exception leaves has not run: the next thread tries.
 *         [later]  Once the function has run, every later caller reads the token.
 *         [anew]   As in the C library, the program's flag says whether the function has run.
 *                  Memory that is used again, or a flag that is initialised again, is another once.
 *         [silent] In a program of tasks, a function without observed events leaves no token: it is
 *                  one of a library (the C++ library has one for exceptions), and orders no
 *                  accesses.
 */
#include "runtime/interpose/object.h"
#include "runtime/tasks/omp_flags.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"

#include <threads.h>

enum { UNDONE = 0, DONE = 2 }; /* [anew] values of the flag */

struct attempt {
	struct rt_object *object;
	uintptr_t pc;
	int64_t fuel; /* when it began */
};

/* Reports that the function has run, now or before. In programs of tasks, this is a flag
 * (omp_flags.h). */
static void once_report(const struct rt_object *o, bool is_made, uintptr_t pc)
{
	uint32_t loc = rt_location(pc);
	if (rt.is_of_tasks)
		rt_flag_once(is_made ? RT_ATOMIC_WRITE : RT_ATOMIC_READ, o->addr, loc);
	else
		rt_sync_put(is_made ? RT_SYNC_WRITE : RT_SYNC_READ, 0, o->addr, loc, o->token);
}

/* Ends a try, also one that an exception ends. */
static void try_ended(struct attempt *a)
{
	struct rt_object *o = a->object;
	bool is_silent = rt.is_of_tasks && rt_hot.fuel == a->fuel; /* [silent] */
	bool is_known = rt_enter();
	o->is_running = false;
	if (!is_known)
		return;
	if (!is_silent) {
		o->token = rt_token();
		once_report(o, true, a->pc);
	}
	rt_object_wake_all(o, 0);
}

static void try(struct rt_object *o, void (*function)(void), uintptr_t pc)
{
	struct attempt running __attribute__((cleanup(try_ended))) = {o, pc, rt_hot.fuel};
	(void)running;
	o->is_running = true;
	unsigned depth = rt_scope_pause();
	function();
	rt_scope_resume(depth);
	rt_enter();
	o->is_dead = true;
	__atomic_store_n((int *)o->addr, DONE, __ATOMIC_RELEASE);
}

/* [anew] Returns the object of the flag. */
static struct rt_object *object_of(uintptr_t addr)
{
	struct rt_object *o = rt_object_get(addr, RT_ONCE);
	const int flag = __atomic_load_n((const int *)addr, __ATOMIC_ACQUIRE);
	if (o->is_dead && flag == UNDONE) {
		o->is_dead = false;
		o->token = UINT32_MAX;
	} else if (flag == DONE) { /* perhaps before the program was observed */
		o->is_dead = true;
	}
	return o;
}

static void once(struct rt_thread *self, uintptr_t addr, void (*function)(void), uintptr_t pc)
{
	struct rt_object *o = object_of(addr);
	while (o->is_running)
		rt_sched_block(self, o, RT_NEVER);
	if (o->token != UINT32_MAX)
		once_report(o, false, pc);
	if (!o->is_dead)
		try(o, function, pc);
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.pthread_once(control, function);
	once(self, (uintptr_t)control, function, RT_CALLER);
	return 0;
}

RT_EXPORT void call_once(once_flag *flag, void (*function)(void))
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (self)
		once(self, (uintptr_t)flag, function, RT_CALLER);
	else
		rt_real.pthread_once((pthread_once_t *)flag, function);
}
