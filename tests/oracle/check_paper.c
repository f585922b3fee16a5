/* SPDX-License-Identifier: Apache-2.0
 *
 * check_paper.c - the published procedures against the exhaustive search
 *
 * Every pair of conflicting accesses with no lock in common, by RaceDecision:
 *   sound       what it verifies is a race, with a witness the checker accepts; so it finds a
 *               subset of what the exact engine finds (check_decide.c)
 *   certain     what it rejects for certain is no race
 *   two threads all it rejects is certain
 * And of the detectors that use it:
 *   races       m2 reports the pairs that were verified, or one for each of their pairs of
 * locations complete    iff nothing was rejected uncertainly; then nothing is missed uncertain
 * counts what was: pairs, or pairs of locations without a race
 */
#include "check.h"

#include "detect/analyze/analyze.h"
#include "witness/decide/paper.h"

/* What RaceDecision says about the pairs, by the later event. */
struct answers {
	event_set verified[MAX_EVENTS];
	event_set uncertain[MAX_EVENTS];
};

static enum outcome check_pair(struct subject *s, struct snag_paper *p, bool is_race, unsigned e1,
			       unsigned e2, struct answers *ret, struct reason *why)
{
	enum snag_decision found = snag_paper_decide(p, e1, e2);
	struct snag_error err = {0};
	if (found == SNAG_VERIFIED) {
		ret->verified[e2] |= just(e1);
		if (is_race && snag_witness_check(s->trace, snag_paper_witness(p), SNAG_RULES_READS,
						  &err) == 0)
			return PASSED;
		return check_fail(why, "%u-%u is verified, but %s", e1, e2,
				  is_race ? err.msg : "no race");
	}
	if (found == SNAG_UNDECIDED)
		return check_fail(why, "%u-%u is undecided", e1, e2);
	bool is_certain = snag_paper_is_certain(p);
	if (is_race && is_certain)
		return check_fail(why, "%u-%u is a race, but rejected for certain", e1, e2);
	if (!is_certain && s->model.nthreads == 2)
		return check_fail(why, "%u-%u of two threads is not rejected for certain", e1, e2);
	if (!is_certain)
		ret->uncertain[e2] |= just(e1);
	return PASSED;
}

static enum outcome check_pairs(struct subject *s, const struct search *search, struct answers *ret,
				struct reason *why)
{
	struct snag_index *ix = snag_index_new_published(s->trace);
	snag_index_add_mode(ix, SNAG_MODE_M2);
	struct snag_paper *p = snag_paper_new(ix, 0);
	enum outcome outcome = PASSED;
	if (s->seed >> 21 & 1) /* with them or without, it is the same procedure */
		snag_paper_use_no_windows(p);
	for (unsigned e2 = 0; e2 < s->model.n && outcome == PASSED; e2++)
		for (event_set rest = s->model.conflicts[e2] & below(e2);
		     rest && outcome == PASSED;) {
			unsigned e1 = take_first(&rest);
			if (snag_index_common_lock(ix, e1, e2))
				continue;
			bool is_race = search_races(search, e2) & just(e1);
			outcome = check_pair(s, p, is_race, e1, e2, ret, why);
		}
	snag_paper_free(p);
	snag_index_free(ix);
	return outcome;
}

/* Whether the pair has the same two locations as one of these. */
static bool has_place(const struct subject *s, const event_set *pairs, unsigned e1, unsigned e2)
{
	const struct snag_event *ev = s->trace->ev;
	for (unsigned b = 0; b < s->model.n; b++)
		for (event_set rest = pairs[b]; rest;) {
			unsigned a = take_first(&rest);
			if ((ev[a].loc == ev[e1].loc && ev[b].loc == ev[e2].loc) ||
			    (ev[a].loc == ev[e2].loc && ev[b].loc == ev[e1].loc))
				return true;
		}
	return false;
}

/* How many of the pairs there are: with `places`, of different locations, and none that a pair in
 * `without` has too. */
static uint64_t count(const struct subject *s, const event_set *pairs, bool places,
		      const event_set *without)
{
	event_set counted[MAX_EVENTS] = {0};
	uint64_t n = 0;
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		for (event_set rest = pairs[e2]; rest;) {
			unsigned e1 = take_first(&rest);
			if (places && (has_place(s, counted, e1, e2) ||
				       (without && has_place(s, without, e1, e2))))
				continue;
			counted[e2] |= just(e1);
			n++;
		}
	return n;
}

static enum outcome check_findings(struct subject *s, const struct answers *a,
				   const struct snag_findings *f, bool pairs, struct reason *why)
{
	uint64_t races = count(s, a->verified, !pairs, NULL);
	uint64_t uncertain = count(s, a->uncertain, !pairs, a->verified);
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *r = &f->race[i];
		if (r->verdict != SNAG_PREDICTED ||
		    !(a->verified[r->second.event] & just(r->first.event)))
			return check_fail(why, "m2 reports %u-%u", r->first.event, r->second.event);
	}
	if (f->nraces != races || !f->by_paper || f->uncertain != uncertain ||
	    f->complete != (uncertain == 0))
		return check_fail(why,
				  "m2: %zu races, %u uncertain, complete: %d;\n"
				  "expected: %u, %u",
				  f->nraces, (unsigned)f->uncertain, f->complete, (unsigned)races,
				  (unsigned)uncertain);
	return PASSED;
}

static enum outcome check_detector(struct subject *s, const struct answers *a, struct reason *why)
{
	struct snag_analyze_options options = {.detector = {snag_detector_find("m2", 2)},
					       .ndetectors = 1,
					       .stages = SNAG_STAGES_PAPER,
					       .pairs = s->seed >> 20 & 1,
					       .jobs = 1};
	struct snag_analysis analysis;
	enum outcome outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	outcome = check_findings(s, a, &analysis.findings[0], options.pairs, why);
	snag_analysis_done(&analysis);
	return outcome;
}

enum outcome check_paper(struct subject *s, struct reason *why)
{
	const struct search *search = subject_search(s, SNAG_RULES_READS);
	struct answers answers = {0};
	if (!search)
		return SKIPPED;
	enum outcome outcome = check_pairs(s, search, &answers, why);
	return outcome == PASSED ? check_detector(s, &answers, why) : outcome;
}
