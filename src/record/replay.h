/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.h - run a program again, steered by a schedule to a race
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
	bool is_quiet; /* the program's input and output are empty ... */
	bool stops; /* ... and it is mute (runtime/channel/mute.h), and killed at the end of its turns */
	double seconds; /* it is killed if it takes longer; 0: never */
	/* Likewise, when this is not 0; may be NULL.  A quiet program does not get our signals. */
	const volatile sig_atomic_t *interrupt;
	const char *trace; /* where to write the trace; NULL: nowhere */
	bool is_compared;  /* it is one of two runs to be compared: with value[] and path */
	bool is_debugged;  /* argv is a debugger that runs the program (runtime/sched/debugger.h) */
};

struct snag_replay_result {
	bool is_confirmed;
	bool was_late;	  /* it was killed before, because it took too long */
	bool diverged;	  /* the schedule could not be followed, ... */
	uint64_t turn;	  /* ... but up to this turn, counted from 0 */
	char words[1024]; /* what happened, and if it diverged, why */
	int status;	  /* of the program, as of waitpid */
	bool was_killed;  /* it took too long, also if it showed the race before */
	/* If it is to be compared: the variable before, between and behind the accesses; 0 bytes:
	 * not known.  And a hash of what its threads did where, each by itself. */
	uint64_t value[RT_RACE_VALUES];
	unsigned value_bytes;
	uint64_t path;
};

int snag_replay_run(const struct snag_replay_plan *plan, struct snag_replay_result *ret_result,
		    struct snag_error *err);

#endif
