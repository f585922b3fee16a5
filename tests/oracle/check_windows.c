/* SPDX-License-Identifier: Apache-2.0
 *
 * check_windows.c - m2 and the predictive orders in windows (detect/analyze/windows.h) predict no
 * race that is none
 *
 * The windows are as small as they can be, up to a few events.  Every race must be one of those
 * that m2 finds in the whole trace, the checker must accept its witness on the whole trace, and hb
 * must find the same as without windows.  The trace is also analysed with a detector that takes no
 * slice, as the windows are then of all events.
 *
 * A relation must report the same pairs as if nothing were decided, and as many for each two
 * locations.  What it predicts must be predicted or undecided in the whole trace, too.
 */
#include "base/memory.h"
#include "check.h"
#include "detect/analyze/analyze.h"
#include "detect/analyze/windows.h"

#include <string.h>

static int analyze(const struct snag_trace *trace, size_t window, bool whole,
		   struct snag_analysis *ret_analysis)
{
	struct snag_analyze_options options = {
		.detector = {snag_detector_find("m2", 2), snag_detector_find("hb", 2)},
		.ndetectors = 2,
		.pairs = true,
		.whole = whole,
		.memory = window * SNAG_WINDOW_EVENT_BYTES};
	struct snag_error err;
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, &options, ret_analysis, &err);
	snag_source_close(src);
	return rc;
}

static bool has_race(const struct snag_findings *f, const struct snag_race *race)
{
	for (size_t i = 0; i < f->nraces; i++)
		if (f->race[i].first.event == race->first.event &&
		    f->race[i].second.event == race->second.event)
			return true;
	return false;
}

static enum outcome check_race(const struct snag_trace *trace, const struct snag_findings *all,
			       const struct snag_race *race, size_t window, struct reason *why)
{
	size_t nthreads = trace->names.space[SNAG_SPACE_THREAD].n;
	struct snag_error err = {0};
	const struct snag_witness w = {.event = race->witness,
				       .n = race->nwitness,
				       .prefix = snag_race_prefix_counts(race, nthreads)};
	enum outcome outcome = PASSED;
	if (!has_race(all, race))
		outcome = check_fail(why, "windows of %zu: %u-%u is no race", window,
				     race->first.event, race->second.event);
	else if (race->verdict == SNAG_PREDICTED &&
		 snag_witness_check(trace, &w, SNAG_RULES_READS, &err) < 0)
		outcome = check_fail(why, "windows of %zu: %u-%u: %s", window, race->first.event,
				     race->second.event, err.msg);
	free(w.prefix);
	return outcome;
}

/* The relations, in the whole trace (window 0) or in windows. */
static int relate(const struct snag_trace *trace, size_t window, bool pairs, bool undecided,
		  struct snag_analysis *ret_analysis)
{
	static const char *const names[] = {"wcp", "dc", "sdp", "sdpx", "wdp"};
	struct snag_analyze_options options = {
		.pairs = pairs, .undecided = undecided, .memory = window * SNAG_WINDOW_EVENT_BYTES};
	struct snag_error err;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		options.detector[options.ndetectors++] =
			snag_detector_find(names[i], strlen(names[i]));
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, &options, ret_analysis, &err);
	snag_source_close(src);
	return rc;
}

/* `all` are its pairs by the relation, `decided` those of them that the whole trace does not
 * refute, `f` what it finds in windows: all of them if every pair is wanted. */
static enum outcome check_relation(const struct snag_trace *trace, const struct snag_findings *all,
				   const struct snag_findings *decided,
				   const struct snag_findings *f, size_t window, struct reason *why)
{
	enum outcome outcome = PASSED;
	if (f->npairs != all->npairs || f->nracy != all->nracy)
		return check_fail(why, "%s in windows of %zu: %zu pairs instead of %zu", f->name,
				  window, (size_t)f->npairs, (size_t)all->npairs);
	for (size_t i = 0; i < f->nraces && outcome == PASSED; i++) {
		bool is_predicted = f->race[i].verdict == SNAG_PREDICTED;
		outcome = check_race(trace, is_predicted ? decided : all, &f->race[i], window, why);
	}
	return outcome;
}

static enum outcome check_relations(const struct snag_trace *trace, size_t window,
				    struct reason *why)
{
	struct snag_analysis all, decided, a;
	enum outcome outcome = PASSED;
	if (relate(trace, 0, true, true, &all) < 0)
		return SKIPPED;
	relate(trace, 0, true, false, &decided);
	for (int pairs = 0; pairs < 2 && outcome == PASSED; pairs++) {
		if (relate(trace, window, pairs, false, &a) < 0) {
			outcome = check_fail(why, "windows of %zu: cannot be related", window);
			break;
		}
		for (size_t i = 0; i < a.n && outcome == PASSED && a.findings[i].windows; i++)
			outcome = check_relation(trace, &all.findings[i], &decided.findings[i],
						 &a.findings[i], window, why);
		snag_analysis_done(&a);
	}
	snag_analysis_done(&all);
	snag_analysis_done(&decided);
	return outcome;
}

static enum outcome compare(const struct snag_trace *trace, const struct snag_analysis *all,
			    const struct snag_analysis *a, size_t window, struct reason *why)
{
	const struct snag_findings *m2 = &a->findings[0], *hb = &a->findings[1];
	enum outcome outcome = PASSED;
	for (size_t i = 0; i < m2->nraces && outcome == PASSED; i++)
		outcome = check_race(trace, &all->findings[0], &m2->race[i], window, why);
	if (outcome == PASSED && m2->complete && m2->nraces != all->findings[0].nraces)
		outcome = check_fail(why, "windows of %zu: complete, but %zu races instead of %zu",
				     window, m2->nraces, all->findings[0].nraces);
	if (outcome == PASSED && hb->npairs != all->findings[1].npairs)
		outcome = check_fail(why, "windows of %zu: hb has %zu pairs instead of %zu", window,
				     (size_t)hb->npairs, (size_t)all->findings[1].npairs);
	return outcome;
}

enum outcome check_windows(struct subject *s, struct reason *why)
{
	static const size_t windows[] = {4, 5, 8, 13};
	struct snag_analysis all, a;
	enum outcome outcome = PASSED;
	if (analyze(s->trace, 0, false, &all) < 0)
		return SKIPPED;
	for (size_t i = 0; i < 8 && outcome == PASSED; i++) {
		size_t window = windows[i / 2];
		if (analyze(s->trace, window, i % 2, &a) < 0) {
			outcome = check_fail(why, "windows of %zu: cannot be analysed", window);
			break;
		}
		outcome = compare(s->trace, &all, &a, window, why);
		snag_analysis_done(&a);
		if (i % 2 && outcome == PASSED)
			outcome = check_relations(s->trace, window, why);
	}
	snag_analysis_done(&all);
	return outcome;
}
