/* SPDX-License-Identifier: Apache-2.0
 *
 * check_filter.c - what is lost when accesses are left out as the runtime does it
 *
 * The rules of runtime/access/access.h on a trace: within an epoch of its thread, which ends with
 * every synchronisation of anybody, a read of what was read or written and a write of what was
 * written are left out, unless another thread was there since.  hb must find races on the same
 * variables.  The predictive detectors may find other ones, if there is a race at all, be it of a
 * plain with an atomic access: a trace with such a difference counts as one to which the check does
 * not apply, so that the oracle prints how many there are.
 */
#include "base/memory.h"
#include "check.h"
#include "detect/analyze/analyze.h"

#include <string.h>

enum { FEW_VARIABLES = 32, FEW_THREADS = 16 };

static struct snag_trace trace_filtered(const struct snag_trace *trace)
{
	struct snag_trace left = *trace;
	struct known {
		uint32_t seen, written; /* variables, in this epoch */
	} known[FEW_THREADS] = {{0, 0}};
	left.ev = snag_alloc((trace->n + 1) * sizeof(*left.ev));
	left.n = 0;
	for (size_t i = 0; i < trace->n; i++) {
		const struct snag_event *ev = &trace->ev[i];
		bool is_access = snag_op_is_access(ev->op), is_write = ev->op == SNAG_OP_WRITE;
		uint32_t bit = is_access ? UINT32_C(1) << ev->target : 0;
		struct known *own = &known[ev->thread];
		if (!is_access && ev->op != SNAG_OP_BRANCH)
			memset(known, 0, sizeof(known));
		if (is_access && (is_write ? own->written : own->seen) & bit)
			continue;
		for (struct known *k = known; k < known + FEW_THREADS && bit; k++) {
			k->seen &= ~bit;
			k->written &= ~bit;
		}
		own->seen |= bit;
		own->written |= is_write ? bit : 0;
		left.ev[left.n++] = *ev;
	}
	return left;
}

/* The variables that have races, or -1. */
static int64_t racy_variables(const struct snag_trace *trace, const char *detector)
{
	struct snag_analyze_options options = {
		.detector = {snag_detector_find(detector, strlen(detector))},
		.ndetectors = 1,
		.pairs = true};
	struct snag_analysis analysis;
	struct snag_error err;
	int64_t racy = 0;
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, &options, &analysis, &err);
	snag_source_close(src);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < analysis.findings[0].nraces; i++)
		racy |= INT64_C(1) << analysis.findings[0].race[i].second.target;
	snag_analysis_done(&analysis);
	return racy;
}

static enum outcome compare(struct subject *s, const char *detector, bool may_differ,
			    struct reason *why)
{
	if (s->trace->names.space[SNAG_SPACE_VARIABLE].n > FEW_VARIABLES ||
	    s->trace->names.space[SNAG_SPACE_THREAD].n > FEW_THREADS)
		return SKIPPED;
	struct snag_trace left = trace_filtered(s->trace);
	int64_t all = racy_variables(s->trace, detector), found = racy_variables(&left, detector);
	free(left.ev);
	if (all == found)
		return PASSED;
	if (may_differ && found >= 0 && (all > 0 || racy_variables(s->trace, "mixed") > 0))
		return SKIPPED;
	return check_fail(why, "%s: racy variables %llx, with the filter %llx", detector,
			  (unsigned long long)all, (unsigned long long)found);
}

enum outcome check_filter(struct subject *s, struct reason *why)
{
	return compare(s, "hb", false, why);
}

enum outcome check_filter_m2(struct subject *s, struct reason *why)
{
	return compare(s, "m2", true, why);
}

enum outcome check_filter_wdp(struct subject *s, struct reason *why)
{
	return compare(s, "wdp", true, why);
}
