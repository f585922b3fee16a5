/* SPDX-License-Identifier: Apache-2.0
 *
 * exploring.h - runs a program of tasks in every order of its isolated blocks, or critical sections
 *
 * Idea.   The program runs again and again, each time with the beginning of another order
 *         (detect/tasks/reversals.h).  The detector judges each run with its blocks in the order in
 *         which they ran (detect/tasks/sections.c): the program has a race if some order has one.
 *         The first race or deadlock ends the exploration, because after a race the order of the
 *         blocks no longer determines what the program does.
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
	/* Called after each run with the number of orders run so far; may be NULL. */
	void (*on_order)(void *ctx, uint64_t orders);
	/* Called at the end of an exploration without a failure; `names` has the names of the
	 * places in *ret. */
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
