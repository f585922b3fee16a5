/* SPDX-License-Identifier: Apache-2.0
 *
 * task_check.h - what every detector of tasks must say about a run of a program
 */
#ifndef ORACLE_TASK_CHECK_H
#define ORACLE_TASK_CHECK_H

#include "task_program.h"
#include "task_run.h"

struct task_check {
	const char *name; /* of the detector */
	/* Which programs it can judge, and whether it needs a serial run. */
	struct task_features features;
	bool serial;
	/* It judges the graph of the run, isolated blocks in their order. */
	bool blocks_in_order;
	unsigned long passed, skipped;
};

extern struct task_check task_checks[]; /* ends with name NULL */

struct task_reason {
	char text[512];
};

/* Whether all selected checks (comma-separated, NULL: all) pass. */
bool task_check_all(const struct task_program *p, const struct task_run *run, const char *selected,
		    struct task_reason *why);

#endif
