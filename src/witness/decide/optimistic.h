/* SPDX-License-Identifier: Apache-2.0
 *
 * optimistic.h - an order of S in which sections that do not end run last
 *
 * Idea.   The order of S (closed.h) is a graph.  Its edges are
 *         [program]   program order, fork and join
 *         [conflict]  two conflicting accesses, atomic ones included, as observed
 *         [ended]     the release of a section before the acquire of each competing section that
 *                     was observed later
 *         [open]      the releases of the other competing sections before the acquire of a section
 *                     that does not end in S
 *         There is a witness with these edges iff no two open sections compete, and the graph has
 *         no circle.  Only [open] has edges against the observed order.
 *
 * Layers. Let A be the open acquires that are not last of their lock, and D what follows one of A
 *         along the other edges.  One scan in observed order finds D: an upper part of each thread.
 *         S without D comes first, in observed order.  An acquire of A is *free* if no release
 *         that it must wait for is in D.  If none is free, there is a circle.  Otherwise take the
 *         free acquires out of A.  What leaves D by that is the next layer, in observed order.
 *
 * State.  By variable and lock: stamps of the scan in which a delayed event was met.
 * Cost.   A scan goes through the events from the first acquire of A to the end of S.  There are at
 *         most as many scans as there are acquires in A.
 * Reference.  Shi, Mathur and Pavlogiannis, ICSE 2024.  Their implementation asks the graph about
 *         the ends of [open] edges only, and treats a release after both accesses as missing.
 */
#ifndef SNAG_WITNESS_DECIDE_OPTIMISTIC_H
#define SNAG_WITNESS_DECIDE_OPTIMISTIC_H

#include "witness/decide/state.h"

/* An acquire whose section does not end in S. */
struct snag_open_acquire {
	uint32_t node; /* of the index */
	uint32_t event;
	bool is_delayed; /* it is in A */
	bool is_free;
};

/* What was delayed: the scans that met it. */
struct snag_delayed {
	uint32_t write, read; /* of a variable; of a lock: releases, and shared ones */
};

struct snag_optimistic {
	struct snag_state *state;
	struct snag_open_acquire *open;
	size_t nopen, open_cap;
	uint32_t *has_open;		      /* by lock: the last decision with an open section */
	struct snag_delayed *variable, *lock; /* by variable, by lock */
	uint32_t scan, decision;
	uint32_t *from, *before; /* by thread: the events of D begin here, now and one scan ago */
	uint32_t *order;	 /* the layers after the first */
	size_t norder, order_cap;
};

void snag_optimistic_init(struct snag_optimistic *o, struct snag_state *s);
void snag_optimistic_done(struct snag_optimistic *o); /* accepts zeroed ones */

/* After snag_cut_need(): makes the cut S.  Returns false if two open sections compete. */
bool snag_optimistic_close(struct snag_optimistic *o, uint32_t *cut);
/* Finds the layers: *ret_rest is the first, o->order the others.  Returns false if there is a
 * circle. */
bool snag_optimistic_order(struct snag_optimistic *o, const uint32_t *cut, uint32_t *ret_rest);

#endif
