/* SPDX-License-Identifier: Apache-2.0
 *
 * check_search.c - the search against the definitions
 *
 * For tiny traces: every sequence that takes the threads' events in their order is
 * put before naive.c; the races at the ends of the valid ones must be those that the search
 * found.
 */
#include "check.h"

#include "naive.h"

enum { TINY = 7 }; /* events */

struct enumeration {
	const struct subject *s;
	enum snag_rules rules;
	uint32_t event[TINY];
	unsigned n;
	event_set races[MAX_EVENTS]; /* races[e2]: its earlier partners */
};

static void enumerate(struct enumeration *en, event_set done)
{
	const struct model *m = &en->s->model;
	if (en->n >= 2 && !naive_check(en->s->trace, en->event, en->n, en->rules)) {
		uint32_t a = en->event[en->n - 2], b = en->event[en->n - 1];
		en->races[a > b ? a : b] |= just(a < b ? a : b);
	}
	for (unsigned t = 0; t < m->nthreads; t++) {
		event_set rest = m->of[t] & ~done;
		if (!rest)
			continue;
		unsigned e = take_first(&rest);
		en->event[en->n++] = e;
		enumerate(en, done | just(e));
		en->n--;
	}
}

static enum outcome check_rules(struct subject *s, enum snag_rules rules, struct reason *why)
{
	const struct search *search = subject_search(s, rules);
	struct enumeration en = {.s = s, .rules = rules};
	char expected[400], found[400];
	event_set races[MAX_EVENTS];
	bool is_same = true;
	enumerate(&en, 0);
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		races[e2] = search_races(search, e2) & below(e2);
		is_same &= races[e2] == en.races[e2];
	}
	if (is_same)
		return PASSED;
	pairs_text(en.races, s->model.n, expected, sizeof(expected));
	pairs_text(races, s->model.n, found, sizeof(found));
	return check_fail(why, "predictable races by %s\n  definition: %s\n  search:     %s",
			  rules_name[rules], expected, found);
}

enum outcome check_search(struct subject *s, struct reason *why)
{
	if (s->model.n > TINY)
		return SKIPPED;
	enum outcome outcome = PASSED;
	for (int rules = SNAG_RULES_READS; rules < SNAG_RULES && outcome == PASSED; rules++)
		outcome = check_rules(s, (enum snag_rules)rules, why);
	return outcome;
}
