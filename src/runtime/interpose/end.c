/* SPDX-License-Identifier: Apache-2.0
 *
 * end.c - main returns, or the program calls exit, and other threads still run
 *
 * Idea.   A thread that no other thread joins ends with the process.  Mostly it has not run at
 *         all then, because main holds the baton.  In another run it could have run, and raced.
 *         So the thread that ends the process first sleeps, for the time that some number of
 *         events takes on the scheduler's clock.
 * Rules.  [linger]  The sleep is no event, so it does not change how a schedule is followed.
 *         [idle]    The sleep ends at once if all other threads wait for each other.
 *         [free]    Threads that run freely get SLICES of real time instead, until none can run.
 *         [atexit]  A call of atexit comes before the functions that it registers, whichever
 *                   thread runs them.
 * State.  the_main  the program's main; the C library calls the runtime's instead
 */
#include "runtime/interpose/end.h"

#include "runtime/channel/record.h"
#include "runtime/interpose/misuse.h"
#include "runtime/options.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/sync.h"
#include "runtime/sys.h"
#include "runtime/interpose/thread.h"

#include <stdlib.h>

enum { SLICE_NS = 2000000, SLICES = 100 }; /* 0.2 s: a busy machine takes long to start a thread */

static main_fn *the_main;
static bool has_callbacks; /* registered while there were several threads */

static bool others_may_run(void)
{
	if (!rt.is_free)
		return rt_sched.nready || rt_sched.timed || rt_sched.nout;
	for (uint32_t i = 0; i < rt_sched.nthreads; i++) {
		const struct rt_thread *t = rt_thread_at(i);
		if (t && t != rt_hot.self && t->state != RT_BLOCKED && t->state != RT_DONE)
			return true;
	}
	return false;
}

static void linger(struct rt_thread *self)
{
	if (!rt.is_free)
		rt_sched_block(self, NULL,
			       rt_sys_now() + RT_NS_PER_EVENT * (rt_time)rt_options.linger);
	for (int i = 0; rt.is_free && i < SLICES && others_may_run(); i++)
		rt_sched_block(self, NULL, rt_sys_now() + SLICE_NS);
}

void rt_linger(void)
{
	static bool has_lingered;
	struct rt_thread *self = rt_enter();
	if (self)
		rt_record_drain();
	if (self)
		rt_record_gone();
	if (self && !has_lingered) {
		rt_misuse_ignores(self);
		rt_thread_leaks();
	}
	if (self && has_callbacks && rt_sched_point()) /* [atexit] */
		rt_sync_acquire((uintptr_t)&has_callbacks, RT_CALLER);
	if (!self || has_lingered || rt.is_alone || rt.is_of_tasks || rt_options.linger <= 0 ||
	    !others_may_run())
		return;
	has_lingered = true;
	linger(self);
}

/* Stacks show this function as `main` (trace/callstack.c).  They have it where main calls a
 * function that `snag cc` did not compile, such as one of the C++ library: the line of that call is
 * not known. */
static int snag_calls_main(int argc, char **argv, char **environment)
{
	int status = the_main(argc, argv, environment);
	RT_SCOPE;
	rt_linger();
	return status;
}

RT_ABI(int, __libc_start_main, main_fn *program, int argc, char **argv, void (*init)(void),
       void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	rt_begin_once();
	the_main = program;
	return rt_real.__libc_start_main(snag_calls_main, argc, argv, init, fini, rtld_fini,
					 stack_end);
}

/* atexit calls it, too. */
RT_ABI(int, __cxa_atexit, void (*callback)(void *), void *arg, void *library)
{
	RT_SCOPE;
	if (!rt.is_alone && !rt.is_of_tasks && rt_sched_point()) {
		has_callbacks = true;
		rt_sync_release((uintptr_t)&has_callbacks, RT_CALLER);
	}
	return rt_real.__cxa_atexit(callback, arg, library);
}

RT_EXPORT void exit(int status)
{
	rt_begin_once();
	rt_scope_begin();
	rt_linger();
	rt_scope_pause();
	rt_real.exit(status);
	__builtin_unreachable();
}
