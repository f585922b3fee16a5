/* SPDX-License-Identifier: Apache-2.0
 *
 * init.c - how the runtime begins, and how it ends for the child of a fork
 *
 * The first call of anything begins it: a constructor of an instrumented file
 * (__tsan_init), or an intercepted function called before.  The real functions are
 * looked up first; whatever is called meanwhile, from dlsym, sees a runtime that is off.
 */
#include "runtime/fork.h"
#include "runtime/modules.h"
#include "runtime/observe.h"
#include "runtime/omp.h"
#include "runtime/options.h"
#include "runtime/policy.h"
#include "runtime/real.h"
#include "runtime/access.h"
#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include "runtime/stack.h"
#include "runtime/tasks.h"
#include "runtime/thread.h"

struct rt rt = {.epochs = RT_SEEN}; /* number 0 */
__thread struct rt_hot rt_hot;
extern RT_EXPORT __thread struct rt_hot __snag_hot __attribute__((alias("rt_hot")));

void rt_begin(void)
{
	static bool is_beginning;
	if (is_beginning)
		return;
	is_beginning = true;
	rt_real_begin();
	rt_options_read();
	bool is_open = rt_record_open();
	rt_options_hide();
	if (!is_open) {
		rt_observe_start();
		is_open = rt_record_open();
	}
	if (is_open) {
		rt_observe_begin();
		rt_policy_begin();
		rt.is_free = rt_options.free;
		rt_thread_begin();
		rt_modules_tell();
		rt_options_tell();
		rt_tasks_tell();
		rt.is_free &= !rt.is_of_tasks;
		rt_fork_begin();
		rt_omp_tell();
		rt_put(RT_BEGIN, 0, 0, rt_location(RT_CALLER), 0);
		rt.on = true;
	}
	rt.has_no_frames = !rt.on || rt.judges;
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
		rt_modules_tell();
}
