/* SPDX-License-Identifier: Apache-2.0
 *
 * reversals.h - which orders of isolated blocks are still to be tried
 *
 * Idea.   A run is a path in the tree of all orders.  Suppose two blocks conflict, nothing lies
 *         between them, and structure does not order them.  Then there are runs in which they
 *         come the other way round.  These branch off before the first of the two, with a block
 *         that does not need the first one.  The program runs again with the beginning of the
 *         path and that block; then it continues freely.
 *         A block that was tried at a branch sleeps in the others until a conflicting one has
 *         run. Before that, it would lead to an order that has already run.
 *
 * State.  node[d]   before block d of the path: the blocks that were tried there, the last of
 *                   which is on the path; those to be tried; those that sleep
 * Rules.  [race]    e conflicts with a later j, not ordered by structure, nothing between: of
 *                   the blocks between them that do not depend on e, one that needs no other of
 *                   them must be tried at e, or have been tried; j itself if there are none
 *         [sleep]   what sleeps at a node, or was tried there, sleeps at the next node if it
 *                   does not conflict with what ran
 *         [asleep]  a run that enters a sleeping block repeats others from there on
 *         [again]   neighbours in memory share a name, so a block may wake up without need: a
 *                   run is new if its conflicting blocks came in an order that no other run had
 *
 * Guarantee.  When nothing is left, every order has run, and none is counted twice, if blocks
 *             depend on nothing but what came before them.
 * Cost.   A run: its conflicts times its blocks, over 64 bits.
 * Reference.  Abdulla et al., Optimal dynamic partial order reduction, POPL 2014: source-DPOR.
 *             lang/explore.c does the same for single accesses.
 */
#ifndef SNAG_DETECT_REVERSALS_H
#define SNAG_DETECT_REVERSALS_H

#include "detect/tasks/blocks.h"

struct snag_reversals;

struct snag_reversals *snag_reversals_new(void);
void snag_reversals_free(struct snag_reversals *r); /* accepts NULL */

/* The plan of the next run: enter the first `nbegin` blocks in this order.  After that, while
 * other blocks can run, enter none of the rest, which sleep. */
struct snag_order_plan {
	uint64_t *id;
	size_t nbegin, n;
};
/* Returns false if no order is left.  The caller frees the plan.  The first plan is empty: any
 * order will do. */
bool snag_reversals_next(struct snag_reversals *r, struct snag_order_plan *ret_plan);
void snag_order_plan_done(struct snag_order_plan *plan);

enum snag_order_run {
	SNAG_ORDER_NEW,
	SNAG_ORDER_REDUNDANT, /* everything after this point has already run */
	SNAG_ORDER_DIVERGED,  /* it did not begin as planned */
};
/* Adds the run that followed the plan. */
enum snag_order_run snag_reversals_add(struct snag_reversals *r, const struct snag_blocks *run);

#endif
