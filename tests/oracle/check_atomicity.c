/* SPDX-License-Identifier: Apache-2.0
 *
 * check_atomicity.c - the detector atomicity against the exhaustive search
 *
 *   all         exactly the writes between a read and the next write of its thread that some
 *               reordering has; none is undecided
 *   locations   one for every triple of locations that has one; observed if the trace has one
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

enum { MOST = 512 };

struct triple {
	uint32_t read, between, write;
};

struct expected {
	struct triple at[MOST];
	unsigned n;
	enum snag_rules rules;
	bool pairs; /* all are asked for */
};

static struct triple triple_of(const struct snag_race *race)
{
	return (struct triple){race->read.event, snag_race_between(race)->event,
			       snag_race_write(race)->event};
}

static bool is_same(struct triple a, struct triple b)
{
	return a.read == b.read && a.between == b.between && a.write == b.write;
}

static bool is_observed(struct triple t)
{
	return t.read < t.between && t.between < t.write;
}

static enum outcome differ(const struct expected *ex, const struct snag_findings *f,
			   const char *what, struct reason *why)
{
	char expected[600] = "", found[600] = "";
	size_t at = 0;
	for (unsigned i = 0; i < ex->n && at + 100 < sizeof(expected); i++)
		at += (size_t)snprintf(expected + at, sizeof(expected) - at, "%u-%u-%u ",
				       ex->at[i].read, ex->at[i].between, ex->at[i].write);
	at = 0;
	for (size_t i = 0; i < f->nraces && at + 100 < sizeof(found); i++) {
		struct triple t = triple_of(&f->race[i]);
		at += (size_t)snprintf(found + at, sizeof(found) - at, "%u-%u-%u ", t.read,
				       t.between, t.write);
	}
	return check_fail(why, "%s (%s, %s)\n  search:   %s\n  detector: %s", what,
			  ex->pairs ? "all" : "locations", rules_name[ex->rules], expected, found);
}

static bool is_wait(const struct model *m, unsigned e)
{
	return snag_event_is_wait(&m->trace->ev[e]);
}

/* The read whose unit the write ends, or NO_EVENT. */
static unsigned read_of(const struct model *m, unsigned write)
{
	event_set on = 0;
	if (is_wait(m, write))
		return NO_EVENT;
	for (unsigned e = 0; e < write; e++)
		if (((m->reads | m->writes) & just(e)) && m->target[e] == m->target[write] &&
		    m->thread[e] == m->thread[write])
			on |= just(e);
	if (!on)
		return NO_EVENT;
	unsigned last = 31u - (unsigned)__builtin_clz(on);
	return (m->reads & ~m->writes & just(last)) && !is_wait(m, last) ? last : NO_EVENT;
}

static bool expect(struct subject *s, struct search *search, struct expected *ex)
{
	const struct model *m = &s->model;
	event_set next[MAX_EVENTS][MAX_EVENTS];
	bool is_known[MAX_EVENTS][MAX_EVENTS] = {{false}};
	for (event_set rest = m->writes & ~m->reads; rest;) {
		unsigned w = take_first(&rest), r = read_of(m, w);
		for (event_set others = m->writes; r != NO_EVENT && others;) {
			unsigned u = take_first(&others);
			if (m->thread[u] == m->thread[w] || m->target[u] != m->target[w] ||
			    is_wait(m, u))
				continue;
			if (!is_known[r][u] && !search_between(search, r, u, &next[r][u]))
				return false;
			is_known[r][u] = true;
			if (next[r][u] & just(w) && ex->n < MOST)
				ex->at[ex->n++] = (struct triple){r, u, w};
		}
	}
	return true;
}

static void damage(struct prng *random, const struct model *m, struct snag_witness *w)
{
	unsigned i, kind = prng_below(random, FOUND_DAMAGES + 2);
	if (kind < FOUND_DAMAGES) {
		found_damage(random, kind, m, w);
	} else if (kind == FOUND_DAMAGES) { /* another unit */
		w->unit[prng_below(random, 3)] = prng_below(random, m->n + 1);
	} else { /* an earlier end */
		i = prng_below(random, (unsigned)w->n);
		w->n = i + 1;
		w->unit[2] = w->event[i];
	}
}

