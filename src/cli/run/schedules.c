/* SPDX-License-Identifier: Apache-2.0
 *
 * schedules.c - the steps of the witnesses of an analysis
 *
 * The slice that was analysed has them.  If there was none, the trace is read again.
 */
#include "cli/run/schedules.h"

#include "cli/reporting.h"

enum { MOST_EVENTS = 50000000 }; /* of a trace that is read again: 800 MB */

static int trace_read(struct snag_trace *trace, const struct snag_source *src,
		      struct snag_error *err)
{
	struct snag_source *again;
	int rc = snag_source_again(src, &again, err);
	if (rc <= 0)
		return rc;
	rc = snag_trace_load(trace, again, err);
	snag_source_close(again);
	return rc < 0 ? rc : 1;
}

int cli_schedules_build(struct snag_schedules *ret, const struct snag_analysis *a,
			const struct snag_source *src, const struct snag_incidents *all,
			struct snag_error *err)
{
	const struct snag_slice *slice = a->slice;
	struct snag_analysed from = {.stretches = a->stretches.n ? &a->stretches : NULL};
	if (cli_is_windowed(a) || (!slice && a->events > MOST_EVENTS))
		return 0;
	if (slice) {
		from.ev = slice->trace.ev;
		from.n = slice->trace.n;
		from.number = slice->number;
		from.variable = slice->variable;
		snag_schedules_build(ret, &from, all, SNAG_SCHEDULE_ROOM);
		return 1;
	}
	struct snag_trace trace;
	snag_trace_init(&trace);
	int rc = trace_read(&trace, src, err);
	from.ev = trace.ev;
	from.n = trace.n;
	if (rc > 0)
		snag_schedules_build(ret, &from, all, SNAG_SCHEDULE_ROOM);
	snag_trace_done(&trace);
	return rc;
}
