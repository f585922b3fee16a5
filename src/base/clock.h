/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - the time of any clock, in seconds
 */
#ifndef SNAG_BASE_CLOCK_H
#define SNAG_BASE_CLOCK_H

#include <time.h>

static inline double snag_seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double snag_seconds_now(void)
{
	return snag_seconds(CLOCK_MONOTONIC);
}

#endif
