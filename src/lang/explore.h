/* SPDX-License-Identifier: Apache-2.0
 *
 * explore.h - run a program of the small task language in every order that can matter
 *
 * A single run answers questions for one schedule; an exploration answers them for all: which
 * variables can race, which final states there are, whether the program can deadlock or fail.
 * If `exhaustive` is true, the answer is a proof; otherwise it is a list of what was seen.
 * docs/algorithms/explore.md describes the method, explore.c implements it.
 *
 * A schedule is the sequence of the tasks that took the steps.  A read, write or set is one
 * step; so is an isolated block (several, if plain accesses race with it).  Tasks are numbered
 * in the order of their creation in that schedule.
 */
#ifndef SNAG_LANG_EXPLORE_H
#define SNAG_LANG_EXPLORE_H

#include "lang/program.h"

#include <signal.h>
#include <stdbool.h>

struct snag_explore_options {
	uint64_t schedules; /* at most; 0: no limit */
	double seconds;	    /* at most; 0: no limit */
	uint64_t steps;	    /* instructions of one schedule; 0: SNAG_EXPLORE_STEPS */
	/* Called now and then with the number of steps taken and the part of the work that is
	 * done (negative: unknown).  May be NULL. */
	void (*progress)(void *ctx, uint64_t events, double part);
	void *progress_ctx;
	const volatile sig_atomic_t *stop; /* non-zero: report what is known; may be NULL */
};

enum { SNAG_EXPLORE_STEPS = 1000000 };

struct snag_schedule {
	snag_tid *task; /* which task takes each step */
	size_t n;
};

struct snag_explored_access {
	snag_tid task;
	snag_loc loc;
	bool is_write;
	bool is_isolated;
};

struct snag_explored_race {
	char *variable;			    /* "x", "a[3]", "@12" */
	struct snag_explored_access first;  /* in the schedule */
	struct snag_explored_access second; /* its last step */
	struct snag_schedule schedule;
};

/* A task that cannot continue. */
struct snag_explored_wait {
	snag_tid task;
	snag_loc loc;
	/* "get", "finish", "sync", "isolated", or "loop": it waits for a change. */
	const char *what;
};

/* How a schedule can end badly; `n` is 0 if none does. */
struct snag_explored_stuck {
	struct snag_explored_wait *wait;
	size_t n;
	struct snag_schedule schedule;
};

struct snag_explored_error {
	snag_loc loc;
	char *message; /* "name:line:column: ..." */
	struct snag_schedule schedule;
};

/* Why an exploration was not exhaustive. */
enum snag_explore_gap {
	SNAG_EXPLORE_COMPLETE,
	SNAG_EXPLORE_SCHEDULES,
	/* A schedule was cut off after so many steps. */
	SNAG_EXPLORE_SECONDS,
	SNAG_EXPLORE_STEPS_CUT,
	SNAG_EXPLORE_STOPPED,
};

struct snag_explored {
	uint64_t schedules; /* run to their ends, all different */
	uint64_t redundant; /* given up on the way: everything that could follow was already seen */
	uint64_t cut;	    /* cut off by the limit of steps */
	uint64_t events;    /* steps taken in all of them */
	double seconds;
	bool exhaustive; /* exactly if gap is SNAG_EXPLORE_COMPLETE */
	enum snag_explore_gap gap;

	struct snag_explored_race *race; /* one per racy variable, ascending by name */
	size_t nraces;
	struct snag_explored_error *error; /* one per place in the text, as found */
	size_t nerrors;
	struct snag_explored_stuck deadlock; /* all that is left waits, nothing has failed */
	struct snag_explored_stuck endless;  /* as deadlock, but a loop reads the same for ever */

	uint64_t final_states; /* different ones, of schedules that ended */
	uint64_t graphs;       /* different computation graphs */
	bool deterministic; /* proved: one final state, and the same tasks that wait for the same */

	/* For programs that are proved free of races and have no isolated blocks: the number of
	 * random schedules, action by action, that ran as well. */
	uint64_t confirmed;
	bool same_memory, same_graph; /* as Theorem 11 of Jin et al. says */
};

/* Always succeeds: errors of the program are results. */
void snag_explore(const struct snag_program *program, const struct snag_explore_options *options,
		  struct snag_explored *ret_explored);
void snag_explored_done(struct snag_explored *x); /* accepts NULL */

/* "every schedule was covered", "the limit of schedules was reached", ... */
const char *snag_explore_gap_text(enum snag_explore_gap gap);

#endif
