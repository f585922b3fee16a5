/* SPDX-License-Identifier: Apache-2.0
 *
 * places.h - the places in the code of a run, of which most are never needed
 *
 * Idea.   The runtime numbers each place with all the calls that led to it, and says once what a
 *         number stands for (RT_NODE).  A program can have hundreds of thousands of them.  To name
 *         one costs a microsecond, and 100 bytes.  So a place is delivered when the first record
 *         that refers to it is, behind its callers.
 *
 * State.  node      by number: the record RT_NODE; an op of RT_NONE: there is none, or it was
 *                   needed
 *         due       what was needed, from `first` on not yet delivered
 * Rules.  [module]  Which function a place lies in depends on the modules at its time.  Before
 *                   another module comes, all places are needed.
 */
#ifndef SNAG_SCOUT_PLACES_H
#define SNAG_SCOUT_PLACES_H

#include "runtime/channel/channel.h"

#include <stdbool.h>
#include <stddef.h>

struct snag_scout_places { /* all 0: empty */
	struct rt_record *node, *due;
	size_t nnodes, node_cap, first, ndue, due_cap;
};

void snag_scout_places_done(struct snag_scout_places *p);
/* Adds a record RT_NODE, whose caller was added before. */
void snag_scout_place_add(struct snag_scout_places *p, const struct rt_record *r);
/* A record that refers to this number is to be delivered; any other number is ignored. */
void snag_scout_place_need(struct snag_scout_places *p, uint32_t number);
void snag_scout_places_need_all(struct snag_scout_places *p); /* [module] */
/* Delivers needed places, callers first, at most `room`; returns how many. */
int snag_scout_places_deliver(struct snag_scout_places *p, struct rt_record *ret_record, int room);
static inline bool snag_scout_places_are_due(const struct snag_scout_places *p)
{
	return p->first < p->ndue;
}

#endif
