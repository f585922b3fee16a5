/* SPDX-License-Identifier: Apache-2.0
 *
 * closure.h - which steps of a computation graph come before which: transitive closure
 *
 * Idea.   Every step has a row of bits: the steps that come before it.  They are its
 *         predecessors and the steps in their rows.  Rows of all steps against all steps would
 *         need quadratic memory.  So the columns are computed in strips: one strip at a time,
 *         for all rows.
 * Cost.   Time steps x edges / 64; fixed memory (64 MB, more only beyond 8 million steps).
 */
#ifndef SNAG_ORDER_CLOSURE_H
#define SNAG_ORDER_CLOSURE_H

#include "order/cgraph.h"

struct snag_closure {
	const struct snag_cgraph *graph;
	bool has_isolated; /* isolated edges count */
	uint64_t *bits;	   /* rows of `nwords` for the steps from `first` on */
	uint32_t nwords;
	uint32_t first, last; /* the strip: columns first to last - 1 */
};

/* The graph must not change. */
void snag_closure_init(struct snag_closure *c, const struct snag_cgraph *g, bool has_isolated);
void snag_closure_done(struct snag_closure *c);
/* Computes the next strip; also to be called before the first.  Returns false if there is none. */
bool snag_closure_next(struct snag_closure *c);

/* Returns whether step a, in the strip, comes before step b. */
static inline bool snag_closure_precedes(const struct snag_closure *c, uint32_t a, uint32_t b)
{
	uint32_t column = a - c->first;
	return b > a &&
	       c->bits[(size_t)(b - c->first) * c->nwords + column / 64] >> column % 64 & 1;
}

#endif
