/* SPDX-License-Identifier: Apache-2.0
 *
 * check_vindicate.c - the published vindication against the exhaustive search
 *
 * Every pair of conflicting accesses with no lock in common, in both modes:
 *   verified    it is a race, with a witness the checker accepts; so vindication finds a subset of
 *               what the exact engine finds (check_decide.c)
 *   refuted     it is none
 * Of a pair that it does not know, nothing is said.
 */
#include "check.h"

#include "witness/decide/vindicate.h"

static enum outcome check_pair(struct subject *s, struct snag_vindicator *v, bool is_race,
			       unsigned e1, unsigned e2, enum snag_rules rules, struct reason *why)
{
	const char *by = rules == SNAG_RULES_READS ? "READS" : "DEPENDENCE";
	enum snag_decision found = snag_vindicate(v, e1, e2);
	struct snag_error err = {0};
	if (found == SNAG_VERIFIED && !is_race)
		return check_fail(why, "%u-%u by %s is no race, but verified", e1, e2, by);
	if (found == SNAG_VERIFIED &&
	    snag_witness_check(s->trace, snag_vindicator_witness(v), rules, &err) < 0)
		return check_fail(why, "%u-%u by %s: %s", e1, e2, by, err.msg);
	if (found == SNAG_INFEASIBLE && is_race)
		return check_fail(why, "%u-%u by %s is a race, but refuted", e1, e2, by);
	return PASSED;
}

static enum outcome check_mode(struct subject *s, enum snag_mode mode, enum snag_rules rules,
			       struct reason *why)
{
	const struct search *search = subject_search(s, rules);
	if (!search)
		return SKIPPED;
	struct snag_index *ix = snag_index_new_published(s->trace);
	snag_index_add_mode(ix, mode);
	struct snag_vindicator *v = snag_vindicator_new(ix, mode, 0);
	enum outcome outcome = PASSED;
	for (unsigned e2 = 0; e2 < s->model.n && outcome == PASSED; e2++)
		for (event_set rest = s->model.conflicts[e2] & below(e2);
		     rest && outcome == PASSED;) {
			unsigned e1 = take_first(&rest);
			bool is_race = search_races(search, e2) & just(e1);
			if (!snag_index_common_lock(ix, e1, e2))
				outcome = check_pair(s, v, is_race, e1, e2, rules, why);
		}
	snag_vindicator_free(v);
	snag_index_free(ix);
	return outcome;
}

enum outcome check_vindicate(struct subject *s, struct reason *why)
{
	enum outcome outcome = check_mode(s, SNAG_MODE_M2, SNAG_RULES_READS, why);
	return outcome == FAILED ? FAILED
				 : check_mode(s, SNAG_MODE_DEP, SNAG_RULES_DEPENDENCE, why);
}
