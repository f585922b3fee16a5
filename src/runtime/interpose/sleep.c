/* SPDX-License-Identifier: Apache-2.0
 *
 * sleep.c - sleeping and yielding: other threads run in the meantime
 *
 * A sleep is a wait with a deadline and without an object.  So it ends at the same event in every
 * run; real time passes only if no other thread can run.
 */
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#include <errno.h>

enum { NS = 1000000000 };

/* Sleeps.  Returns the time that is left if a signal ended the sleep, 0 if it is over, and RT_NEVER
 * if the runtime does not know the thread, which has not slept then. */
static rt_time sleep_left(rt_time nanoseconds)
{
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return RT_NEVER;
	rt_time end = rt_sys_now() + nanoseconds;
	rt_cancel_point(self);
	bool is_over = !rt_sched_block(self, NULL, end) || !self->wait.was_interrupted;
	rt_cancel_point(self);
	if (is_over)
		return 0;
	rt_time now = rt_sys_now();
	return now < end ? end - now : 1;
}

static int interrupted(void)
{
	errno = EINTR;
	return -1;
}

RT_EXPORT int nanosleep(const struct timespec *time, struct timespec *ret_left)
{
	RT_SCOPE;
	bool is_valid = time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NS;
	rt_time left = is_valid ? sleep_left((rt_time)time->tv_sec * NS + (rt_time)time->tv_nsec)
				: RT_NEVER;
	if (left == RT_NEVER)
		return rt_real.nanosleep(time, ret_left);
	if (left && ret_left)
		*ret_left = (struct timespec){(time_t)(left / NS), (long)(left % NS)};
	return left ? interrupted() : 0;
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			      struct timespec *ret_left)
{
	RT_SCOPE;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return RT_OUTSIDE(rt_sched_point(),
				  rt_real.clock_nanosleep(clock, flags, time, ret_left));
	if ((flags & TIMER_ABSTIME) == 0)
		return nanosleep(time, ret_left) == 0 ? 0 : errno;
	rt_time end = rt_deadline(clock, time), now = rt_sys_now();
	if (end == RT_INVALID)
		return rt_real.clock_nanosleep(clock, flags, time, ret_left);
	rt_time left = sleep_left(end > now ? end - now : 0);
	if (left == RT_NEVER)
		return rt_real.clock_nanosleep(clock, flags, time, ret_left);
	return left ? EINTR : 0;
}

RT_EXPORT int usleep(useconds_t microseconds)
{
	RT_SCOPE;
	rt_time left = sleep_left((rt_time)microseconds * 1000);
	if (left == RT_NEVER)
		return rt_real.usleep(microseconds);
	return left ? interrupted() : 0;
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	RT_SCOPE;
	rt_time left = sleep_left((rt_time)seconds * NS);
	if (left == RT_NEVER)
		return rt_real.sleep(seconds);
	return (unsigned)(left / NS);
}

RT_EXPORT int sched_yield(void)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return rt_real.sched_yield();
	rt_sched_yield(self);
	return 0;
}
