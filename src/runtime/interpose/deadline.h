/* SPDX-License-Identifier: Apache-2.0
 *
 * deadline.h - when a wait of the program ends, as a time of the scheduler
 */
#ifndef SNAG_RUNTIME_DEADLINE_H
#define SNAG_RUNTIME_DEADLINE_H

#include "runtime/rt.h"

#include <time.h>

/* No thread can wait until this time: the function fails with EINVAL, as the C library's does. */
#define RT_INVALID (RT_NEVER - 1)

/* Translates a time on a clock of the program to CLOCK_MONOTONIC.  Returns RT_INVALID if there is
 * no such time, or if no thread can wait by this clock. */
rt_time rt_deadline(clockid_t clock, const struct timespec *at);

#endif
