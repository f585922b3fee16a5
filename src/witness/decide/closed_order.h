/* SPDX-License-Identifier: Apache-2.0
 *
 * closed_order.h - the closure of the weakest order over a set of events, as published
 *
 * The set X is a cut: the first events of each thread.  The weakest order is program order, fork,
 * join, and the writers of reads.  A closed order contains all that these imply, see
 * closed_order.c.
 */
#ifndef SNAG_WITNESS_DECIDE_CLOSED_ORDER_H
#define SNAG_WITNESS_DECIDE_CLOSED_ORDER_H

#include "witness/decide/chains.h"
#include "witness/decide/index.h"

struct snag_closed_order {
	const struct snag_index *ix;
	struct snag_chains chains; /* the order */
	uint32_t *count;	   /* X, by thread */
	uint32_t *zeros;	   /* by thread */
	uint32_t *event;	   /* X, in observed order */
	size_t event_cap;
	struct snag_closed_edge {
		uint32_t first, then; /* events */
	} * queue;		      /* edges that follow, and are not in the order yet */
	size_t nqueue, queue_cap;
	bool is_contradicted;  /* there is no closure */
	uint64_t work, budget; /* events looked at for new orderings, and the most; 0: no bound */
};

void snag_closed_order_init(struct snag_closed_order *c, const struct snag_index *ix);
void snag_closed_order_done(struct snag_closed_order *c);

/* Computes the closure over X, a cut that contains all that must precede its events.  Returns false
 * if there is none, and then no trace has just the events of X; or if the budget is used up. */
bool snag_closed_order_begin(struct snag_closed_order *c, const uint32_t *cut);
/* Adds that event a of X comes before event b of X, and all that follows.  Returns false if there
 * is no closure, or if the budget is used up; then only snag_closed_order_begin() may be called. */
bool snag_closed_order_insert(struct snag_closed_order *c, uint32_t a, uint32_t b);

/* Whether false meant that the budget is used up. */
static inline bool snag_closed_order_is_over(const struct snag_closed_order *c)
{
	return c->budget && c->work > c->budget;
}

static inline struct snag_spot snag_closed_order_spot(const struct snag_closed_order *c,
						      uint32_t event)
{
	return (struct snag_spot){snag_index_thread(c->ix, event), c->ix->position[event]};
}

/* Returns whether event a of X comes before event b of X. */
static inline bool snag_closed_order_is_before(const struct snag_closed_order *c, uint32_t a,
					       uint32_t b)
{
	return a != b && snag_chains_reaches(&c->chains, snag_closed_order_spot(c, a),
					     snag_closed_order_spot(c, b));
}

#endif
