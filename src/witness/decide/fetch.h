/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch.h - prefetches what a decision is about to look at
 *
 * Idea.   A decision looks at some hundred places of an index that is too large for the caches.
 *         Every thread has its own chain of such places: the event where the cut ends, the locks
 *         held there, the acquire of each, its release, and the place of that.  Following one
 *         chain after the other costs the sum of all cache misses.  So the chains are followed
 *         together, link by link.  The misses of one link overlap, and later steps find
 *         everything in the cache.
 *
 * Guarantee.  Affects nothing but time.
 */
#ifndef SNAG_WITNESS_DECIDE_FETCH_H
#define SNAG_WITNESS_DECIDE_FETCH_H

#include "witness/decide/state.h"

/* Prefetches what must precede either of the accesses. */
void snag_fetch_races(const struct snag_state *s, uint32_t e1, uint32_t e2);
/* Prefetches the sections that the cut leaves open. */
void snag_fetch_open(struct snag_state *s, const uint32_t *cut);

/* Of the n events that enter the window, prefetches those soon after the i-th, and what is known
 * of their variables. */
static inline void snag_fetch_entering(const struct snag_state *s, size_t i, size_t n)
{
	enum { EVENT = 16, VARIABLE = 8 };
	const struct snag_index *ix = s->ix;
	if (i + EVENT < n) {
		uint32_t e = s->entering[i + EVENT];
		__builtin_prefetch(&ix->trace->ev[e]);
		__builtin_prefetch(&ix->position[e]);
		__builtin_prefetch(&ix->link[e]);
		__builtin_prefetch(&s->rows->edges[e]);
	}
	if (i + VARIABLE < n) {
		const struct snag_event *ev = &ix->trace->ev[s->entering[i + VARIABLE]];
		if (snag_op_reads(ev->op) || snag_op_writes(ev->op))
			__builtin_prefetch(&s->variable[ev->target]);
	}
}

#endif
