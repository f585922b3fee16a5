/* SPDX-License-Identifier: Apache-2.0
 *
 * reversals.h - which orders of isolated blocks are left to be tried
 *
 * Idea.   A run is a path in the tree of all orders.  Whenever two blocks conflict, nothing lies
 *         between them and structure does not order them, there are runs in which they come the
 *         other way round: these branch off before the first of them, with a
 *         block that the second does not need it for.  The program is run again with the
 *         beginning of the path and that block; then it goes on as it likes.
 *         A block that was tried at a branch sleeps in the others until one that conflicts with
 *         it has run: before that, it would lead to an order that was run.
 *
 * State.  node[d]   before block d of the path: the blocks that were tried there, the last one
 *                   is on the path; those to be tried; those that sleep
 * Rules.  [race]    e conflicts with a later j, not ordered by structure, nothing between: of the
 *                   blocks between them that do not depend on e one that needs no other of them
 *                   must be tried at e, or have been; j itself if there are none
 *         [sleep]   what sleeps at a node, or was tried there, sleeps at the next if it does
 *                   not conflict with what ran
 *         [asleep]  a run that enters a block that sleeps repeats others from there on
 *         [again]   neighbours in memory have one name, so that a block may wake up for nothing:
 *                   a run is new if those that conflict came in an order that no other had
 *
 * Guarantee.  When nothing is left, every order was run, and none is counted twice, if blocks
 *         depend on nothing but what came before them.
 * Cost.   A run: its conflicts times its blocks, over 64 bits.
 * Reference.  Abdulla et al., Optimal dynamic partial order reduction, POPL 2014: source-DPOR.
 *         lang/explore.c does the same for single accesses.
 */
#ifndef SNAG_DETECT_REVERSALS_H
#define SNAG_DETECT_REVERSALS_H

#include "detect/blocks.h"

struct snag_reversals;

struct snag_reversals *snag_reversals_new(void);
void snag_reversals_free(struct snag_reversals *r); /* accepts NULL */

/* What the next run should do: enter the first `nbegin` blocks in this order, and then, while
 * there are others, none of the rest, which sleep. */
struct snag_order_plan {
	uint64_t *id;
	size_t nbegin, n;
};
/* False: no order is left.  The plan is to be freed, and the first is to do as one likes. */
bool snag_reversals_next(struct snag_reversals *r, struct snag_order_plan *ret_plan);
void snag_order_plan_done(struct snag_order_plan *plan);

enum snag_order_run {
	SNAG_ORDER_NEW,
	SNAG_ORDER_REDUNDANT, /* all that follows in this order had been run */
	SNAG_ORDER_DIVERGED,  /* it did not begin as planned */
};
/* The run that followed the plan. */
enum snag_order_run snag_reversals_add(struct snag_reversals *r, const struct snag_blocks *run);

#endif