static enum outcome check_found(const struct subject *s, const struct expected *ex,
				const struct snag_race *race, struct reason *why)
{
	struct prng random = {s->seed};
	uint32_t *prefix = snag_race_prefix_counts(race, s->model.nthreads);
	uint32_t event[2 * MAX_EVENTS];
	struct triple t = triple_of(race);
	uint32_t unit[3] = {t.read, t.between, t.write};
	struct snag_witness w = {.prefix = prefix,
				 .event = race->witness,
				 .n = race->nwitness,
				 .unit = unit,
				 .nunit = 3};
	struct snag_error err = {0};
	bool is_valid = snag_witness_check(s->trace, &w, ex->rules, &err) == 0;
	bool keeps = is_valid && snag_witness_check(s->trace, &w, SNAG_RULES_READS, NULL) == 0;
	free(prefix);
	if (!is_valid)
		return check_fail(why, "the checker refuses a witness with a prefix: %s", err.msg);
	if (keeps == race->changes_reads && !is_observed(t))
		return check_fail(why, "whether reads change is wrong");
	w = (struct snag_witness){.event = event,
				  .n = found_events(&s->model, race, event),
				  .unit = unit,
				  .nunit = 3};
	enum outcome outcome =
		found_agree(s->trace, &w, ex->rules, naive_check_atomicity, true, why);
	for (unsigned i = prng_range(&random, 1, 3); outcome == PASSED && i > 0 && w.n > 1; i--) {
		damage(&random, &s->model, &w);
		outcome = found_agree(s->trace, &w, ex->rules, naive_check_atomicity, false, why);
	}
	return outcome;
}

/* How many of the findings have the locations of the triple; *ret_is_observed: the last of
 * these. */
static unsigned findings_like(const struct subject *s, const struct snag_findings *f,
			      struct triple t, bool *ret_is_observed)
{
	const struct snag_event *ev = s->trace->ev;
	unsigned n = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		struct triple o = triple_of(&f->race[i]);
		if (ev[o.read].loc != ev[t.read].loc || ev[o.between].loc != ev[t.between].loc ||
		    ev[o.write].loc != ev[t.write].loc)
			continue;
		n++;
		*ret_is_observed = f->race[i].verdict == SNAG_OBSERVED;
	}
	return n;
}

static enum outcome check_findings(struct subject *s, const struct expected *ex,
				   const struct snag_findings *f, struct reason *why)
{
	if (!f->complete)
		return differ(ex, f, "something was left undecided", why);
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *race = &f->race[i];
		struct triple t = triple_of(race);
		unsigned k = 0;
		while (k < ex->n && !is_same(ex->at[k], t))
			k++;
		if (!race->is_atomicity || k == ex->n)
			return differ(ex, f, "none", why);
		if (race->verdict != (is_observed(t) ? SNAG_OBSERVED : SNAG_PREDICTED))
			return differ(ex, f, "the verdict is wrong", why);
		for (size_t o = 0; o < i; o++)
			if (is_same(triple_of(&f->race[o]), t))
				return differ(ex, f, "twice", why);
		if (check_found(s, ex, race, why) == FAILED)
			return FAILED;
	}
	if (ex->pairs && f->nraces != ex->n)
		return differ(ex, f, "missed", why);
	for (unsigned i = 0; i < ex->n && !ex->pairs; i++) {
		bool as_observed = false;
		if (findings_like(s, f, ex->at[i], &as_observed) != 1)
			return differ(ex, f, "locations", why);
		if (is_observed(ex->at[i]) && !as_observed)
			return differ(ex, f, "an observed one of these locations", why);
	}
	return PASSED;
}

static enum outcome run(struct subject *s, const struct expected *ex, struct reason *why)
{
	struct snag_analyze_options options = {.detector = {snag_detector_find("atomicity", 9)},
					       .ndetectors = 1,
					       .pairs = ex->pairs,
					       .rules = ex->rules};
	struct snag_analysis analysis;
	enum outcome outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	outcome = check_findings(s, ex, &analysis.findings[0], why);
	snag_analysis_done(&analysis);
	return outcome;
}

enum outcome check_atomicity(struct subject *s, struct reason *why)
{
	enum outcome outcome = PASSED;
	unsigned found = 0;
	struct expected *ex = snag_alloc(sizeof(*ex));
	for (enum snag_rules rules = SNAG_RULES_READS; rules < SNAG_RULES && outcome == PASSED;
	     rules++) {
		/* The search belongs to the subject. */
		struct search *search = (struct search *)subject_search(s, rules);
		*ex = (struct expected){.rules = rules, .pairs = s->seed >> 20 & 1};
		if (search && expect(s, search, ex))
			outcome = run(s, ex, why);
		found += ex->n;
	}
	free(ex);
	return outcome == PASSED && !found ? SKIPPED : outcome;
}
