/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.h - which orders of two places in the code runs have shown, and which they could show
 *
 * Idea.   Two dependent moves of different threads with nothing between them (relation.h) show an
 *         order of two places in the code.  If no run has shown these places the other way round,
 *         their reversal is a run to steer to: it exists at least up to the second place.  The same
 *         holds for the sources of moves (sources.h).
 *
 *         When all orders and sources have been seen or tried, what is left is to combine them.
 *         So every run that belongs to a new class leaves one of its reversals or other sources, by
 *         chance, in a pool; each of them leads from a run that was new to another one.
 * State.  seen      orders and sources that runs have shown, and how many did
 *         tried     those that were steered to
 *         waiting   the beginnings of such runs, a queue
 *         pool      the beginnings of others, no particular order
 */
#ifndef SNAG_EXPLORE_ORDERS_H
#define SNAG_EXPLORE_ORDERS_H

#include "explore/number.h"
#include "explore/relation.h"

enum { SNAG_ORDERS_WAITING = 4096, SNAG_ORDERS_POOL = 512 }; /* not more wait */

struct snag_seen_orders { /* all 0: nothing was run */
	struct snag_tally seen, tried;
	struct snag_waiting_order {
		uint64_t order;
		struct snag_turns turns;
	} * waiting;
	size_t first, n, room;
	struct snag_turns pool[SNAG_ORDERS_POOL];
	size_t npool;
};

/* Adds a run; returns how many orders it is the first to show.  The pool gets a beginning if the
 * run `is_new`; `random` chooses it. */
uint64_t snag_seen_orders_add(struct snag_seen_orders *o, const struct snag_relation *r,
			      bool is_new, uint64_t random);
/* Takes the beginning of a run that would show an order that none has shown, or one of the pool;
 * false: there is none. */
bool snag_seen_orders_next(struct snag_seen_orders *o, uint64_t random,
			   struct snag_turns *ret_turns);
/* Estimates how many orders there are (Chao 1984), from those seen once and twice. */
double snag_seen_orders_all(const struct snag_seen_orders *o);
void snag_seen_orders_done(struct snag_seen_orders *o);

#endif
