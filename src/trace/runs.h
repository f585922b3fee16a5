/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.h - events that follow from earlier ones
 *
 * A loop makes the same events in each iteration, and each target moves by a fixed distance.  A
 * run of period k stands for such events.  Each event equals the one k before it, except for its
 * target: the distance between the two targets is that between the targets k and 2 k before.
 * Runs replace events between a recorder and a .snag file, and in that file.  The reader expands
 * them, unless its consumer accepts runs (source.h).
 */
#ifndef SNAG_TRACE_RUNS_H
#define SNAG_TRACE_RUNS_H

#include "trace/event.h"

#include <stddef.h>

enum { SNAG_RUN_MAX = 16 }; /* the longest period */

struct snag_repeat {
	uint32_t at;	 /* number of events outside runs before it */
	uint32_t period; /* 1 to SNAG_RUN_MAX */
	uint32_t n;	 /* its events, > 0 */
};

/* The last events. */
struct snag_tail {
	struct snag_event ev[2 * SNAG_RUN_MAX]; /* a ring */
	uint64_t n; /* how many were added; number k is at k mod the size of the ring */
};

void snag_tail_add(struct snag_tail *tail, const struct snag_event *ev, size_t n);

/* Returns whether the last 2 * period events are plain accesses of one thread: rule [run] of
 * source.h. */
bool snag_tail_is_plain(const struct snag_tail *tail, uint32_t period);

/* How the events of a run continue. */
struct snag_steps {
	struct snag_event next[SNAG_RUN_MAX];
	uint32_t stride[SNAG_RUN_MAX];
	uint32_t period, at;
};

/* Returns false if there are not enough events before it, or if there is no such period. */
bool snag_steps_begin(struct snag_steps *s, const struct snag_tail *tail, uint32_t period);
void snag_steps_skip(struct snag_steps *s, uint32_t n);

static inline struct snag_event snag_steps_next(struct snag_steps *s)
{
	struct snag_event ev = s->next[s->at];
	s->next[s->at].target += s->stride[s->at];
	s->at = s->at + 1 == s->period ? 0 : s->at + 1;
	return ev;
}

/* Advances the tail by n events of the run at once. */
void snag_tail_run(struct snag_tail *tail, struct snag_steps *s, uint32_t n);

#endif
