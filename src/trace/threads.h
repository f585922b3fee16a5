/* SPDX-License-Identifier: Apache-2.0
 *
 * threads.h - the events of a trace by thread and position
 *
 * Idea.   Event number `event[first[t] + p]` is the p-th event of thread t, from 0.
 *         A reordering keeps the order inside threads, so sets of events that
 *         respect it are a count per thread, and positions are how everything
 *         that reorders speaks of events.
 * Cost.   4 bytes an event.
 */
#ifndef SNAG_TRACE_THREADS_H
#define SNAG_TRACE_THREADS_H

#include "trace/trace.h"

struct snag_threads {
	uint32_t n;	 /* threads */
	uint32_t *first; /* by thread, and one more: where its events begin */
	uint32_t *event;
};

void snag_threads_init(struct snag_threads *threads, const struct snag_trace *trace);
void snag_threads_done(struct snag_threads *threads); /* accepts NULL and zeroed ones */

static inline uint32_t snag_threads_length(const struct snag_threads *threads, snag_tid t)
{
	return threads->first[t + 1] - threads->first[t];
}

static inline uint32_t snag_threads_event(const struct snag_threads *threads, snag_tid t,
					  uint32_t position)
{
	return threads->event[threads->first[t] + position];
}

/* Writes the numbers of the events with from[t] <= position < to[t] (from = NULL: 0), in
 * observed order; ret_event has room for them.  Returns their number. */
size_t snag_threads_merge(const struct snag_threads *threads, const uint32_t *from,
			  const uint32_t *to, uint32_t *ret_event);

#endif
