/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.h - which orders of two places in the code runs have shown, and which they could show
 *
 * Idea.   Two dependent moves of different threads with nothing between them (relation.h) show an
 *         order of two places in the code.  If no run has shown these places the other way round, their
 *         reversal is a run to steer to: it exists at least up to the second place.
 * State.  seen      orders that runs have shown, and how many did
 *         tried     orders that were steered to
 *         waiting   the beginnings of such runs, a queue
 */
#ifndef SNAG_EXPLORE_ORDERS_H
#define SNAG_EXPLORE_ORDERS_H

#include "explore/number.h"
#include "explore/relation.h"

enum { SNAG_ORDERS_WAITING = 4096 }; /* not more wait */

struct snag_seen_orders { /* all 0: nothing was run */
	struct snag_tally seen, tried;
	struct snag_waiting_order {
		uint64_t order;
		struct snag_turns turns;
	} * waiting;
	size_t first, n, room;
};

/* Adds a run; returns how many orders it is the first to show. */
uint64_t snag_seen_orders_add(struct snag_seen_orders *o, const struct snag_relation *r);
/* Takes the beginning of a run that would show an order that none has shown; false: none waits. */
bool snag_seen_orders_next(struct snag_seen_orders *o, struct snag_turns *ret_turns);
/* Estimates how many orders there are (Chao 1984), from those seen once and twice. */
double snag_seen_orders_all(const struct snag_seen_orders *o);
void snag_seen_orders_done(struct snag_seen_orders *o);

#endif
