/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c - events of one key by thread
 *
 * Idea.   A counting sort by key, which keeps the observed order, then one by thread inside
 *         every key.  What the second one needs is carried along by the first, which goes through
 *         the trace in order; looking it up afterwards would be all over memory.
 */
#include "witness/decide/lanes.h"

#include "base/memory.h"
#include "trace/race.h"
#include "witness/decide/ops.h"

#include <string.h>

/* The key of an event, or UINT32_MAX: it is in no lane. */
static inline uint32_t key_of(enum snag_lanes_of what, const struct snag_event *ev)
{
	bool is_in;
	switch (what) {
	case SNAG_LANES_READS:
		return snag_op_reads(ev->op) ? ev->target : UINT32_MAX;
	case SNAG_LANES_WRITES:
		return snag_op_writes(ev->op) ? ev->target : UINT32_MAX;
	default:
		is_in = snag_op_acquires(ev->op) && !(ev->flags & SNAG_NESTED);
		return is_in ? snag_section_key(ev) : UINT32_MAX;
	}
}

struct placed {
	uint32_t thread, position;
};

struct sorter {
	struct snag_lanes *lanes;
	size_t nlanes, lanes_cap;
	uint32_t *count;   /* by thread; all 0 between keys */
	uint32_t *threads; /* those with a count */
};

/* The events of one key, in observed order, become lanes from lanes->position[begin] on. */
static void key_sort(struct sorter *s, const struct placed *event, uint32_t n, uint32_t begin)
{
	struct snag_lanes *lanes = s->lanes;
	uint32_t nthreads = 0, at = begin;
	for (uint32_t i = 0; i < n; i++) {
		if (s->count[event[i].thread]++ == 0)
			s->threads[nthreads++] = event[i].thread;
	}
	lanes->lane = snag_grow(lanes->lane, &s->lanes_cap, s->nlanes + nthreads + 1,
				sizeof(*lanes->lane));
	for (uint32_t i = 0; i < nthreads; i++) {
		uint32_t t = s->threads[i], length = s->count[t];
		lanes->lane[s->nlanes++] = (struct snag_lane){.thread = t, .begin = at};
		s->count[t] = at;
		at += length;
	}
	for (uint32_t i = 0; i < n; i++)
		lanes->position[s->count[event[i].thread]++] = event[i].position;
	for (uint32_t i = 0; i < nthreads; i++)
		s->count[s->threads[i]] = 0;
}

static struct snag_acquire acquire_of(const struct snag_trace *trace, const uint32_t *position,
				      const uint32_t *link, uint32_t e)
{
	const struct snag_event *ev = &trace->ev[e];
	return (struct snag_acquire){.event = e,
				     .thread = ev->thread,
				     .is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED,
				     .position = position[e],
				     .release = link[e] == SNAG_NO_EVENT ? SNAG_NO_EVENT
									 : position[link[e]]};
}

/* What an acquire says of its key; end[k] is where those of key k end. */
static void acquires_mark(struct snag_acquire *acquire, const uint32_t *end, uint32_t nkeys)
{
	for (uint32_t k = 0, i = 0; k < nkeys; i = end[k++]) {
		bool has_shared = k % 2 || end[k + 1] > end[k];
		for (; i < end[k]; i++) {
			acquire[i].is_last = i + 1 == end[k];
			acquire[i].has_shared = has_shared;
		}
	}
}

void snag_lanes_init(struct snag_lanes *lanes, enum snag_lanes_of what,
		     const struct snag_trace *trace, const uint32_t *position, const uint32_t *link)
{
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD];
	uint32_t nkeys = what == SNAG_LANES_SECTIONS ? 2 * counts.n[SNAG_SPACE_LOCK]
						     : counts.n[SNAG_SPACE_VARIABLE];
	/* end[k + 1] counts key k, then becomes where its events end. */
	uint32_t *end = snag_calloc((size_t)nkeys + 1, sizeof(*end)), total = 0;
	for (size_t e = 0; e < trace->n; e++) {
		uint32_t key = key_of(what, &trace->ev[e]);
		if (key != UINT32_MAX) {
			end[key + 1]++;
			total++;
		}
	}
	for (uint32_t k = 0; k < nkeys; k++)
		end[k + 1] += end[k];
	memset(lanes, 0, sizeof(*lanes));
	struct placed *placed = snag_realloc(NULL, total, sizeof(*placed));
	if (what == SNAG_LANES_SECTIONS)
		lanes->acquire = snag_realloc(NULL, total, sizeof(*lanes->acquire));
	for (size_t e = 0; e < trace->n; e++) {
		uint32_t key = key_of(what, &trace->ev[e]);
		if (key == UINT32_MAX)
			continue;
		placed[end[key]] = (struct placed){trace->ev[e].thread, position[e]};
		if (lanes->acquire)
			lanes->acquire[end[key]] = acquire_of(trace, position, link, (uint32_t)e);
		end[key]++;
	}
	if (lanes->acquire)
		acquires_mark(lanes->acquire, end, nkeys);

	lanes->first = snag_calloc((size_t)nkeys + 1, sizeof(*lanes->first));
	lanes->position = snag_realloc(NULL, total, sizeof(*lanes->position));
	struct sorter s = {.lanes = lanes,
			   .count = snag_calloc(nthreads, sizeof(uint32_t)),
			   .threads = snag_calloc(nthreads, sizeof(uint32_t))};
	lanes->lane = snag_grow(NULL, &s.lanes_cap, 1, sizeof(*lanes->lane));
	for (uint32_t k = 0, begin = 0; k < nkeys; begin = end[k++]) {
		lanes->first[k] = (uint32_t)s.nlanes;
		key_sort(&s, placed + begin, end[k] - begin, begin);
	}
	lanes->first[nkeys] = (uint32_t)s.nlanes;
	lanes->lane[s.nlanes] = (struct snag_lane){.begin = total};
	free(s.count);
	free(s.threads);
	free(placed);
	free(end);
}

void snag_lanes_done(struct snag_lanes *lanes)
{
	free(lanes->first);
	free(lanes->lane);
	free(lanes->position);
	free(lanes->acquire);
	memset(lanes, 0, sizeof(*lanes));
}
