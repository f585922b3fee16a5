/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.h - which moves of a run depend on which, and which could come in the other order
 *
 * Idea.   Two runs are equivalent if they have the same moves, and all moves that depend on each
 *         other come in the same order: then every thread reads the same values in both.  A class
 *         of equivalent runs is this partial order.  It has a number (a hash), which every run of
 *         the class computes alike.
 *
 *         A reversal is a pair of dependent moves (e, f) of different threads with nothing between
 *         them in the partial order.  A run in which f comes first exists, up to f: all moves that
 *         come neither after e nor after f, in their order, and then f.
 *
 * Rules.  [sections] Taking a lock comes after the last release of it; that cannot be turned round.
 *                    What can is (acquire of the earlier section, acquire of the later one).
 *         [trylock]  A trylock also depends on the release before it: without it, it would fail.
 *         [pending]  A thread that waits for a lock in the end can take it before the holder does.
 *
 * Reference.  Godefroid, LNCS 1032 (1996); Flanagan and Godefroid, POPL 2005 (the reversals).
 */
#ifndef SNAG_EXPLORE_RELATION_H
#define SNAG_EXPLORE_RELATION_H

#include "explore/moves.h"

struct snag_reversal {
	uint32_t first, second; /* moves: e and f */
};

struct snag_relation {
	const struct snag_moves *moves;
	uint32_t *clock;  /* moves->n rows of nthreads: moves of each thread up to here */
	uint32_t *index;  /* of each move in its thread, from 1 */
	uint64_t *number; /* of each move with all that comes before it */
	uint64_t *name;	  /* of each thread: the same in all runs */
	uint64_t class;	  /* of the run */
	struct snag_reversal *reversal;
	size_t nreversals, reversal_room;
};

enum { SNAG_RELATION_MOST = 1 << 26 }; /* entries of clock[] */

/* Computes the relation; false: the run is too long for it. */
bool snag_relation_make(struct snag_relation *ret, const struct snag_moves *moves);
void snag_relation_done(struct snag_relation *r);
/* Returns whether e comes before f in the partial order, or is f. */
bool snag_relation_before(const struct snag_relation *r, uint32_t e, uint32_t f);

/* Returns the number of what is run before the second, as a partial order, and of its thread: equal
 * for reversals, of any runs, that lead to the same. */
uint64_t snag_reversal_number(const struct snag_relation *r, const struct snag_reversal *reversal);
/* Computes the turns that run the moves before the second of the reversal, and then that one. */
void snag_reversal_turns(const struct snag_relation *r, const struct snag_reversal *reversal,
			 struct snag_turns *ret);

#endif
