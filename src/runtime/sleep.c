/* SPDX-License-Identifier: Apache-2.0
 *
 * sleep.c - sleeping and yielding: others run meanwhile
 *
 * A sleep is a wait for nothing with a deadline, so that it ends at the same event in
 * every run, and really passes when nobody else can run.
 */
#include "runtime/real.h"
#include "runtime/sched.h"
#include "runtime/sys.h"

#include <errno.h>

static bool sleeps(rt_time nanoseconds)
{
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return false;
	rt_sched_block(self, NULL, rt_sys_now() + nanoseconds);
	return true;
}

RT_EXPORT int nanosleep(const struct timespec *time, struct timespec *ret_left)
{
	bool is_valid = time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
	if (is_valid && sleeps((rt_time)time->tv_sec * 1000000000 + (rt_time)time->tv_nsec))
		return 0;
	return rt_real.nanosleep(time, ret_left);
}

RT_EXPORT int usleep(useconds_t microseconds)
{
	return sleeps((rt_time)microseconds * 1000) ? 0 : rt_real.usleep(microseconds);
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	return sleeps((rt_time)seconds * 1000000000) ? 0 : rt_real.sleep(seconds);
}

RT_EXPORT int sched_yield(void)
{
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.sched_yield();
	rt_sched_yield(self);
	return 0;
}
