/* SPDX-License-Identifier: Apache-2.0
 *
 * classes.h - runs of a program that show every class of equivalent runs
 *
 * Idea.   Dynamic partial order reduction.  A run shows its class, and its reversals (relation.h)
 *         lead to others.  Run them all, and all of theirs, until there is none that was not run.
 *
 * State.  tried    the numbers of the reversals that were run or wait to be
 *         classes  the numbers of the classes that were seen
 *         waiting  the beginnings of runs to be made: a stack
 *
 * Guarantee.  When nothing waits, every class was seen.  Proof: let a run F be of a class that was
 *         not seen.  Among the runs E that were made take one that shares the largest beginning P
 *         with F, where P is a set of moves that is closed downwards in both partial orders.  Let f
 *         be the next move of F behind P, and let E be, among such, one with the fewest moves
 *         outside P that come before f.  There is one, or P and f were shared.  The last of them
 *         that f depends on directly, e, makes a reversal (e, f) of E.  What it keeps contains P,
 *         and in its run f comes behind fewer moves outside P: E was not the one with the fewest.
 *         This holds if the moves of a thread depend on nothing but what it has read, so for
 *         programs that do not look at the clock, at files or at other processes.
 * Cost.   A run for every tried reversal.  Several can lead to one class, so there are more runs
 *         than classes.
 */
#ifndef SNAG_EXPLORE_CLASSES_H
#define SNAG_EXPLORE_CLASSES_H

#include "explore/number.h"
#include "explore/relation.h"

struct snag_classes { /* all 0: nothing was run */
	struct snag_tally tried, classes;
	struct snag_turns *waiting;
	size_t nwaiting, room;
	uint64_t runs;	    /* how many runs were added */
	uint64_t redundant; /* how many of these runs were of a known class */
	bool is_cut;	    /* a run was too long to be looked at */
	bool has_begun;
};

/* Takes the beginning of a run to be made; the caller ends it with snag_turns_done().  False:
 * nothing waits at present. */
bool snag_classes_next(struct snag_classes *c, struct snag_turns *ret_turns);
/* Adds a run.  Returns whether its class is new. */
bool snag_classes_add(struct snag_classes *c, const struct snag_moves *moves);
void snag_classes_done(struct snag_classes *c);

#endif
