/* SPDX-License-Identifier: Apache-2.0
 *
 * draft.h - a trace in the making, and whether it obeys the rules of traces
 *
 * A draft is a list of events with small numbers for threads, variables, locks and
 * locations, in no particular order; a trace numbers them by first appearance.
 * The generator, the mutator and the shrinker all work on drafts.
 */
#ifndef ORACLE_DRAFT_H
#define ORACLE_DRAFT_H

#include "model.h"

#include <stdio.h>

struct draft {
	struct snag_event ev[MAX_EVENTS];
	unsigned n;
};

/* Marks nested acquires and releases.  False if the draft breaks a rule: a lock
 * taken that another holds, or in two ways at once; a release without acquire;
 * a thread that acts before its fork or after its join, is forked twice, or forks
 * or joins itself. */
bool draft_check(struct draft *d);

/* Builds the trace of a draft that draft_check() accepted; the trace is
 * initialised here. */
void draft_to_trace(const struct draft *d, struct snag_trace *ret_trace);
/* The other way round; the trace has at most MAX_EVENTS events. */
void draft_from_trace(const struct snag_trace *trace, struct draft *ret_draft);

/* Parses `T0 acq l; T1 w x; ...`: names are a letter and a digit or just a
 * letter.  False: not of that form. */
bool draft_parse(const char *text, struct draft *ret_draft);

/* Writes the trace as STD lines, each with `indent` in front. */
void trace_print(FILE *to, const struct snag_trace *trace, const char *indent);

#endif
