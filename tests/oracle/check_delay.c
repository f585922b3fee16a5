/* SPDX-License-Identifier: Apache-2.0
 *
 * check_delay.c - an access held back (record/replay/delay.h), in traces in which nothing is read
 *
 * Without plain reads a schedule is a reordering as soon as locks, forks, joins and what threads
 * wait for allow it; so the checker of witnesses must accept what delays give.  That a delay is
 * found is not promised; but where the accesses follow each other with nothing of a third thread
 * between, and the second thread waits for nothing, it must be.
 */
#include "base/memory.h"
#include "check.h"
#include "record/replay/delay.h"

#include <string.h>

/* All atomics are those that threads wait for. */
static struct snag_trace trace_without_reads(const struct snag_trace *trace)
{
	struct snag_trace left = *trace;
	left.ev = snag_alloc((trace->n + 1) * sizeof(*left.ev));
	memcpy(left.ev, trace->ev, trace->n * sizeof(*left.ev));
	for (size_t i = 0; i < trace->n; i++) {
		left.ev[i].size = 0;
		if (left.ev[i].op == SNAG_OP_READ)
			left.ev[i] = (struct snag_event){.thread = left.ev[i].thread,
							 .loc = left.ev[i].loc,
							 .op = SNAG_OP_BEGIN};
	}
	return left;
}

/* Nothing but writes of the second thread from the first access on. */
static bool must_come(const struct snag_trace *trace, uint32_t first, uint32_t second)
{
	for (uint32_t e = first + 1; e < second; e++)
		if (trace->ev[e].thread != trace->ev[second].thread ||
		    trace->ev[e].op != SNAG_OP_WRITE)
			return false;
	return true;
}

static enum outcome check_pair(const struct snag_trace *trace, uint32_t first, uint32_t second,
			       struct reason *why)
{
	struct snag_race race = {.first = {.event = first, .thread = trace->ev[first].thread},
				 .second = {.event = second, .thread = trace->ev[second].thread}};
	struct snag_error err = {0};
	bool comes = snag_delay(trace, &race);
	size_t nthreads = trace->names.space[SNAG_SPACE_THREAD].n;
	const struct snag_witness w = {.event = race.witness,
				       .n = race.nwitness,
				       .prefix = snag_race_prefix_counts(&race, nthreads)};
	enum outcome outcome = PASSED;
	if (comes && snag_witness_check(trace, &w, SNAG_RULES_READS, &err) < 0)
		outcome = check_fail(why, "%u held back until %u: %s", first, second, err.msg);
	if (!comes && must_come(trace, first, second))
		outcome = check_fail(why, "%u is not held back until %u", first, second);
	free(w.prefix);
	snag_race_done(&race);
	return outcome;
}

enum outcome check_delay(struct subject *s, struct reason *why)
{
	struct snag_trace trace = trace_without_reads(s->trace);
	enum outcome outcome = PASSED;
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		event_set races = subject_races(s, REL_HYBRID, e2);
		while (races && outcome == PASSED) {
			unsigned e1 = take_first(&races);
			if (trace.ev[e1].op == SNAG_OP_WRITE && trace.ev[e2].op == SNAG_OP_WRITE)
				outcome = check_pair(&trace, e1, e2, why);
		}
	}
	free(trace.ev);
	return outcome;
}
