/* SPDX-License-Identifier: Apache-2.0
 *
 * deadline.c - when a wait of the program ends, as a time of the scheduler
 */
#include "runtime/interpose/deadline.h"

#include "runtime/interpose/answers.h"
#include "runtime/sys.h"

rt_time rt_deadline(clockid_t clock, const struct timespec *at)
{
	if (at->tv_nsec < 0 || at->tv_nsec >= 1000000000 ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return RT_INVALID;
	const struct timespec now = rt_answers_now(clock);
	int64_t left =
		(int64_t)(at->tv_sec - now.tv_sec) * 1000000000 + (at->tv_nsec - now.tv_nsec);
	return rt_sys_now() + (left > 0 ? (rt_time)left : 0);
}
