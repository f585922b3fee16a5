/* SPDX-License-Identifier: Apache-2.0
 *
 * check_detector.c - a detector against the relation it computes
 *
 *   racy events   those with an earlier conflicting event not ordered before them
 *   pairs         every racy pair once; its sites are those of the trace, `known` is the
 *                 last event of the first one's thread that is ordered before the second
 *   groups        one race per unordered pair of locations, with the number of its pairs
 * Brief findings have no locks and no `known`.
 *
 * The same where races order their accesses (--order-races).
 */
#include "check.h"

#include "detect/analyze/analyze.h"

#include <stdio.h>
#include <string.h>

struct expected {
	enum relation which;
	event_set races[MAX_EVENTS]; /* races[e2]: its partners */
	event_set racy;
	unsigned npairs;
	bool pairs, brief;  /* how the detector is asked */
	bool ordered;	    /* races order their accesses */
	struct order order; /* then: what each event is compared with */
};

static void expect_races(struct subject *s, enum relation which, struct expected *ret)
{
	/* By turns: each way of asking costs a run. */
	*ret = (struct expected){
		.which = which, .pairs = s->seed >> 20 & 1, .brief = s->seed >> 21 & 1};
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		ret->races[e2] = subject_races(s, which, e2);
		ret->npairs += (unsigned)__builtin_popcount(ret->races[e2]);
		if (ret->races[e2])
			ret->racy |= just(e2);
	}
}

static void expect_ordered(struct subject *s, enum relation which, struct expected *ret)
{
	*ret = (struct expected){.which = which,
				 .pairs = s->seed >> 20 & 1,
				 .brief = s->seed >> 21 & 1,
				 .ordered = true};
	relation_compute_ordered(&s->model, which, &ret->order, ret->races);
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		ret->npairs += (unsigned)__builtin_popcount(ret->races[e2]);
		ret->racy |= ret->races[e2] ? just(e2) : 0;
	}
}

static enum outcome differ(const struct subject *s, const struct expected *ex,
			   const struct snag_findings *found, const char *what, struct reason *why)
{
	char expected[600], pairs[600] = "";
	size_t at = 0;
	pairs_text(ex->races, s->model.n, expected, sizeof(expected));
	for (size_t i = 0; i < found->nraces && at + 40 < sizeof(pairs); i++)
		at += (size_t)snprintf(pairs + at, sizeof(pairs) - at, " %u-%u(%u)",
				       found->race[i].first.event, found->race[i].second.event,
				       (unsigned)found->race[i].count);
	return check_fail(why, "%s of detector %s\n  relation: %s\n  detector:%s", what,
			  found->name, expected, pairs);
}

static bool site_is_right(const struct subject *s, bool brief, const struct snag_site *site)
{
	const struct snag_event *ev = &s->trace->ev[site->event];
	unsigned held = 0;
	for (uint32_t i = 0; i < site->nlocks; i++)
		held |= 1u << site->locks[i].lock;
	if (site->thread != ev->thread || site->target != ev->target || site->loc != ev->loc ||
	    site->op != ev->op)
		return false;
	return brief || (held == s->model.held[site->event] &&
			 site->nlocks == (uint32_t)__builtin_popcount(held));
}

static bool race_is_right(struct subject *s, const struct expected *ex, const struct snag_race *r)
{
	uint32_t e1 = r->first.event, e2 = r->second.event;
	if (e1 >= s->model.n || e2 >= s->model.n || !(ex->races[e2] & just(e1)))
		return false;
	const struct order *order = ex->ordered ? &ex->order : &s->order[ex->which];
	event_set known =
		relation_before(&s->model, ex->which, order, e2) & s->model.of[s->model.thread[e1]];
	uint32_t last = known ? 31 - (uint32_t)__builtin_clz(known) : SNAG_NO_EVENT;
	return site_is_right(s, ex->brief, &r->first) && site_is_right(s, ex->brief, &r->second) &&
	       (ex->brief || r->known.event == last);
}

