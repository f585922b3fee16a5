/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_brute.h - every interleaving of a tiny program, one by one
 *
 * No reduction, no remembered states: each schedule is run from the beginning, action by
 * action, its computation graph closed by definition and searched for races, and its
 * final state written down as text.  Shares with the explorer the meaning of actions
 * (lang/explore_world.h) and nothing else.
 */
#ifndef ORACLE_EXPLORE_BRUTE_H
#define ORACLE_EXPLORE_BRUTE_H

#include "lang/program.h"

#include <stdbool.h>

enum { BRUTE_NAMES = 8, BRUTE_ERRORS = 16 };

struct brute {
	unsigned long schedules;
	bool is_exact; /* all schedules were run; otherwise nothing below counts */
	bool deadlock;
	unsigned racy; /* bits of the declared variables, in order; the highest: cells */
	size_t final_states, graphs, structures;
	snag_loc error[BRUTE_ERRORS]; /* ascending */
	size_t nerrors;
};

#define BRUTE_CELLS (1u << 31)

void brute_explore(const struct snag_program *program, unsigned long max_schedules,
		   struct brute *ret_brute);

#endif
