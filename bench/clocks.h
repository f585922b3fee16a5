/* SPDX-License-Identifier: Apache-2.0
 *
 * clocks.h - plain vector clocks, as in a textbook, for comparison
 *
 * Each live thread has a clock with an entry for every thread of the run; fork, join, acquire and
 * release copy or join whole clocks.  A variable has the last write and the last read, and a clock of
 * reads while several are not ordered (FastTrack).
 */
#ifndef SNAG_BENCH_CLOCKS_H
#define SNAG_BENCH_CLOCKS_H

#include "trace/event.h"

#include <stddef.h>

/* Returns how many accesses race with an earlier one.  Events of threads with one lock. */
uint64_t snag_plain_clocks(const struct snag_event *ev, size_t n, uint32_t nthreads,
			   uint32_t nvariables);

#endif