static enum outcome check_racy(struct subject *s, const struct expected *ex,
			       const struct snag_findings *found, struct reason *why)
{
	event_set racy = 0;
	for (size_t i = 0; i < found->nracy; i++) {
		if (i > 0 && found->racy[i - 1] >= found->racy[i])
			return check_fail(why, "racy events of %s do not ascend", found->name);
		racy |= just(found->racy[i]);
	}
	if (racy != ex->racy)
		return check_fail(why,
				  "racy events of %s, as sets\n  relation: %08x\n  detector: %08x",
				  found->name, ex->racy, racy);
	if (found->npairs != ex->npairs)
		return check_fail(why, "%s has %u pairs, the relation %u", found->name,
				  (unsigned)found->npairs, ex->npairs);
	return PASSED;
}

static enum outcome check_pairs(struct subject *s, const struct expected *ex,
				const struct snag_findings *found, struct reason *why)
{
	if (found->nraces != ex->npairs)
		return differ(s, ex, found, "pairs", why);
	for (size_t i = 0; i < found->nraces; i++) {
		const struct snag_race *r = &found->race[i], *before = i ? r - 1 : NULL;
		bool ascends = !before || before->second.event < r->second.event ||
			       (before->second.event == r->second.event &&
				before->first.event < r->first.event);
		if (!ascends || r->count != 1 || !race_is_right(s, ex, r))
			return differ(s, ex, found, "pairs", why);
	}
	return PASSED;
}

/* How many pairs the relation has with the locations of this one. */
static unsigned pairs_like(const struct subject *s, const struct expected *ex,
			   const struct snag_race *r)
{
	unsigned n = 0;
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		for (event_set rest = ex->races[e2]; rest;) {
			snag_loc a = s->trace->ev[take_first(&rest)].loc, b = s->trace->ev[e2].loc;
			n += (a == r->first.loc && b == r->second.loc) ||
			     (a == r->second.loc && b == r->first.loc);
		}
	return n;
}

static enum outcome check_groups(struct subject *s, const struct expected *ex,
				 const struct snag_findings *found, struct reason *why)
{
	unsigned npairs = 0;
	for (size_t i = 0; i < found->nraces; i++) {
		const struct snag_race *r = &found->race[i];
		if (!race_is_right(s, ex, r) || r->count != pairs_like(s, ex, r))
			return differ(s, ex, found, "groups", why);
		npairs += (unsigned)r->count;
	}
	/* Each group is complete, so a missing or double group shows in the sum. */
	return npairs == ex->npairs ? PASSED : differ(s, ex, found, "groups", why);
}

static enum outcome check_relation(struct subject *s, const struct expected *ex, struct reason *why)
{
	const char *name = relation_name[ex->which];
	struct snag_analyze_options options = {.detector = {snag_detector_find(name, strlen(name))},
					       .ndetectors = 1,
					       .pairs = ex->pairs,
					       .undecided = true,
					       .order_races = ex->ordered,
					       .brief = ex->brief};
	struct snag_analysis analysis;
	if (!options.detector[0])
		return check_fail(why, "there is no detector %s", name);
	enum outcome outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	outcome = check_racy(s, ex, &analysis.findings[0], why);
	if (outcome == PASSED)
		outcome =
			(ex->pairs ? check_pairs : check_groups)(s, ex, &analysis.findings[0], why);
	snag_analysis_done(&analysis);
	return outcome;
}

enum outcome check_hb(struct subject *s, struct reason *why)
{
	struct expected ex;
	expect_races(s, REL_HB, &ex);
	enum outcome outcome = check_relation(s, &ex, why);
	const struct search *reads = subject_search(s, SNAG_RULES_READS);
	/* By C11 a relaxed load orders nothing; by READS it must see its store. */
	if (outcome != PASSED || s->model.has_atomic || !ex.racy || !reads)
		return outcome;
	unsigned e2 = take_first(&ex.racy);
	if (!(ex.races[e2] & search_races(reads, e2)))
		return check_fail(why, "no race of event %u, the first by hb, is predictable", e2);
	return PASSED;
}

