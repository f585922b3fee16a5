/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - run a program of the small task language depth first, as a source of events
 *
 * The source is the running program: next() lets it run until a batch is full.  Opening it again
 * runs the program again, which does the same, so nothing is kept.  Names: variables as in the
 * text (`x`, `a[3]`, a cell `@LINE` of its alloc), threads are tasks (`0`, `1`, ...), locations
 * `LINE:COLUMN`, promises as declared or `new@LINE`.  The second and later cells or promises of
 * one line get `#2`, `#3`, ...
 */
#ifndef SNAG_LANG_RUN_H
#define SNAG_LANG_RUN_H

#include "lang/program.h"
#include "task/task.h"
#include "trace/source.h"

struct snag_run_options {
	uint64_t steps; /* the most the program may take; 0: 100 million */
	bool may_cut;	/* more steps than that end the run, without an error */
	size_t alive;	/* the most tasks at once; 0: a million, or what half the memory holds */
};

/* Borrows `program`, which must outlive the source and those opened again from it.
 * Errors of the running program (set twice, index out of range, too many steps) are
 * errors of next(), and name their place. */
int snag_run_source(const struct snag_program *program, const struct snag_run_options *options,
		    struct snag_source **ret_src, struct snag_error *err);

/* How the run ended, after next() returned 0; before that, the numbers show its progress.  A
 * deadlock is a result, not an error. */
struct snag_run_end {
	bool deadlock;
	bool cut; /* by the number of steps */
	size_t nwaiting;
	const struct snag_waiting *waiting; /* with the deadlock; owned by the source */
	const struct snag_place *where;	    /* of each of these waits */
	uint64_t tasks, promises, steps;
	uint64_t blocked; /* waits that had to wait */
};
const struct snag_run_end *snag_run_end(const struct snag_source *src);

/* Who created a task of this run so far, and where; task 0 created itself, nowhere. */
struct snag_run_creation {
	snag_tid creator;
	struct snag_place place;
};
struct snag_run_creation snag_run_created(const struct snag_source *src, snag_tid task);

#endif
