/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_fetch.h - what a decision is about to look at, asked of memory in good time
 *
 * Idea.   A decision looks at some hundred places of an index that is too large for the caches, and
 *         every thread has its own chain of them: the event where the cut ends, the locks held there,
 *         the acquire of each, its release, and the place of that.  One chain after the other costs
 *         the sum of all waits.  So they are followed together, link by link: the waits of one
 *         link overlap, and what comes afterwards finds everything at hand.
 *
 * Guarantee.  Nothing but time depends on it.
 */
#ifndef SNAG_WITNESS_DECIDE_FETCH_H
#define SNAG_WITNESS_DECIDE_FETCH_H

#include "witness/decide_state.h"

/* What must precede either of the accesses. */
void snag_fetch_races(const struct snag_state *s, uint32_t e1, uint32_t e2);
/* The sections that the cut leaves open. */
void snag_fetch_open(struct snag_state *s, const uint32_t *cut);

/* Of the n events that enter the window, those that soon follow the i-th: where they are, and what is
 * known of their variables. */
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
