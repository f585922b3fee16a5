/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.h - events of one key (a lock, a variable) by thread
 *
 * Idea.   Along a thread all questions of a decision are monotone: once an event is after
 *         something, so are the later events of its thread.  So of all writes of x by thread u
 *         only one matters to a question, and bisection finds it.  A lane is the list for these
 *         bisections: the positions of the events of one key in one thread, ascending.
 * State.  The lanes of key k are lane[first[k]] .. lane[first[k + 1]], one for each thread; lanes
 *         of neighbouring keys are neighbours.  acquire[] has the acquires of key k in observed
 *         order, at the place of its lanes, with all that is asked about one.  So looking at the
 *         next acquires of a lock touches one place in memory.
 * Cost.   4 bytes per event in a lane, 8 bytes per lane, 4 bytes per key; 16 bytes more per
 *         acquire.
 */
#ifndef SNAG_WITNESS_DECIDE_LANES_H
#define SNAG_WITNESS_DECIDE_LANES_H

#include "trace/trace.h"

struct snag_lane {
	uint32_t thread;
	uint32_t begin; /* in position[]; the next lane's begin is the end */
};

/* An outermost acquire. */
struct snag_acquire {
	uint32_t event;
	uint32_t thread : 29;
	uint32_t is_last : 1;	 /* it is the last acquire with its key */
	uint32_t is_shared : 1;	 /* it competes only with those of the other key */
	uint32_t has_shared : 1; /* the lock has such sections */
	uint32_t position;	 /* in its thread, */
	uint32_t release;	 /* and that of its release, or SNAG_NO_EVENT */
};

_Static_assert(sizeof(struct snag_acquire) == 16, "four acquires are a cache line");

struct snag_lanes {
	uint32_t *first;	/* by key, and one more */
	struct snag_lane *lane; /* and one more */
	uint32_t *position;
	struct snag_acquire *acquire; /* of sections only */
};

/* What is in the lanes, and by which key. */
enum snag_lanes_of {
	SNAG_LANES_READS,    /* by variable; atomic ones included, updates are in both */
	SNAG_LANES_WRITES,   /* by variable */
	SNAG_LANES_SECTIONS, /* outermost acquires, by 2 x lock + whether shared */
};

/* The key of the section of an acquire. */
static inline uint32_t snag_section_key(const struct snag_event *acquire)
{
	return 2 * acquire->target + (acquire->op == SNAG_OP_ACQUIRE_SHARED);
}

/* position[e] is that of event e in its thread; link[e], of an acquire, its release. */
void snag_lanes_init(struct snag_lanes *lanes, enum snag_lanes_of what,
		     const struct snag_trace *trace, const uint32_t *position,
		     const uint32_t *link);
void snag_lanes_done(struct snag_lanes *lanes);

static inline uint32_t snag_lane_length(const struct snag_lane *lane)
{
	return lane[1].begin - lane->begin;
}

static inline uint32_t snag_lane_at(const struct snag_lanes *lanes, const struct snag_lane *lane,
				    uint32_t i)
{
	return lanes->position[lane->begin + i];
}

/* Returns how many positions of the lane are below the bound. */
static inline uint32_t snag_lane_below(const struct snag_lanes *lanes, const struct snag_lane *lane,
				       uint32_t bound)
{
	const uint32_t *at = lanes->position + lane->begin;
	uint32_t low = 0, high = lane[1].begin - lane->begin;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (at[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns how many of n ascending numbers, `width` apart, are below the bound.  The search
 * starts near an earlier answer, *hint, which it updates. */
static inline uint32_t snag_below_near(const uint32_t *at, uint32_t width, uint32_t n,
				       uint32_t bound, uint32_t *hint)
{
	uint32_t low = *hint, high = low;
	for (uint32_t step = 1; low > 0 && at[(size_t)width * (low - 1)] >= bound; step *= 2) {
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	for (uint32_t step = 1; high < n && at[(size_t)width * high] < bound; step *= 2) {
		low = high + 1;
		high = n - high > step ? high + step : n;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (at[(size_t)width * middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	*hint = low;
	return low;
}

static inline uint32_t snag_lane_below_near(const struct snag_lanes *lanes,
					    const struct snag_lane *lane, uint32_t bound,
					    uint32_t *hint)
{
	return snag_below_near(lanes->position + lane->begin, 1, lane[1].begin - lane->begin, bound,
			       hint);
}

/* Returns the first acquire of the key that is not before the event, or NULL.  The search starts
 * near an earlier answer. */
static inline const struct snag_acquire *
snag_acquire_near(const struct snag_lanes *sections, uint32_t key, uint32_t event, uint32_t *hint)
{
	enum { WIDTH = sizeof(struct snag_acquire) / sizeof(uint32_t) };
	uint32_t begin = sections->lane[sections->first[key]].begin;
	uint32_t n = sections->lane[sections->first[key + 1]].begin - begin;
	uint32_t i = snag_below_near(&sections->acquire[begin].event, WIDTH, n, event, hint);
	return i < n ? &sections->acquire[begin + i] : NULL;
}

/* Returns the next acquire of its key, if it was observed up to `end`, or NULL. */
static inline const struct snag_acquire *snag_acquire_next(const struct snag_acquire *a,
							   uint32_t end)
{
	return a->is_last || a[1].event > end ? NULL : a + 1;
}

#endif
