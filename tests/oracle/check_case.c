/* SPDX-License-Identifier: Apache-2.0
 *
 * check_case.c - the oracle itself against the known answers
 */
#include "check.h"

#include "cases.h"

#include <string.h>

static enum outcome compare(const char *what, const char *expected, const event_set *races,
			    unsigned n, struct reason *why)
{
	char found[600];
	pairs_text(races, n, found, sizeof(found));
	if (!expected || strcmp(found, expected) == 0)
		return PASSED;
	return check_fail(why, "%s\n  expected: %s\n  found:    %s", what, expected, found);
}

static enum outcome compare_search(struct subject *s, enum snag_rules rules, const char *expected,
				   struct reason *why)
{
	const struct search *search = subject_search(s, rules);
	event_set races[MAX_EVENTS];
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		races[e2] = search_races(search, e2) & below(e2);
	return compare(rules_name[rules], expected, races, s->model.n, why);
}

enum outcome check_case(struct subject *s, const struct known_case *c, struct reason *why)
{
	enum outcome outcome = PASSED;
	for (int r = 0; outcome == PASSED && r < RELATIONS; r++) {
		event_set races[MAX_EVENTS];
		for (unsigned e2 = 0; e2 < s->model.n; e2++)
			races[e2] = subject_races(s, (enum relation)r, e2);
		outcome = compare(relation_name[r], c->races[r], races, s->model.n, why);
	}
	if (outcome == PASSED)
		outcome = compare_search(s, SNAG_RULES_READS, c->reads, why);
	if (outcome == PASSED)
		outcome = compare_search(s, SNAG_RULES_LITERAL, c->literal, why);
	if (outcome == PASSED)
		outcome = compare_search(s, SNAG_RULES_DEPENDENCE, c->dependence, why);
	if (outcome == PASSED &&
	    search_has_deadlock(subject_search(s, SNAG_RULES_READS)) != c->has_deadlock)
		outcome = check_fail(why, "deadlock: expected %d", c->has_deadlock);
	return outcome;
}
