/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_runs.h - the RUNS column of a .snag block: which events are not in its other columns
 *
 * They follow from events before them in the block (runs.h).
 */
#ifndef SNAG_TRACE_SNAG_RUNS_H
#define SNAG_TRACE_SNAG_RUNS_H

#include "trace/names.h"
#include "trace/runs.h"
#include "trace/snag_bytes.h"

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

/* Reads the table of a block with `total` events.  False: it is not valid. */
bool snag_runs_begin(struct snag_runs *r, struct snag_span table, const struct snag_counts *counts,
		     uint32_t total, uint32_t *ret_stored);
void snag_runs_done(struct snag_runs *r);
/* Makes up to n events of the run that is next, if one is; returns how many, negative: it is not
 * valid. */
int64_t snag_runs_events(struct snag_runs *r, struct snag_event *ev, size_t n);
/* Takes the run that is next as a whole, if one is and it is plain (rule [run] of source.h).
 * 1: *ret_run is that run, but for .at; 0: there is none, and snag_runs_events() says whether there
 * are events of a run; -1: it is not valid. */
int snag_runs_take(struct snag_runs *r, struct snag_repeat *ret_run);
/* How many events, of at most n, come before the next run. */
size_t snag_runs_before(const struct snag_runs *r, size_t n);
/* Events that are in no run were delivered. */
void snag_runs_stored(struct snag_runs *r, const struct snag_event *ev, size_t n);

#endif
