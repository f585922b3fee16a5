/* SPDX-License-Identifier: Apache-2.0
 *
 * run_plan.h - which runs `snag run` makes of a program, and why
 *
 * Idea.   `snag run` observes the program in one run if it can.  Each further run has a reason that
 *         an earlier run gave.  run_plan.def lists the kinds of runs with what each does; the plan
 *         is the path through these rules:
 *
 * Rules.  [first]     JUDGE if a detector can judge tasks inside the program (its input can be read
 *                     again, and no file with a report is wanted).  Otherwise RECORD.
 *         [threads]   A JUDGE run of a program without tasks has nothing to judge: it is recorded
 *                     like a RECORD run, and the plan ends.
 *         [verdict]   A clean verdict of JUDGE ends the plan.
 *         [lockstep]  JUDGE found a race, and met `simd` loops: LOCKSTEP.
 *         [excerpt]   JUDGE or LOCKSTEP found a race: EXCERPT, to say where.
 *         [doubt]     JUDGE has no rules for something the program did: RECORD.
 *         [missed]    EXCERPT ended before the race came: RECORD.
 *
 *         A recorded run may have runs of its own, which end with the time for replays: REPLAY,
 *         DELAY and EFFECT (programs of threads), and ORDER (programs of tasks).
 *
 * Guarantee.  At most four runs before those, each kind at most once.
 */
#ifndef SNAG_CLI_RUN_PLAN_H
#define SNAG_CLI_RUN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum cli_run_kind {
#define RUN(name, what) CLI_RUN_##name,
#include "cli/run/run_plan.def"
#undef RUN
	CLI_RUN_KINDS
};

/* The verdict of a program that judged itself, and how the program ended. */
struct cli_judged {
	bool was_there;	  /* a detector has judged a run inside the program */
	bool is_of_tasks; /* it had tasks */
	bool has_simd;	  /* it met `simd` loops, whose order of statements may exclude its races */
	uint64_t races;	  /* 0 if the program did something that the detector has no rules for */
	uint64_t events;  /* up to the first race */
	int status;	  /* the exit status of the program */
	bool is_unknown;  /* whether there is a race is unknown, and the program cannot run again */
};

/* The result of a run. */
struct cli_outcome {
	bool is_enough; /* otherwise the plan continues */
	int status;	/* the exit status of `snag run`, if it is enough */
};

struct cli_plan {
	enum cli_run_kind run;	  /* the run to make now */
	const char *why;	  /* NULL: it is the first one */
	const char *judge;	  /* the detector for JUDGE and LOCKSTEP */
	struct cli_judged judged; /* of the last such run */
	unsigned nruns;		  /* made before this one */
};

/* The plan before the first run.  `judge` NULL: no detector can judge the program. */
struct cli_plan cli_plan(const char *judge);
/* Turns to the next run, when the last one was not enough. */
void cli_plan_next(struct cli_plan *p);

/* Returns whether a detector inside the program judges this run. */
bool cli_plan_judges(const struct cli_plan *p);
/* Returns how many events the run may record; 0: any number. */
uint64_t cli_plan_events(const struct cli_plan *p);
/* Returns in words what a run of this kind does. */
const char *cli_run_words(enum cli_run_kind kind);

#endif
