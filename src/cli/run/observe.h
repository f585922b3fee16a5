/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.h - a program that is analysed while it runs
 *
 * snag writes the events of the program to a trace and gives them to the detectors.  If a split
 * matters (trace/split.h), detectors that ignore splits would miss conflicts.  Then snag only
 * writes the rest of the run, and analyses the file, which delivers refined events, when it
 * has ended.
 */
#ifndef SNAG_CLI_OBSERVE_H
#define SNAG_CLI_OBSERVE_H

#include "detect/analyze/analyze.h"
#include "record/live.h"
#include "scout/scout.h"

struct cli_observed {
	struct snag_scout *scout; /* chooses the records that become events; NULL: all do */
	struct snag_source *live; /* delivers the events of the program */
	struct snag_source *tee;  /* reads `live`, and writes its events to a file */
	/* Reads `tee`, and checks the rules of traces; owns `tee`, as that owns `live`. */
	struct snag_source *run;
	struct snag_source *src; /* the source of the analysis: `run`, or the refined file */
	const char *trace;    /* the file with the trace, which stays when the analysis has ended */
	uint64_t trace_bytes; /* the most bytes of that file; 0: any number */
	bool is_stopped_itself; /* Ctrl-C is for the program */
};

/* Where the trace of a run, and its records, lie. */
struct cli_observed_files {
	const char *trace;  /* ends in .snag */
	const char *folder; /* for a temporary file with records */
	uint64_t disk;	    /* the bytes of both files together, at most; 0: any number */
};
/* Starts the program. */
int cli_observe(struct cli_observed *o, char *const *argv, const struct snag_live_options *how,
		const struct cli_observed_files *files, struct snag_error *err);
/* The same for these detectors only. If they take a slice, the trace holds no more than they
 * need. */
int cli_observe_slice(struct cli_observed *o, char *const *argv,
		      const struct snag_live_options *how, const struct cli_observed_files *files,
		      const struct snag_analyze_options *detectors, struct snag_error *err);
/* For a forked copy of the process: treats the events that the scout of `of` has seen so far as the
 * whole run.  The program goes on when the copy ends. */
int cli_observe_cut(struct cli_observed *o, const struct cli_observed *of, const char *trace,
		    struct snag_error *err);
/* Analyses the program until it has ended. */
int cli_observed_analyze(struct cli_observed *o, const struct snag_analyze_options *options,
			 struct snag_analysis *ret_analysis, struct snag_error *err);
/* Analyses its trace once it has ended; o->src is the file then. */
int cli_observed_again(struct cli_observed *o, const struct snag_analyze_options *options,
		       struct snag_analysis *ret_analysis, struct snag_error *err);
/* Returns why the trace lacks a part of the run; NULL: it is whole. */
const char *cli_observed_cut(const struct cli_observed *o);
void cli_observed_done(struct cli_observed *o);

#endif
