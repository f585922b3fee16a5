/* SPDX-License-Identifier: Apache-2.0
 *
 * end.c - main returns, or the program calls exit, and other threads still run
 *
 * Idea.   Threads that nobody joins end with the process, and mostly before they have run
 *         at all: the baton is main's.  But on another day they would have run, and raced.
 *         So the thread that ends the process waits as if it slept, for the time that a
 *         number of events takes on the scheduler's clock.
 * Rules.  [linger]  The wait is no event: a schedule is followed as if it were not there.
 *         [idle]    It ends at once if all other threads wait for each other.
 *         [free]    Threads that run freely get a time instead, FREE_NS.
 * State.  the_main  the program's main; the C library calls ours instead
 */
#include "runtime/end.h"

#include "runtime/options.h"
#include "runtime/real.h"
#include "runtime/sched.h"
#include "runtime/sys.h"

#include <stdlib.h>

enum { FREE_NS = 20000000 };

static main_fn *the_main;

static bool others_may_run(void)
{
	if (rt.is_free)
		return rt_sched.nlive > 1;
	return rt_sched.nready || rt_sched.timed || rt_sched.nout;
}

void rt_linger(void)
{
	static bool has_lingered;
	struct rt_thread *self = rt_enter();
	if (!self || has_lingered || rt.is_alone || rt.is_of_tasks || rt_options.linger <= 0 ||
	    !others_may_run())
		return;
	has_lingered = true;
	const rt_time ns = rt.is_free ? FREE_NS : RT_NS_PER_EVENT * (rt_time)rt_options.linger;
	rt_sched_block(self, NULL, rt_sys_now() + ns);
}

static int main_run(int argc, char **argv, char **environment)
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
	return rt_real.__libc_start_main(main_run, argc, argv, init, fini, rtld_fini, stack_end);
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
