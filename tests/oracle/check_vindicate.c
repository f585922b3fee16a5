/* SPDX-License-Identifier: Apache-2.0
 *
 * check_vindicate.c - the published vindication against the exhaustive search
 *
 * Every pair of conflicting accesses with no lock in common, in all modes:
 *   verified    it is a race, with a witness the checker accepts; so vindication finds a subset of
 *               what the exact engine finds (check_decide.c)
 *   refuted     it is none; in mode DC this may be wrong
 *   ordered     in mode DC: what DC orders is refuted
 * Of a pair that it does not know, nothing is said.
 */
#include "check.h"

#include "witness/decide/vindicate.h"

static enum outcome check_pair(struct subject *s, struct snag_vindicator *v, bool is_race,
			       unsigned e1, unsigned e2, enum snag_mode mode, struct reason *why)
{
	enum snag_rules rules = snag_rules_of_mode(mode);
	const char *by = mode == SNAG_MODE_DC ? "dc" : rules_name[rules];
	enum snag_decision found = snag_vindicate(v, e1, e2);
	struct snag_error err = {0};
	if (found == SNAG_VERIFIED && !is_race)
		return check_fail(why, "%u-%u by %s is no race, but verified", e1, e2, by);
	if (found == SNAG_VERIFIED &&
	    snag_witness_check(s->trace, snag_vindicator_witness(v), rules, &err) < 0)
		return check_fail(why, "%u-%u by %s: %s", e1, e2, by, err.msg);
	if (mode == SNAG_MODE_DC) {
		bool is_ordered = !(subject_races(s, REL_DC, e2) & just(e1));
		return is_ordered && found != SNAG_INFEASIBLE
			       ? check_fail(why, "%u-%u is ordered by dc, but not refuted", e1, e2)
			       : PASSED;
	}
	if (found == SNAG_INFEASIBLE && is_race)
		return check_fail(why, "%u-%u by %s is a race, but refuted", e1, e2, by);
	return PASSED;
}

static enum outcome check_mode(struct subject *s, enum snag_mode mode, struct reason *why)
{
	const struct search *search = subject_search(s, snag_rules_of_mode(mode));
	if (!search)
		return SKIPPED;
	struct snag_index *ix = snag_index_new_published(s->trace);
	snag_index_add_mode(ix, mode);
	struct snag_vindicator *v = snag_vindicator_new(ix, mode, 0);
	if (s->seed >> 21 & 1)
		snag_vindicator_use_windows(v);
	enum outcome outcome = PASSED;
	for (unsigned e2 = 0; e2 < s->model.n && outcome == PASSED; e2++)
		for (event_set rest = s->model.conflicts[e2] & below(e2);
		     rest && outcome == PASSED;) {
			unsigned e1 = take_first(&rest);
			bool is_race = search_races(search, e2) & just(e1);
			if (!snag_index_common_lock(ix, e1, e2))
				outcome = check_pair(s, v, is_race, e1, e2, mode, why);
		}
	snag_vindicator_free(v);
	snag_index_free(ix);
	return outcome;
}

enum outcome check_vindicate(struct subject *s, struct reason *why)
{
	enum outcome outcome = PASSED;
	for (int mode = 0; mode < SNAG_ALL_MODES && outcome != FAILED; mode++)
		outcome = check_mode(s, (enum snag_mode)mode, why);
	return outcome;
}
