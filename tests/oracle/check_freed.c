/* SPDX-License-Identifier: Apache-2.0
 *
 * check_freed.c - the detector freed against the exhaustive search
 *
 * The trace gets sizes: some plain writes end a block, and have none.  All other accesses have one.
 *   all         exactly the accesses that were observed before such a write, that some reordering
 *               has behind it, and that do not race with it; none is undecided
 *   locations   only such, and one if there are any, unless the trace has races: an access behind a
 *               race without synchronisation between them has the same cause
 *   witness     accepted by the checker, and by the definitions
 *   damaged     on damaged witnesses the checker and the definitions agree
 */
#include "check.h"

#include "base/memory.h"
#include "detect/analyze/analyze.h"
#include "found.h"
#include "naive.h"
#include "prng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct freed {
	const struct model *m;
	struct snag_trace trace;      /* of the subject, with sizes */
	event_set behind[MAX_EVENTS]; /* by end */
	bool pairs, has_race;
	uint64_t seed;
};

static void sizes_set(struct freed *f, const struct snag_trace *from)
{
	struct prng random = {f->seed};
	f->trace = *from;
	f->trace.ev = snag_alloc((from->n + 1) * sizeof(*from->ev));
	memcpy(f->trace.ev, from->ev, from->n * sizeof(*from->ev));
	for (size_t e = 0; e < from->n; e++)
		if (snag_op_is_access(from->ev[e].op))
			f->trace.ev[e].size =
				from->ev[e].op == SNAG_OP_READ || prng_below(&random, 2);
}

static bool is_end(const struct freed *f, unsigned e)
{
	return f->trace.ev[e].op == SNAG_OP_WRITE && f->trace.ev[e].size == 0;
}

static void expect(struct freed *f, const struct search *search)
{
	const struct model *m = f->m;
	for (unsigned end = 0; end < m->n; end++) {
		event_set behind = is_end(f, end) ? search_behind(search, end) : 0;
		f->behind[end] = 0;
		for (event_set rest = behind & (m->reads | m->writes) & below(end); rest;) {
			unsigned e = take_first(&rest);
			if (m->target[e] == m->target[end] && m->thread[e] != m->thread[end] &&
			    f->trace.ev[e].size && !(search_races(search, e) & just(end)))
				f->behind[end] |= just(e);
		}
	}
}

static enum outcome differ(const struct freed *f, const struct snag_findings *found,
			   const char *what, struct reason *why)
{
	char expected[600], text[600] = "";
	size_t at = 0;
	pairs_text(f->behind, f->m->n, expected, sizeof(expected));
	for (size_t i = 0; i < found->nraces && at + 60 < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%u-%u ",
				       found->race[i].first.event, found->race[i].second.event);
	return check_fail(why, "%s (%s)\n  search:   %s\n  detector: %s", what,
			  f->pairs ? "all" : "locations", expected, text);
}

static void damage(struct prng *random, const struct model *m, struct snag_witness *w)
{
	unsigned i, kind = prng_below(random, FOUND_DAMAGES + 2);
	if (kind < FOUND_DAMAGES) {
		found_damage(random, kind, m, w);
	} else if (kind == FOUND_DAMAGES) { /* other events */
		w->freed[prng_below(random, 2)] = prng_below(random, m->n + 1);
	} else { /* an earlier end */
		i = prng_below(random, (unsigned)w->n);
		w->n = i + 1;
		w->freed[1] = w->event[i];
	}
}

static enum outcome check_found(const struct freed *f, const struct snag_race *race,
				struct reason *why)
{
	struct prng random = {f->seed};
	uint32_t *prefix = snag_race_prefix_counts(race, f->m->nthreads);
	uint32_t event[2 * MAX_EVENTS];
	uint32_t freed[2] = {race->second.event, race->first.event};
	struct snag_witness w = {.prefix = prefix,
				 .event = race->witness,
				 .n = race->nwitness,
				 .freed = freed,
				 .nfreed = 2};
	struct snag_error err = {0};
	bool is_valid = snag_witness_check(&f->trace, &w, SNAG_RULES_READS, &err) == 0;
	free(prefix);
	if (!is_valid)
		return check_fail(why, "the checker refuses a witness with a prefix: %s", err.msg);
	w = (struct snag_witness){
		.event = event, .n = found_events(f->m, race, event), .freed = freed, .nfreed = 2};
	enum outcome outcome =
		found_agree(&f->trace, &w, SNAG_RULES_READS, naive_check_freed, true, why);
	for (unsigned i = prng_range(&random, 1, 3); outcome == PASSED && i > 0 && w.n > 1; i--) {
		damage(&random, f->m, &w);
		outcome =
			found_agree(&f->trace, &w, SNAG_RULES_READS, naive_check_freed, false, why);
	}
	return outcome;
}

static enum outcome check_findings(const struct freed *f, const struct snag_findings *found,
				   struct reason *why)
{
	event_set left[MAX_EVENTS];
	memcpy(left, f->behind, sizeof(left));
	if (!found->complete)
		return differ(f, found, "something was left undecided", why);
	for (size_t i = 0; i < found->nraces; i++) {
		const struct snag_race *race = &found->race[i];
		unsigned end = race->second.event, e = race->first.event;
		if (!race->is_behind || race->verdict != SNAG_PREDICTED ||
		    !(f->behind[end] & just(e)))
			return differ(f, found, "none", why);
		if (!(left[end] & just(e)))
			return differ(f, found, "twice", why);
		left[end] &= ~just(e);
		if (check_found(f, race, why) == FAILED)
			return FAILED;
	}
	bool expects = false, misses = false;
	for (unsigned end = 0; end < f->m->n; end++) {
		expects |= f->behind[end] != 0;
		misses |= left[end] != 0;
	}
	if (f->pairs ? misses : expects && !found->nraces && !f->has_race)
		return differ(f, found, "missed", why);
	return PASSED;
}

enum outcome check_freed(struct subject *s, struct reason *why)
{
	const struct search *search = subject_search(s, SNAG_RULES_READS);
	if (!search)
		return SKIPPED;
	struct freed f = {.m = &s->model,
			  .pairs = s->seed >> 20 & 1,
			  .has_race = search_has_race(search),
			  .seed = s->seed};
	struct snag_analyze_options options = {
		.detector = {snag_detector_find("freed", 5)}, .ndetectors = 1, .pairs = f.pairs};
	struct snag_analysis analysis;
	sizes_set(&f, s->trace);
	expect(&f, search);
	enum outcome outcome = check_analyze(&f.trace, &options, &analysis, why);
	if (outcome == PASSED) {
		outcome = check_findings(&f, &analysis.findings[0], why);
		snag_analysis_done(&analysis);
	}
	free(f.trace.ev);
	event_set any = 0;
	for (unsigned e = 0; e < f.m->n; e++)
		any |= f.behind[e];
	return outcome == PASSED && !any ? SKIPPED : outcome;
}
