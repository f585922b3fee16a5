/* SPDX-License-Identifier: Apache-2.0
 *
 * task_run.h - run a small task program, one statement at a time
 *
 * Independent of src/task: no stacks, no policy to speak of.  Tasks are counters into the
 * program; in each round one that can go on does.
 */
#ifndef ORACLE_TASK_RUN_H
#define ORACLE_TASK_RUN_H

#include "task_program.h"
#include "trace/trace.h"

enum task_policy {
	/* A child at once; whoever blocks gives back to who started or resumed it. */
	TASK_DEPTH_FIRST,
	TASK_EAGER,  /* the same, but who sets a promise resumes one that waits for it */
	TASK_RANDOM, /* any task that can go on, at any statement */
	TASK_POLICIES
};

struct task_run {
	struct snag_trace trace; /* events; locations are the numbers of the tokens */
	unsigned tasks;
	unsigned blocked;   /* waits that had to wait and came to an end */
	unsigned reblocked; /* of these: of tasks that had been blocked in a get before */
	bool deadlock;
};

void task_run(struct task_run *run, const struct task_program *p, enum task_policy policy,
	      struct prng *random);
void task_run_done(struct task_run *run);

#endif
