/* SPDX-License-Identifier: Apache-2.0
 *
 * steering.h - runs a program again, steered by a schedule
 *
 * The program gets the schedule as memory that it inherits.  What the replays look for in the new
 * run differs: replay.h, replay_atomicity.h, replay_deadlock.h, replay_freed.h.
 */
#ifndef SNAG_RECORD_STEERING_H
#define SNAG_RECORD_STEERING_H

#include "record/live.h"
#include "record/turns.h"

#include <signal.h>

struct snag_steering {
	char *const *argv;
	const struct snag_turns *turns;
	uint64_t seed;	/* of what comes after the schedule */
	bool is_quiet;	/* the program's input and output are empty */
	bool stops;	/* it is killed at the end of its turns */
	double seconds; /* it is killed if it takes longer; 0: never */
	/* It is also killed when this is not 0; may be NULL. */
	const volatile sig_atomic_t *interrupt;
};

/* Reads the program's events to their end, and judges them. */
typedef int snag_steered(void *ctx, struct snag_source *live, struct snag_error *err);

/* Starts the program and calls f, whose result it returns.  `more` says what else the run needs:
 * its options ("key=value:..."), and io for a quiet program. */
int snag_steer(const struct snag_steering *how, struct snag_live_options more, snag_steered *f,
	       void *ctx, struct snag_error *err);

#endif
