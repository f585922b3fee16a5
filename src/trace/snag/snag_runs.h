/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_runs.h - the RUNS column of a .snag block: the events that are not in its other columns
 *
 * They follow from earlier events in the block (runs.h).
 */
#ifndef SNAG_TRACE_SNAG_RUNS_H
#define SNAG_TRACE_SNAG_RUNS_H

#include "trace/names.h"
#include "trace/runs.h"
#include "trace/snag/snag_bytes.h"

void snag_runs_put(struct snag_bytes *table, const struct snag_repeat *run, size_t n);

struct snag_runs {
	struct snag_repeat *run;
	size_t n, cap, next; /* which of them comes next */
	uint32_t stored;     /* events delivered that are in no run */
	uint32_t left;	     /* events of the run that has begun */
	struct snag_counts counts;
	struct snag_tail tail;
	struct snag_steps steps;
};

/* Reads the table of a block with `total` events.  Returns false if it is not valid. */
bool snag_runs_begin(struct snag_runs *r, struct snag_span table, const struct snag_counts *counts,
		     uint32_t total, uint32_t *ret_stored);
void snag_runs_done(struct snag_runs *r);
/* Makes up to n events of the next run, if a run comes next.  Returns their number; negative if
 * the run is not valid. */
int64_t snag_runs_events(struct snag_runs *r, struct snag_event *ev, size_t n);
/* Takes the next run as a whole, if a run comes next and it is plain (rule [run] of source.h).
 * Returns 1 and the run in *ret_run, except .at; 0 if there is none, in which case
 * snag_runs_events() says whether events of a run come next; -1 if it is not valid. */
int snag_runs_take(struct snag_runs *r, struct snag_repeat *ret_run);
/* Returns how many events, at most n, come before the next run. */
size_t snag_runs_before(const struct snag_runs *r, size_t n);
/* Notes delivered events that are in no run. */
void snag_runs_stored(struct snag_runs *r, const struct snag_event *ev, size_t n);

#endif
