/* SPDX-License-Identifier: Apache-2.0
 *
 * init.c - how the runtime begins, and how it ends for the child of a fork
 *
 * The first call of anything begins it: a constructor of an instrumented file
 * (__tsan_init), or an intercepted function called before.  The runtime looks up the real
 * functions first, without calling any function that it stands in front of (real.c).
 * Functions that the C library calls while the runtime begins see a runtime that is off.
 */
#include "runtime/interpose/fork.h"
#include "runtime/modules.h"
#include "runtime/observe.h"
#include "runtime/tasks/omp.h"
#include "runtime/options.h"
#include "runtime/sched/free.h"
#include "runtime/sched/policy.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signals.h"
#include "runtime/access/access.h"
#include "runtime/channel/record.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/server.h"
#include "runtime/access/stack.h"
#include "runtime/tasks/tasks.h"
#include "runtime/interpose/thread.h"

#include <sys/auxv.h>

struct rt rt;
__thread struct rt_hot rt_hot = {.filter = &rt_filter, .places = rt_places};
extern RT_EXPORT __thread struct rt_hot __snag_hot __attribute__((alias("rt_hot")));

void rt_begin(void)
{
	static bool is_beginning;
	if (is_beginning)
		return;
	is_beginning = true;
	rt_real_begin();
	/* The user of a program with more rights, a setuid one, must not steer it. */
	bool is_secure = getauxval(AT_SECURE);
	if (!is_secure)
		rt_options_read();
	bool is_open = !is_secure && rt_record_open();
	rt_options_hide();
	/* A program with a channel that it cannot use, of another version, starts no observer: it
	 * would not understand that one either, and start another for ever. */
	if (!is_open && !is_secure && rt_options.channel < 0) {
		rt_observe_start();
		is_open = rt_record_open();
	}
	if (is_open) {
		rt_observe_begin();
		if (rt_options.server >= 0)
			rt_server_start();
		rt_policy_begin();
		rt_thread_begin();
		rt_signals_begin();
		rt_modules_report();
		rt_options_report();
		rt_tasks_report();
		rt_fork_begin();
		rt_omp_report();
		if (rt_options.free && !rt.is_of_tasks)
			rt_free_begin(rt_hot.self);
		rt_put(RT_BEGIN, 0, 0, rt_location(RT_CALLER), 0);
		rt.on = true;
	}
	rt.has_no_frames = !rt.on || !rt.listener.needs_places;
	rt.has_begun = true;
}

void rt_turn_off(void)
{
	rt.on = false;
	rt.has_no_frames = true;
	rt_hot.fuel = 0;
}

RT_ABI(void, __tsan_init, void)
{
	RT_SCOPE;
	rt_begin_once();
	if (rt_enter()) /* a library has just been loaded, perhaps */
		rt_modules_report();
}
