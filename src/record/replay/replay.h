/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.h - runs a program again, steered by a schedule to a race
 *
 * The race is confirmed when the program's own trace has the two accesses next to each other:
 * different threads, the same variable, one of them a write, at the expected places.  Nothing
 * can order two such events, whatever else happened in the run.
 */
#ifndef SNAG_RECORD_REPLAY_H
#define SNAG_RECORD_REPLAY_H

#include "record/turns.h"

#include <signal.h>

struct snag_replay_access { /* where one of the two accesses is expected */
	const char *place;  /* as of snag_location_text */
	bool is_write;
};

struct snag_replay_plan {
	char *const *argv;
	const struct snag_turns *turns;
	struct snag_replay_access access[2];
	uint64_t seed; /* of what comes after the schedule */
	bool is_quiet; /* the program's input and output are empty */
	/* The program is mute (runtime/channel/mute.h), and killed at the end of its turns. */
	bool stops;
	double seconds; /* it is killed if it takes longer; 0: never */
	/* It is also killed when this is not 0; may be NULL.  A quiet program does not get our
	 * signals. */
	const volatile sig_atomic_t *interrupt;
	const char *trace; /* where to write the trace; NULL: nowhere */
	bool is_compared;  /* for `effect.h`: the result has value[] and path */
	bool is_debugged;  /* argv is a debugger that runs the program (runtime/sched/debugger.h) */
};

struct snag_replay_result {
	bool is_confirmed;
	bool was_late;	  /* it was killed before it reached the race, because it took too long */
	bool diverged;	  /* the schedule could not be followed */
	uint64_t turn;	  /* the first turn that could not be followed, counted from 0 */
	char words[1024]; /* the outcome in words, with the reason if the run diverged */
	int status;	  /* of the program, as of waitpid */
	bool was_killed;  /* it took too long, also if it showed the race before */
	/* With is_compared: the variable before, between and after the accesses (0 bytes: unknown),
	 * and a hash of the events and places of each thread. */
	uint64_t value[RT_RACE_VALUES];
	unsigned value_bytes;
	uint64_t path;
};

int snag_replay_run(const struct snag_replay_plan *plan, struct snag_replay_result *ret_result,
		    struct snag_error *err);

#endif
