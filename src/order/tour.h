/* SPDX-License-Identifier: Apache-2.0
 *
 * tour.h - walk through a series-parallel graph, downwards or upwards
 *
 * Idea.   Where a task is created, the graph forks into two branches: A, the task, and B, what
 *         its creator does next; they meet again where both have been waited for.  A tour
 *         visits every step once and says where the branches begin and end:
 *
 *           down   a step after all steps before it:   fork  A  turn  B  join
 *           up     a step after all steps after it:    fork  A  turn  B  join, too, but
 *                  from the meeting of the branches to their common origin
 *
 *         The order of steps in the down tour is the English order, that of the up tour the
 *         Hebrew order backwards (SP-order): of two steps, one comes before the other iff it
 *         does so in both orders.
 * Cost.   Linear, no recursion.
 * Reference.  Bender, Fineman, Gilbert and Leiserson, On-the-fly maintenance of
 *         series-parallel relationships in fork-join multithreaded programs, SPAA 2004.
 */
#ifndef SNAG_ORDER_TOUR_H
#define SNAG_ORDER_TOUR_H

#include "order/cgraph.h"

enum snag_tour_kind { SNAG_TOUR_STEP, SNAG_TOUR_FORK, SNAG_TOUR_TURN, SNAG_TOUR_JOIN };
enum snag_tour_direction { SNAG_TOUR_DOWN, SNAG_TOUR_UP };

struct snag_tour {
	const struct snag_cgraph *graph;
	enum snag_tour_direction direction;
	uint32_t at;   /* a node of the tree */
	uint32_t mode; /* the kind of step, see tour.c */
};

/* The graph must be series-parallel (is_sp), and must not change. */
void snag_tour_init(struct snag_tour *tour, const struct snag_cgraph *g,
		    enum snag_tour_direction direction);
/* Returns false at the end of the tour.  Sets *ret_step with SNAG_TOUR_STEP only. */
bool snag_tour_next(struct snag_tour *tour, enum snag_tour_kind *ret_kind, uint32_t *ret_step);

/* The place of every step in the two orders. */
struct snag_sporder {
	uint32_t english, hebrew;
};

/* Returns a new object that the caller frees. */
struct snag_sporder *snag_sporder_new(const struct snag_cgraph *g);

static inline bool snag_sporder_precedes(struct snag_sporder a, struct snag_sporder b)
{
	return a.english < b.english && a.hebrew < b.hebrew;
}

/* Returns whether all edges except the isolated ones order the steps exactly so: the graph is
 * series-parallel, and promises order nothing that is not ordered without them. */
bool snag_sporder_is_exact(const struct snag_cgraph *g, const struct snag_sporder *order);

#endif
