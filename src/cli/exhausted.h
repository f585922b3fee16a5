/* SPDX-License-Identifier: Apache-2.0
 *
 * exhausted.h - prints the races found so far if memory runs out during an analysis
 */
#ifndef SNAG_CLI_EXHAUSTED_H
#define SNAG_CLI_EXHAUSTED_H

#include "cli/run/run_files.h"
#include "detect/analyze/analyze.h"
#include "record/launch.h"

/* The races that snag prints on standard error if memory runs out: each pair of locations once,
 * at most CLI_EXHAUSTED_MOST of them. */
struct cli_exhausted {
	const struct snag_analysis *analysis; /* zeroed until the analysis begins */
	const struct snag_source *src;	      /* has the names of locations */
	const char *tool;		      /* the beginning of each line: the name of the tool */
	const char *suspects;		      /* a detector whose races do not count; or NULL */
	const struct cli_place *place;	      /* the folder to remove; or NULL */
	/* The program that waits for the exit status of snag; or NULL. */
	const struct snag_attached *attached;
	int status; /* the exit status of the process, if there are races */
};

enum { CLI_EXHAUSTED_MOST = 100 };

/* From now on, running out of memory prints the races of *e and ends the process.  The caller keeps
 * *e until cli_exhausted_end(). */
void cli_exhausted_begin(struct cli_exhausted *e);
void cli_exhausted_end(void);

#endif
