/* SPDX-License-Identifier: Apache-2.0
 *
 * task_report.h - the findings of one program of tasks, as data, and their printers
 *
 * The program ran once, depth first, and detectors judged that run.  Perhaps all other orders
 * were explored as well.
 */
#ifndef SNAG_REPORT_TASK_REPORT_H
#define SNAG_REPORT_TASK_REPORT_H

#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"

/* A place in the text of the program, from 1; line 0: nowhere. */
struct snag_task_place {
	uint32_t line, column;
};

/* Where a task comes from. */
struct snag_task_origin {
	snag_tid creator;
	struct snag_task_place place; /* line 0: it is the first task */
};

/* A task that waits in a deadlock, and for what, in words: "promise p". */
struct snag_task_wait {
	snag_tid task;
	struct snag_task_place place;
	const char *what;
};

/* The result of running the program in all orders that can matter. */
struct snag_task_explored_access {
	snag_tid task;
	struct snag_task_place place;
	bool is_write;
};

struct snag_task_schedule {
	const snag_tid *task; /* which task takes each step */
	size_t n;
};

struct snag_task_explored_race {
	const char *variable;
	struct snag_task_explored_access first, second;
	struct snag_task_schedule schedule; /* up to the second access */
};

/* How a schedule can end badly. */
struct snag_task_explored_stuck {
	struct snag_task_wait *wait; /* the waiting tasks */
	size_t n;		     /* 0: no schedule ends like that */
	struct snag_task_schedule schedule;
};

struct snag_task_explored_error {
	const char *message; /* "name:line:column: ..." */
	struct snag_task_schedule schedule;
};

struct snag_task_explored {
	uint64_t schedules, redundant, cut, final_states, graphs;
	double seconds;
	bool exhaustive, deterministic;
	const char *gap;		      /* why it is not exhaustive, in words */
	struct snag_task_explored_race *race; /* one per variable */
	size_t nraces;
	struct snag_task_explored_error *error;
	size_t nerrors;
	struct snag_task_explored_stuck deadlock, endless;
	/* The number of random schedules that ran as well; whether they agree on memory and
	 * graph. */
	uint64_t confirmed;
	bool same_memory, same_graph;
};

struct snag_task_report {
	const char *program; /* the name of the file */
	const char *text;    /* of the program */
	size_t nbytes;
	const struct snag_names *names;
	uint64_t events, tasks, promises, steps, blocked;
	bool interrupted;
	const struct snag_findings *findings; /* of each detector */
	size_t nfindings;
	struct snag_task_origin (*origin)(void *ctx, snag_tid task);
	void *ctx;
	bool deadlock;
	bool failed;			   /* the program ended with an error */
	bool cut;			   /* the run, by the number of steps it may take */
	const struct snag_task_wait *wait; /* the waiting tasks, by number */
	size_t nwaits;
	const struct snag_task_explored *explored; /* NULL: it was not asked for */
	bool stats; /* figures about the run and the detectors are wanted */
};

enum snag_task_verdict {
	SNAG_TASK_RACE,
	SNAG_TASK_RACE_FREE,	 /* for this input, on every schedule */
	SNAG_TASK_NO_RACE_FOUND, /* no guarantee */
	SNAG_TASK_VERDICTS
};

extern const char *const snag_task_verdict_text[SNAG_TASK_VERDICTS];

/* What a detector says.  After a cut nothing is guaranteed: what would have come was not seen.  A
 * race-free run that ends in a deadlock is a proof: every schedule ends in the same one (Theorem 11
 * of Jin et al.). */
enum snag_task_verdict snag_task_verdict(const struct snag_task_report *report,
					 const struct snag_findings *findings);

/* Returns the verdict of the exploration: race-free only if it was exhaustive. */
enum snag_task_verdict snag_task_explored_verdict(const struct snag_task_explored *x);

/* The parts of names that readers see: the place from "LINE:COLUMN", and the name of a variable,
 * which for a cell is "@LINE".  *ret_cell numbers the cells of one line from 1, and is 0 for
 * anything else. */
struct snag_task_place snag_task_place_of(const struct snag_names *names, snag_loc loc);
enum { SNAG_TASK_NAME = 128 };
void snag_task_variable_of(const struct snag_names *names, uint32_t variable,
			   char ret_name[SNAG_TASK_NAME], uint32_t *ret_cell);

/* The members of the JSON object of `snag task --json`. */
struct snag_json;
void snag_task_report_json(const struct snag_task_report *report, struct snag_json *j);

struct snag_task_text_options {
	bool colour;
	uint64_t limit; /* races shown; 0: all */
};
void snag_task_report_text(const struct snag_task_report *report,
			   const struct snag_task_text_options *options, struct snag_printer *to);

/* task_explored.c: the member "explore", and the lines about it. */
void snag_task_explored_json(const struct snag_task_explored *x, struct snag_json *j);
void snag_task_explored_text(const struct snag_task_report *report, struct snag_printer *to);

/* One race that one or several detectors found: a variable and two places. */
struct snag_task_race {
	const struct snag_race *race; /* the one whose second access comes first */
	uint32_t found_by;	      /* a bit for every detector */
	uint64_t count;		      /* pairs of events, of the detector that found most */
};

/* Returns all of them, in the order of their second accesses; the caller frees the array. */
struct snag_task_race *snag_task_races(const struct snag_task_report *report, size_t *ret_n);

#endif