/* A detector that names one partner of a racy event: `races` are those it may name. */
static enum outcome check_named(struct subject *s, const char *name,
				const event_set races[MAX_EVENTS], struct reason *why)
{
	struct snag_analyze_options options = {.detector = {snag_detector_find(name, strlen(name))},
					       .ndetectors = 1,
					       .pairs = true};
	struct snag_analysis analysis;
	event_set racy = 0, found = 0, named = 0;
	for (unsigned e = 0; e < s->model.n; e++)
		racy |= races[e] ? just(e) : 0;
	enum outcome outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	const struct snag_findings *f = &analysis.findings[0];
	bool is_right = true;
	for (size_t i = 0; i < f->nracy; i++)
		found |= just(f->racy[i]);
	for (size_t i = 0; i < f->nraces; i++) {
		is_right &= (races[f->race[i].second.event] & just(f->race[i].first.event)) != 0;
		named |= just(f->race[i].second.event);
	}
	snag_analysis_done(&analysis);
	if (found != racy || named != racy || !is_right)
		return check_fail(why, "%s: racy events\n  relation: %08x\n  detector: %08x", name,
				  racy, found);
	return PASSED;
}

/* Pairs of a plain and an atomic access. */
enum outcome check_mixed(struct subject *s, struct reason *why)
{
	struct expected ex;
	event_set races[MAX_EVENTS];
	expect_races(s, REL_HB, &ex);
	for (unsigned e = 0; e < s->model.n; e++) {
		bool is_plain = s->model.plain & just(e);
		event_set others = is_plain ? ~s->model.plain : s->model.plain;
		races[e] = s->model.clashes[e] & below(e) & others & ~s->order[REL_HB].before[e];
	}
	return check_named(s, "mixed", races, why);
}

enum outcome check_shb(struct subject *s, struct reason *why)
{
	struct expected ex;
	expect_races(s, REL_SHB, &ex);
	enum outcome outcome = check_relation(s, &ex, why);
	const struct search *reads = subject_search(s, SNAG_RULES_READS);
	for (unsigned e2 = 0; outcome == PASSED && reads && e2 < s->model.n; e2++) {
		event_set wrong = ex.races[e2] & ~search_races(reads, e2);
		if (wrong)
			return check_fail(why, "%u-%u is a race by shb, but not predictable",
					  take_first(&wrong), e2);
	}
	return outcome;
}

static enum outcome check_order(struct subject *s, enum relation which, struct reason *why)
{
	struct expected ex;
	expect_races(s, which, &ex);
	return check_relation(s, &ex, why);
}

enum outcome check_wcp(struct subject *s, struct reason *why)
{
	return check_order(s, REL_WCP, why);
}

enum outcome check_dc(struct subject *s, struct reason *why)
{
	return check_order(s, REL_DC, why);
}

enum outcome check_sdp(struct subject *s, struct reason *why)
{
	return check_order(s, REL_SDP, why);
}

enum outcome check_sdpx(struct subject *s, struct reason *why)
{
	return check_order(s, REL_SDPX, why);
}

enum outcome check_wdp(struct subject *s, struct reason *why)
{
	return check_order(s, REL_WDP, why);
}

enum outcome check_hybrid(struct subject *s, struct reason *why)
{
	struct expected ex;
	expect_races(s, REL_HYBRID, &ex);
	return check_named(s, "hybrid", ex.races, why);
}

/* Fewer racy events than by definition: what an earlier race orders does not race later. */
enum outcome check_ordered(struct subject *s, struct reason *why)
{
	static const enum relation relations[] = {REL_HB,  REL_WCP,  REL_DC,
						  REL_SDP, REL_SDPX, REL_WDP};
	for (unsigned i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		struct expected ex;
		expect_ordered(s, relations[i], &ex);
		for (unsigned e2 = 0; e2 < s->model.n; e2++)
			if (ex.races[e2] & ~subject_races(s, relations[i], e2))
				return check_fail(why, "event %u races by %s only if ordered", e2,
						  relation_name[relations[i]]);
		enum outcome outcome = check_relation(s, &ex, why);
		if (outcome != PASSED)
			return outcome;
	}
	return PASSED;
}
