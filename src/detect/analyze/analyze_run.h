/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_run.h - one run of detectors over a trace, for the parts of analyze.c
 */
#ifndef SNAG_DETECT_ANALYZE_RUN_H
#define SNAG_DETECT_ANALYZE_RUN_H

#include "detect/analyze/analyze.h"
#include "detect/analyze/collector.h"
#include "detect/analyze/log.h"

struct snag_analyze_run {
	struct snag_source *src;
	const struct snag_analyze_options *options;
	struct snag_analysis *analysis;
	struct snag_log *log;	  /* NULL: the source can be read again */
	struct snag_trace *trace; /* all of it; NULL: no detector asks for it */
	bool is_lent;		  /* the trace belongs to the caller */
	size_t keep;		  /* the trace is kept while it has no more events */
	size_t most;		  /* a longer trace is decided in windows (windows.h) */
	const struct snag_contended *contended; /* as in snag_whole */
	struct snag_error *err;
	struct snag_recent recent;
	struct snag_collector collector[SNAG_MAX_DETECTORS];
	void *state[SNAG_MAX_DETECTORS]; /* of the detectors */
	bool is_out[SNAG_MAX_DETECTORS]; /* left out, because it cannot judge the trace */
	uint32_t ops;			 /* the operations of the trace so far */
};

/* Feeds all events of the source to the detectors.  If the source delivers a trace in memory,
 * the caller may pass it too.  A trace that was cut short counts as interrupted.  If contended
 * variables are given, the source is masked (masked.h), and too long to be decided as a whole. */
struct snag_whole {
	struct snag_source *src;
	struct snag_trace *trace;		/* or NULL */
	const struct snag_contended *contended; /* or NULL */
	bool is_cut;
	size_t most; /* so many events are decided as a whole; 0: as the options say */
};
int snag_analyze_whole(const struct snag_whole *whole, const struct snag_analyze_options *options,
		       struct snag_analysis *ret_analysis, struct snag_error *err);

/* How much of the trace is kept for those that ask for all of it. */
size_t snag_run_events_to_keep(const struct snag_analyze_run *r);
/* Whether a detector may look for partners in the window. */
bool snag_run_needs_window(const struct snag_analyze_run *r);

/* The options ask the analysis to stop. */
static inline bool snag_run_is_stopped(const struct snag_analyze_options *options)
{
	return options->stop && *options->stop;
}

/* The work after the first reading (analyze_answer.c).  These return a negative code on failure.
 * Before the trace ends: names partners, because too many racy accesses wait for theirs. */
int snag_run_answer_early(struct snag_analyze_run *r);
/* When it has ended: names partners, and decides pairs. */
int snag_run_second_part(struct snag_analyze_run *r);
/* At last: looks up what a report shows of each event. */
int snag_run_look_up_details(struct snag_analyze_run *r);

/* Detectors that do not fit the trace (analyze_fit.c).  Before a batch: can they judge it?
 * After it: did one give up?  At the end: remove those of tasks, if there was no task.  A
 * negative result is the error to return. */
int snag_fit_before(struct snag_analyze_run *r, const struct snag_batch *batch);
int snag_fit_after(struct snag_analyze_run *r, const struct snag_batch *batch);
void snag_fit_end(struct snag_analyze_run *r);

#endif
