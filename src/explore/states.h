/* SPDX-License-Identifier: Apache-2.0
 *
 * states.h - states that runs have passed, and how to come there again
 *
 * Idea.   A failure that needs many switches at the right places is out of reach for runs that
 *         begin anew each time.  But there are few *states*, if a state says little: at which place
 *         each thread stands, before which memory, and at which place each thing was changed last.
 *         A run that goes to a state that few runs have passed, and on at random, mostly passes
 *         states that no run has passed before.  So the search advances step by step.
 * State.  cell  a state, with the run that came there first, its last move, and how often a run was
 *               sent there
 *         run   a run with a new state: its turns.  A replay must follow them turn by turn, because
 *               a thread that spins waits after so many polls
 * Rules.  [alike]  Threads that stand at the same place are alike: states do not say which thread
 *                  it is that stands somewhere, or has changed something.  Values do not count
 *         [shared] Only things count that several threads have touched in some run.  A move that
 *                  touches none of them leads to no other state
 *         [pick]   of SNAG_STATES_DRAWN states at random, the one to which the fewest runs were
 *                  sent, and of these the one that the fewest runs have passed
 *         [full]   when the runs have SNAG_STATES_TURNS turns, no state is added any more
 * Guarantee.  None: two states that the program tells apart may count as one.
 * Cost.   A lookup for each move of a run; 16 bytes for each turn of a run with a new state, and 64
 *         bytes a state.
 * Reference.  Ecoffet, Huizinga, Lehman, Stanley and Clune, Nature 590, 2021 (return to a state,
 *         then explore).
 */
#ifndef SNAG_EXPLORE_STATES_H
#define SNAG_EXPLORE_STATES_H

#include "explore/moves.h"
#include "explore/number.h"

enum { SNAG_STATES_DRAWN = 3, SNAG_STATES_TURNS = 4 << 20 };

struct snag_state_cell {
	uint32_t run;
	uint32_t thread; /* its last move: so many events of this thread */
	uint64_t count;
	uint64_t sent, passed;
};

struct snag_states {		  /* all 0: empty */
	struct snag_keyed shared; /* of struct snag_tallied: a thing that several threads touched */
	struct snag_keyed index;  /* of struct snag_tallied: a state, and 1 + its cell */
	struct snag_state_cell *cell;
	size_t ncells, cell_room;
	struct snag_turns *run;
	size_t nruns, run_room;
	uint64_t turns; /* of all runs */
};

/* Adds the states of a run; returns how many no run has passed before. */
uint64_t snag_states_add(struct snag_states *s, const struct snag_moves *moves);
/* The turns that lead to a rare state.  False: none is known. */
bool snag_states_next(struct snag_states *s, uint64_t random, struct snag_turns *ret_turns);
void snag_states_done(struct snag_states *s);

#endif
