/* SPDX-License-Identifier: Apache-2.0
 *
 * check_m2.c - the detector m2 against the exhaustive search
 *
 *   pairs       exactly the predictable races, each with a witness the checker accepts
 *   locations   one race for every pair of locations that has a predictable race
 *   complete    always, on traces this small
 */
#include "check.h"

#include "detect/analyze.h"

#include <stdio.h>

/* Whether the race is what it claims. */
static enum outcome check_race(struct subject *s, const struct search *search,
			       const struct snag_race *r, struct reason *why)
{
	uint32_t e1 = r->first.event, e2 = r->second.event;
	if (e1 >= e2 || e2 >= s->model.n || !(search_races(search, e2) & just(e1)))
		return check_fail(why, "m2 reports %u-%u, which is no predictable race", e1, e2);
	struct snag_witness w = {.prefix = r->prefix, .event = r->witness, .n = r->nwitness};
	struct snag_error err;
	if (r->verdict != SNAG_PREDICTED ||
	    snag_witness_check(s->trace, &w, SNAG_RULES_READS, &err) < 0)
		return check_fail(why, "m2 reports %u-%u with a bad witness: %s", e1, e2, err.msg);
	bool ends_so = (w.event[w.n - 2] == e1 && w.event[w.n - 1] == e2) ||
		       (w.event[w.n - 2] == e2 && w.event[w.n - 1] == e1);
	return ends_so ? PASSED
		       : check_fail(why, "the witness of %u-%u is of another pair", e1, e2);
}

static bool has_locations(const struct snag_race *r, snag_loc a, snag_loc b)
{
	return (r->first.loc == a && r->second.loc == b) ||
	       (r->first.loc == b && r->second.loc == a);
}

/* How many of the races stand for this predictable one. */
static unsigned times_found(const struct subject *s, const struct snag_findings *f, bool pairs,
			    unsigned e1, unsigned e2)
{
	unsigned n = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *r = &f->race[i];
		n += pairs ? r->first.event == e1 && r->second.event == e2
			   : has_locations(r, s->trace->ev[e1].loc, s->trace->ev[e2].loc);
	}
	return n;
}

static enum outcome check_findings(struct subject *s, const struct search *search,
				   const struct snag_findings *f, bool pairs, struct reason *why)
{
	event_set racy = 0, expected = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		if (check_race(s, search, &f->race[i], why) == FAILED)
			return FAILED;
		expected |= just(f->race[i].second.event);
	}
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		for (event_set rest = search_races(search, e2) & below(e2); rest;) {
			unsigned e1 = take_first(&rest), n = times_found(s, f, pairs, e1, e2);
			if (n != 1)
				return check_fail(why, "%u-%u is predictable; m2 has it %u times%s",
						  e1, e2, n, pairs ? "" : " by location");
		}
	for (size_t i = 0; i < f->nracy; i++)
		racy |= just(f->racy[i]);
	if (racy != expected || f->nracy != (size_t)__builtin_popcount(racy))
		return check_fail(why, "racy events of m2: %08x, of its races: %08x", racy,
				  expected);
	return f->complete ? PASSED : check_fail(why, "m2 is not complete");
}

enum outcome check_m2(struct subject *s, struct reason *why)
{
	const struct search *search = subject_search(s, SNAG_RULES_READS);
	bool pairs = s->seed >> 20 & 1;
	struct snag_analyze_options options = {.detector = {snag_detector_find("m2", 2)},
					       .ndetectors = 1,
					       .pairs = pairs,
					       .jobs = 1};
	struct snag_analysis analysis;
	struct snag_error err;
	if (!search)
		return SKIPPED;
	struct snag_source *src = snag_trace_source(s->trace);
	int rc = snag_analyze(src, &options, &analysis, &err);
	snag_source_close(src);
	if (rc < 0)
		return check_fail(why, "m2: %s", err.msg);
	enum outcome outcome = check_findings(s, search, &analysis.findings[0], pairs, why);
	snag_analysis_done(&analysis);
	return outcome;
}
