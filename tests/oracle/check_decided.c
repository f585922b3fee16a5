/* SPDX-License-Identifier: Apache-2.0
 *
 * check_decided.c - the detectors whose pairs are decided, against the exhaustive search
 *
 *   pairs       exactly the predictable races among the candidates, which for m2 are all pairs
 *               and otherwise those the relation does not order; each with a witness the
 *               checker accepts
 *   locations   one race for every pair of locations that has such a race; it counts the pairs
 *               of the relation there
 *   syncp, osr  exactly the races of their definitions, likewise
 *   complete    whoever says so has missed no predictable race; m2 always does
 */
#include "check.h"

#include "detect/analyze/analyze.h"
#include "truth_osr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A detector, what it can find and by which rules. */
struct decided {
	const char *name;
	enum snag_rules rules;
	const struct search *search;
	event_set races[MAX_EVENTS];	/* races[e2]: the partners it should find */
	event_set pairs_of[MAX_EVENTS]; /* [e2]: all of its relation, for m2 all races */
	bool counts;			/* so many each race of two locations stands for */
	bool pairs;			/* how it is asked */
};

/* Whether the race is what it claims. */
static enum outcome check_race(struct subject *s, const struct decided *d,
			       const struct snag_race *r, struct reason *why)
{
	uint32_t e1 = r->first.event, e2 = r->second.event;
	if (e1 >= e2 || e2 >= s->model.n || !(d->races[e2] & just(e1)))
		return check_fail(why, "%s reports %u-%u, which it should not", d->name, e1, e2);
	struct snag_witness w = {.prefix = snag_race_prefix_counts(r, s->model.nthreads),
				 .event = r->witness,
				 .n = r->nwitness};
	struct snag_error err = {0};
	bool is_valid = r->verdict == SNAG_PREDICTED &&
			snag_witness_check(s->trace, &w, d->rules, &err) >= 0;
	free(w.prefix);
	if (!is_valid)
		return check_fail(why, "%s reports %u-%u with a bad witness: %s", d->name, e1, e2,
				  err.msg);
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

/* Each of these pairs is found once. */
static enum outcome check_found(struct subject *s, const struct decided *d,
				const struct snag_findings *f, unsigned e2, event_set pairs,
				struct reason *why)
{
	while (pairs) {
		unsigned e1 = take_first(&pairs), n = times_found(s, f, d->pairs, e1, e2);
		if (n != 1)
			return check_fail(why, "%u-%u is predictable; %s has it %u times%s", e1, e2,
					  d->name, n, d->pairs ? "" : " by location");
	}
	return PASSED;
}

static enum outcome check_count(struct subject *s, const struct decided *d,
				const struct snag_race *r, struct reason *why)
{
	unsigned n = 0;
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		for (event_set pairs = d->pairs_of[e2]; pairs;)
			n += has_locations(r, s->trace->ev[take_first(&pairs)].loc,
					   s->trace->ev[e2].loc);
	return n == r->count ? PASSED
			     : check_fail(why, "%s counts %u pairs like %u-%u, not %u", d->name,
					  (unsigned)r->count, r->first.event, r->second.event, n);
}

static enum outcome check_findings(struct subject *s, const struct decided *d,
				   const struct snag_findings *f, struct reason *why)
{
	for (size_t i = 0; i < f->nraces; i++) {
		if (check_race(s, d, &f->race[i], why) == FAILED)
			return FAILED;
		if (d->counts && check_count(s, d, &f->race[i], why) == FAILED)
			return FAILED;
	}
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		event_set all = search_races(d->search, e2) & below(e2);
		if (check_found(s, d, f, e2, f->complete ? all : d->races[e2], why) == FAILED)
			return FAILED;
	}
	return PASSED;
}

