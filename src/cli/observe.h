/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.h - a program that is analysed while it runs
 *
 * What it does goes to a trace and to the detectors.  If a split matters (trace/split.h), the
 * detectors would miss conflicts: then the rest of the run is only written, and the trace, which
 * is refined as it is read, is analysed when it has ended.
 */
#ifndef SNAG_CLI_OBSERVE_H
#define SNAG_CLI_OBSERVE_H

#include "detect/analyze/analyze.h"
#include "record/live.h"

struct cli_observed {
	struct snag_source *live; /* the program ... */
	struct snag_source *tee;  /* ... whose trace this writes ... */
	struct snag_source *run;  /* ... and this checks: each has the one before inside */
	struct snag_source *src;  /* what was analysed: `run`, or the refined file */
	const char *trace;	  /* the file, which is left behind */
	bool is_stopped_itself;	  /* Ctrl-C is for the program */
};

/* Starts the program.  `trace` ends in .snag. */
int cli_observe(struct cli_observed *o, char *const *argv, const struct snag_live_options *how,
		const char *trace, struct snag_error *err);
/* Until it has ended. */
int cli_observed_analyze(struct cli_observed *o, const struct snag_analyze_options *options,
			 struct snag_analysis *ret_analysis, struct snag_error *err);
void cli_observed_done(struct cli_observed *o);

#endif
