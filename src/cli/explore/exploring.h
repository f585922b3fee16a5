/* SPDX-License-Identifier: Apache-2.0
 *
 * exploring.h - runs a program of tasks in every order of its isolated blocks, or critical sections
 *
 * Idea.   The program runs again and again, each time with the beginning of another order
 *         (detect/tasks/reversals.h).  Each run is judged with its blocks in the order in
 *         which they ran (detect/tasks/sections.c): a race is what some order has.  The first
 *         race ends the exploration, because what the program does after one is not decided by
 *         the order of its blocks alone; so does the first deadlock.
 */
#ifndef SNAG_CLI_EXPLORING_H
#define SNAG_CLI_EXPLORING_H

#include "cli/run/run_report.h"
#include "detect/tasks/blocks.h"
#include "report/tasks/orders.h"

struct cli_explore_options {
	char *const *argv;
	const char *with; /* detectors; NULL: sections */
	uint64_t runs;	  /* the most runs; 0: any number */
	double seconds;	  /* the most seconds, for all runs; 0: any number */
	bool of_all; /* of a program of <snag/task.h>: its locks and atomics are blocks from the start */
	bool is_part; /* part of `snag run`: the program reads the same input again */
	struct snag_suppressions *suppressions; /* may be NULL */
	bool is_tsan;
	const char *strip_path_prefix;
	/* Prints the report of a run with a race or a deadlock, whose blocks came in this order. */
	int (*on_failure)(void *ctx, struct cli_run_report *r, struct snag_source *src,
			  const struct snag_blocks *blocks, struct snag_error *err);
	/* Hears of each order that was run; may be NULL. */
	void (*on_order)(void *ctx, uint64_t orders);
	/* The exploration is over, and not by a failure: the names are those of *ret's places. */
	void (*on_end)(void *ctx, const struct snag_names *names);
	void *ctx;
};

/* Fills in *ret as it goes, so that callbacks see it. */
int cli_explore(const struct cli_explore_options *options, struct snag_orders *ret,
		struct snag_error *err);

/* Returns whether the order of locks or atomics is the obstacle. */
bool cli_is_of_all(const struct snag_obstacle *o);

/* Prints where the blocks were, in their order. */
void cli_explored_order_print(const struct snag_blocks *blocks, const struct snag_names *names);

#endif