static enum outcome check_detector(struct subject *s, const struct decided *d, event_set racy,
				   bool is_complete, struct reason *why)
{
	struct snag_analyze_options options = {
		.detector = {snag_detector_find(d->name, strlen(d->name))},
		.ndetectors = 1,
		.pairs = d->pairs,
		.jobs = 1};
	struct snag_analysis analysis;
	enum outcome outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	const struct snag_findings *f = &analysis.findings[0];
	outcome = check_findings(s, d, f, why);
	event_set found = 0;
	for (size_t i = 0; i < f->nracy; i++)
		found |= just(f->racy[i]);
	if (outcome == PASSED && found != racy)
		outcome = check_fail(why, "racy events of %s: %08x, expected %08x", d->name, found,
				     racy);
	if (outcome == PASSED && is_complete && !f->complete)
		outcome = check_fail(why, "%s is not complete", d->name);
	snag_analysis_done(&analysis);
	return outcome;
}

enum outcome check_m2(struct subject *s, struct reason *why)
{
	struct decided d = {.name = "m2",
			    .rules = SNAG_RULES_READS,
			    .search = subject_search(s, SNAG_RULES_READS),
			    .pairs = s->seed >> 20 & 1};
	event_set racy = 0;
	d.counts = !d.pairs;
	if (!d.search)
		return SKIPPED;
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		d.races[e2] = d.pairs_of[e2] = search_races(d.search, e2) & below(e2);
		if (d.races[e2])
			racy |= just(e2);
	}
	return check_detector(s, &d, racy, true, why);
}

/* A detector that finds the races `d->races`, some of the predictable ones. */
static enum outcome check_some(struct subject *s, struct decided *d, struct reason *why)
{
	event_set racy = 0;
	d->rules = SNAG_RULES_READS;
	d->search = subject_search(s, SNAG_RULES_READS);
	d->pairs = s->seed >> 20 & 1;
	d->counts = !d->pairs;
	if (!d->search)
		return SKIPPED;
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		event_set wrong = d->races[e2] & ~search_races(d->search, e2);
		if (wrong)
			return check_fail(why,
					  "%u-%u is a race by the definition of %s, but not "
					  "predictable",
					  take_first(&wrong), e2, d->name);
		d->pairs_of[e2] = d->races[e2];
		racy |= d->races[e2] ? just(e2) : 0;
	}
	return check_detector(s, d, racy, false, why);
}

enum outcome check_syncp(struct subject *s, struct reason *why)
{
	struct decided d = {.name = "syncp"};
	struct search *preserving = search_new();
	bool is_whole = search_run_preserving(preserving, &s->model);
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		d.races[e2] = search_races(preserving, e2) & below(e2);
	search_free(preserving);
	return is_whole ? check_some(s, &d, why) : SKIPPED;
}

enum outcome check_osr(struct subject *s, struct reason *why)
{
	struct decided d = {.name = "osr"};
	return truth_osr(&s->model, d.races) ? check_some(s, &d, why) : SKIPPED;
}

/* One relation each time, by turns. */
enum outcome check_decided(struct subject *s, struct reason *why)
{
	static const enum relation relations[] = {REL_WCP, REL_DC, REL_SDP, REL_SDPX, REL_WDP};
	enum relation which = relations[(s->seed >> 22) % 5];
	bool by_dependence = which != REL_WCP && which != REL_DC && s->model.has_branch;
	struct decided d = {.name = relation_name[which],
			    .rules = by_dependence ? SNAG_RULES_DEPENDENCE : SNAG_RULES_READS,
			    .pairs = s->seed >> 20 & 1};
	event_set racy = 0;
	d.counts = !d.pairs;
	d.search = subject_search(s, d.rules);
	if (!d.search)
		return SKIPPED;
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		event_set races = subject_races(s, which, e2);
		d.pairs_of[e2] = races;
		d.races[e2] = races & search_races(d.search, e2);
		if (races)
			racy |= just(e2);
	}
	return check_detector(s, &d, racy, false, why);
}
