/* SPDX-License-Identifier: Apache-2.0
 *
 * chains.h - which event of which thread reaches which, while edges are added
 *
 * Idea.   The events are a few chains: each thread is one, in program order.  So what an event
 *         reaches in another chain is a suffix of it, and the first event of this suffix says it
 *         all.  Along a chain these first events only move forward.  They are therefore the
 *         suffix minima of the edges, and a Fenwick tree keeps suffix minima.
 *
 * State.  For each two chains t and u a tree over the positions of t: the value at p is the
 *         smallest position of u that an edge from (t, p) goes to.  A tree without an edge is not
 *         allocated.
 *
 * Rules.  [successor]   the first event of u that (t, p) reaches: the minimum from p on
 *         [predecessor] the last event of u that reaches (t, p): the last position of u whose
 *                       suffix minimum is at most p
 *         [insert]      an edge from a to b orders, for each two chains, the last predecessor of a
 *                       before the first successor of b.  All other orderings follow from these
 *
 * Cost.   4 bytes for each event and each other chain that it has an edge to.  O(log n) for a
 *         question, O(threads^2 log n) for an edge.
 * Reference.  Pavlogiannis, POPL 2020, appendix A, algorithms 7 and 8, with these repairs: an
 *             update takes the minimum of the old value and the new, and a chain is not compared
 *             with itself.
 */
#ifndef SNAG_WITNESS_DECIDE_CHAINS_H
#define SNAG_WITNESS_DECIDE_CHAINS_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_spot { /* an event: a chain, and a position in it */
	snag_tid chain;
	uint32_t at;
};

struct snag_chains {
	uint32_t n;
	uint32_t *length; /* by chain */
	uint32_t **tree;  /* by from * n + to; NULL: no edge */
	uint32_t *last;	  /* by chain: scratch of insertions */
	uint32_t *first;
};

enum { SNAG_CHAIN_END = UINT32_MAX }; /* behind every event of a chain */

void snag_chains_init(struct snag_chains *c, uint32_t n);
void snag_chains_done(struct snag_chains *c);
/* Removes all edges, and gives the chains these lengths. */
void snag_chains_begin(struct snag_chains *c, const uint32_t *length);

/* Returns the position of the first event of chain u that `from` reaches, or SNAG_CHAIN_END.  In
 * its own chain, an event reaches itself. */
uint32_t snag_chains_successor(const struct snag_chains *c, struct snag_spot from, snag_tid u);
/* Returns how many events of chain u reach `to`.  In its own chain, an event reaches itself. */
uint32_t snag_chains_predecessors(const struct snag_chains *c, struct snag_spot to, snag_tid u);
/* Returns whether a is b, or reaches it. */
bool snag_chains_reaches(const struct snag_chains *c, struct snag_spot a, struct snag_spot b);

/* A new ordering: `from` is now the last event of its chain that reaches `to`, and `to` the first
 * of its chain that `from` reaches. */
struct snag_ordering {
	struct snag_spot from, to;
	uint32_t old_last;  /* so many events of the chain of `from` reached `to` before, */
	uint32_t old_first; /* and this was the first that `from` reached in that of `to` */
};
typedef void snag_chains_ordered(void *ctx, const struct snag_ordering *o);

/* Adds an edge.  b does not reach a.  Calls `ordered` for every new ordering of two chains; from
 * these all others follow by program order. */
void snag_chains_insert(struct snag_chains *c, struct snag_spot a, struct snag_spot b,
			snag_chains_ordered *ordered, void *ctx);

#endif
