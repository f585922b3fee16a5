/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.h - events that follow from those before them
 *
 * A loop makes the same events each time round, and the targets of each go on by a fixed
 * distance.  A run of period k stands for such events: each is as the one k before it, but
 * its target is as far from that one's as that from the one's 2 k before.  Runs stand in
 * for events between a recorder and a .snag file, and in that file.  Its reader expands them,
 * unless the consumer of its events takes runs (source.h).
 */
#ifndef SNAG_TRACE_RUNS_H
#define SNAG_TRACE_RUNS_H

#include "trace/event.h"

#include <stddef.h>

enum { SNAG_RUN_MAX = 16 }; /* the longest period */

struct snag_repeat {
	uint32_t at;	 /* how many events that are not in runs come before it */
	uint32_t period; /* 1 to SNAG_RUN_MAX */
	uint32_t n;	 /* its events, > 0 */
};

/* The last events. */
struct snag_tail {
	struct snag_event ev[2 * SNAG_RUN_MAX]; /* a ring */
	uint64_t n; /* of all; its place in the ring is n mod the size */
};

void snag_tail_add(struct snag_tail *tail, const struct snag_event *ev, size_t n);

/* Whether the last 2 * period events are plain accesses of one thread: rule [run] of source.h. */
bool snag_tail_is_plain(const struct snag_tail *tail, uint32_t period);

/* How events go on. */
struct snag_steps {
	struct snag_event next[SNAG_RUN_MAX];
	uint32_t stride[SNAG_RUN_MAX];
	uint32_t period, at;
};

/* False: there are not enough events before it, or there is no such period. */
bool snag_steps_begin(struct snag_steps *s, const struct snag_tail *tail, uint32_t period);
void snag_steps_skip(struct snag_steps *s, uint32_t n);

static inline struct snag_event snag_steps_next(struct snag_steps *s)
{
	struct snag_event ev = s->next[s->at];
	s->next[s->at].target += s->stride[s->at];
	s->at = s->at + 1 == s->period ? 0 : s->at + 1;
	return ev;
}

/* n events that follow, all at once: the tail is what it is behind them. */
void snag_tail_run(struct snag_tail *tail, struct snag_steps *s, uint32_t n);

#endif
