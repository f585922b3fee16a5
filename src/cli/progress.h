/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h - one line on the terminal that says how far the work is
 */
#ifndef SNAG_CLI_PROGRESS_H
#define SNAG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum cli_progress_when { CLI_PROGRESS_AUTO, CLI_PROGRESS_ON, CLI_PROGRESS_OFF };

struct cli_progress {
	bool on;
	bool shown;	    /* there is a line to erase */
	double start, last; /* as of snag_seconds_now() */
	double deciding;    /* when deciding began; */
	uint64_t decided;   /* the latest number of decided pairs; 0: none yet */
};

/* With AUTO, progress is shown if standard error is a terminal. */
void cli_progress_begin(struct cli_progress *p, enum cli_progress_when when);
/* `part` is 0 to 1, or negative if unknown.  The signature is that of
 * snag_analyze_options.progress. */
void cli_progress_show(void *progress, uint64_t events, double part);
/* The same for pairs that are decided: `done` of `of`. */
void cli_progress_decided(void *progress, uint64_t done, uint64_t of);
/* The same for orders of isolated blocks. */
void cli_progress_orders(struct cli_progress *p, uint64_t orders);
/* The same for schedules of a program: orders seen, and about how many there are. */
void cli_progress_schedules(struct cli_progress *p, uint64_t schedules, uint64_t orders,
			    double all);
/* The same for classes of equivalent runs: how many runs wait. */
void cli_progress_classes(struct cli_progress *p, uint64_t schedules, uint64_t classes,
			  uint64_t waiting);
void cli_progress_end(struct cli_progress *p); /* erases the line */

#endif
