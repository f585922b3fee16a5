/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_states.h - the graph of all states of a tiny program that may loop
 *
 * Each state is reached once, by the first sequence of actions found, and all actions are tried
 * from there; no reduction.  A schedule that never ends is a way through this graph that
 * never comes to a last state; one that cannot end has left all ways to one.
 */
#ifndef ORACLE_EXPLORE_STATES_H
#define ORACLE_EXPLORE_STATES_H

#include "lang/program.h"

#include <stdbool.h>

struct states {
	bool is_exact; /* all states were seen; otherwise nothing below counts */
	bool deadlock; /* some last state has tasks that wait and none that has failed */
	bool endless;  /* from some state no last state can be reached */
	bool error;    /* a task can fail */
	unsigned racy; /* two tasks can do conflicting accesses next; bits as in explore_brute.h */
	size_t final_states, nstates;
};

void states_explore(const struct snag_program *program, struct states *ret_states);

#endif
