/* SPDX-License-Identifier: Apache-2.0
 *
 * stretches.h - which thread made which events of a trace, without an entry for every event
 *
 * Idea.   A stretch is a sequence of events that one thread made without another thread's event
 *         between them.  Recorded programs have few: a thread makes thousands of events in a turn.
 *         The n-th event of a thread is found by its stretch.
 * State.  at[]       the stretches, in observed order
 *         length[t]  how many events thread t has
 * Cost.   16 bytes a stretch.
 */
#ifndef SNAG_TRACE_STRETCHES_H
#define SNAG_TRACE_STRETCHES_H

#include "trace/trace.h"

struct snag_stretch {
	uint32_t first; /* event number */
	uint32_t thread;
	uint32_t position; /* the position of that event in its thread */
	uint32_t next;	   /* the next stretch of the thread; 0: there is none */
};

struct snag_stretches { /* all 0: empty */
	struct snag_stretch *at;
	size_t n, cap;
	uint64_t nevents;
	uint32_t *length;	/* by thread */
	uint32_t *begin, *last; /* by thread: 1 + its first and its last stretch */
	size_t nthreads, length_cap, begin_cap, last_cap;
};

void snag_stretches_done(struct snag_stretches *s); /* accepts zeroed ones */
/* Adds n events of this thread. */
void snag_stretches_add(struct snag_stretches *s, snag_tid thread, uint32_t n);
/* Adds all events of a trace. */
void snag_stretches_of_trace(struct snag_stretches *ret_stretches, const struct snag_trace *trace);

/* Returns the stretch that contains an event. */
uint32_t snag_stretches_find(const struct snag_stretches *s, uint32_t event);
/* The position of an event in its thread. */
uint32_t snag_stretches_position(const struct snag_stretches *s, uint32_t event);
/* Returns the number after its last event. */
uint32_t snag_stretch_end(const struct snag_stretches *s, uint32_t stretch);

/* Counts the events of each thread with numbers below this one. */
void snag_stretches_before(const struct snag_stretches *s, uint32_t event, uint32_t *ret_prefix);
/* Writes the numbers of the first prefix[t] events of each thread t, in observed order;
 * ret_event has room for them.  Returns their number. */
size_t snag_stretches_prefix(const struct snag_stretches *s, const uint32_t *prefix,
			     uint32_t *ret_event);

#endif
