/* SPDX-License-Identifier: Apache-2.0
 *
 * hunt.h - runs a program under many schedules until one of them fails
 *
 * Idea.   Each worker has a program that serves runs (record/server.h).  It takes the next plan
 *         (search.h), runs it, judges the run (judge.h, failure.h) and adds what it has shown.
 * Rules.  [hang]     A run that takes longer than `timeout` is killed and made once more, with four
 *                    times as much, if there is time: a machine that is busy for a
 *                    moment is no hang.
 *         [quiet]    The judge knows no names.  With suppressions, a run with a race at a new place
 *                    is made again, with names.  If all its races are suppressed, races at its
 *                    places do not count from then on
 *         [split]    of judge.h: such a run, if it is new, is made again, too
 *         [shrink]   The schedule of a failure is made smaller: shrink.h
 */
#ifndef SNAG_EXPLORE_HUNT_H
#define SNAG_EXPLORE_HUNT_H

#include "explore/failure.h"
#include "explore/judge.h"
#include "explore/search.h"

#include <signal.h>

struct snag_found { /* a failure */
	struct snag_failure failure;
	uint64_t schedule; /* its number */
	const char *policy;
	struct snag_turns turns; /* the schedule that leads to the failure */
	/* Switches of the schedule, now and before it was shrunk. */
	size_t switches, switches_before;
	bool repeats;		      /* the turns lead to it again */
	struct snag_output_end error; /* the end of the program's standard error */
};

struct snag_hunt_options {
	char *const *argv;
	uint64_t schedules; /* at most; 0: any number */
	double seconds;	    /* likewise */
	double timeout;	    /* seconds of one run; 0: by the first run */
	unsigned jobs;
	bool keeps_going; /* after a failure: looks for others */
	bool never_serves;
	size_t moves; /* longest run that is looked at as moves; 0: the default */
	const volatile sig_atomic_t *stop; /* may be NULL */
	/* Makes a run again, with names.  Returns how many data races it has that are not
	 * suppressed.  May be NULL. */
	uint64_t (*look)(void *ctx, const struct snag_turns *turns);
	bool has_suppressions;
	/* Hears of every run, in the thread that made it, under the lock; may be NULL. */
	void (*on_run)(void *ctx);
	void *ctx;
};

struct snag_hunt {
	struct snag_hunt_options options;
	struct snag_expectation expected;
	struct snag_schedule_search search;
	uint64_t runs;	   /* how many runs have ended */
	uint64_t new_runs; /* how many runs showed something new */
	struct snag_found *found;
	size_t nfound, found_room;
	double begin, seconds;
	double longest;	   /* run */
	const char *alone; /* why runs are processes; NULL: they are forks */
	bool has_threads, has_tasks, diverged;
	struct snag_tally quiet, loud; /* places of races: suppressed, and not */
	const char *gap; /* why the search ended before there was nothing left; NULL */
	bool has_first;
	int first_status;
};

enum { SNAG_HUNT_FOUND = 100 }; /* not more failures are kept */

/* Runs the search to its end.  The fields options, expected and search.{seed,policy,...} are set by
 * the caller; the others are 0. */
int snag_hunt_run(struct snag_hunt *h, struct snag_error *err);
void snag_hunt_done(struct snag_hunt *h);

/* Runs one schedule, and judges it. */
struct snag_trial {
	struct snag_moves moves;
	struct snag_trial_end end;
	struct snag_served served;
	bool is_split; /* judge.h */
	uint64_t racy[SNAG_JUDGE_PLACES];
	size_t nracy;
};
int snag_trial_run(struct snag_server *server, const char *options, const struct snag_turns *turns,
		   const char *weights, double seconds, size_t moves, struct snag_trial *ret,
		   struct snag_error *err);
void snag_trial_done(struct snag_trial *t);

#endif
