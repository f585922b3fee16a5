/* SPDX-License-Identifier: Apache-2.0
 *
 * check_decide.c - the decision engine against the exhaustive search
 *
 * Every pair of conflicting accesses with no lock in common, in both modes:
 *   verdict     VERIFIED iff the search finds the race, INFEASIBLE iff not; nothing is left
 * undecided witness     accepted by the independent checker, and by the one that uses the index; on
 * damaged witnesses these two agree as well steps       the same verdict whichever steps are left
 * out budget      one node may leave a pair undecided, but never gives the wrong verdict
 */
#include "check.h"

#include "prng.h"
#include "witness/decide/decide.h"
#include "witness/decide/check.h"

#include <stdio.h>
#include <string.h>

static const char *const decision_text[SNAG_DECISIONS] = {[SNAG_VERIFIED] = "verified",
							  [SNAG_INFEASIBLE] = "infeasible",
							  [SNAG_UNDECIDED] = "undecided"};

struct configuration {
	const char *name;
	struct snag_decide_options options;
	bool may_give_up;
};

static const struct configuration configurations[] = {
	{"all steps", {0}, false},
	{"search only", {.skip = SNAG_STEPS}, false},
	{"no lookahead, no shortcuts", {.skip = SNAG_STEPS & ~SNAG_STEP_DPLL}, false},
	{"no delay", {.skip = SNAG_STEP_DELAY}, false},
	{"no delay, no greedy", {.skip = SNAG_STEP_DELAY | SNAG_STEP_GREEDY}, false},
	{"no filter", {.skip = SNAG_STEP_FILTER}, false},
	{"window only", {.skip = SNAG_STEPS & ~SNAG_STEP_WINDOW}, false},
	{"delay only", {.skip = SNAG_STEPS & ~SNAG_STEP_DELAY}, false},
	{"late only", {.skip = SNAG_STEPS & ~(SNAG_STEP_FILTER | SNAG_STEP_LATE)}, false},
	{"refute only", {.skip = SNAG_STEPS & ~(SNAG_STEP_FILTER | SNAG_STEP_REFUTE)}, false},
	{"arrange only", {.skip = SNAG_STEPS & ~(SNAG_STEP_CLOSE | SNAG_STEP_ARRANGE)}, false},
	{"close only", {.skip = SNAG_STEPS & ~SNAG_STEP_CLOSE}, false},
	{"one node", {.skip = SNAG_STEPS, .max_nodes = 1}, true},
};

enum { NCONFIGURATIONS = sizeof(configurations) / sizeof(configurations[0]) };

/* Changes one thing about a witness with a prefix. */
static void damage(struct prng *random, unsigned nthreads, struct snag_witness *w)
{
	unsigned i = prng_below(random, (unsigned)w->n), k = prng_below(random, (unsigned)w->n);
	uint32_t e = w->event[i];
	switch (prng_below(random, 3)) {
	case 0:
		w->event[i] = w->event[k];
		w->event[k] = e;
		break;
	case 1: /* the prefix grows by an event that is listed */
		for (i = 0; i < nthreads; i++)
			w->prefix[i] += prng_chance(random, 20);
		break;
	default:
		w->n--;
		memmove(&w->event[i], &w->event[i + 1], (w->n - i) * sizeof(e));
	}
}

static enum outcome check_checkers(struct subject *s, const struct snag_index *ix,
				   const struct snag_witness *valid, enum snag_rules rules,
				   struct reason *why)
{
	enum snag_mode mode = rules == SNAG_RULES_READS ? SNAG_MODE_M2 : SNAG_MODE_DEP;
	struct prng random = {s->seed};
	struct snag_error err = {.msg = "valid"};
	if (!snag_witness_check_indexed(ix, mode, valid))
		return check_fail(why, "the check by index refuses a valid witness");
	uint32_t prefix[MAX_THREADS] = {0}, event[MAX_EVENTS + 2];
	struct snag_witness w = {.prefix = prefix, .event = event, .n = valid->n};
	memcpy(prefix, valid->prefix, s->model.nthreads * sizeof(*prefix));
	memcpy(event, valid->event, valid->n * sizeof(*event));
	for (unsigned i = 0; i < 3; i++) {
		damage(&random, s->model.nthreads, &w);
		if (w.n < 2) /* with an index, the race itself must be listed */
			break;
		bool is_valid = snag_witness_check(s->trace, &w, rules, &err) == 0;
		if (snag_witness_check_indexed(ix, mode, &w) != is_valid)
			return check_fail(why, "the checkers disagree, by replay: %s", err.msg);
	}
	return PASSED;
}

static enum outcome check_pair(struct subject *s, const struct snag_index *ix,
			       struct snag_decider *d, const struct configuration *c, bool is_race,
			       unsigned e1, unsigned e2, enum snag_rules rules, struct reason *why)
{
	enum snag_decision found = snag_decide(d, e1, e2);
	struct snag_error err = {0};
	bool is_right = found == (is_race ? SNAG_VERIFIED : SNAG_INFEASIBLE) ||
			(found == SNAG_UNDECIDED && c->may_give_up);
	if (is_right && found == SNAG_VERIFIED)
		is_right = snag_witness_check(s->trace, snag_decider_witness(d), rules, &err) == 0;
	if (is_right && found == SNAG_VERIFIED)
		return check_checkers(s, ix, snag_decider_witness(d), rules, why);
	if (is_right)
		return PASSED;
	return check_fail(why, "%u-%u by %s, configuration \"%s\"\n  search: %s\n  decide: %s %s",
			  e1, e2, rules == SNAG_RULES_READS ? "READS" : "DEPENDENCE", c->name,
			  is_race ? "race" : "no race", decision_text[found], err.msg);
}

/* All pairs in one configuration. */
static enum outcome check_configuration(struct subject *s, const struct snag_index *ix,
					const struct configuration *c, enum snag_rules rules,
					const struct search *search, struct reason *why)
{
	struct snag_decide_options options = c->options;
	options.mode = rules == SNAG_RULES_READS ? SNAG_MODE_M2 : SNAG_MODE_DEP;
	struct snag_decider *d = snag_decider_new(ix, &options);
	enum outcome outcome = SKIPPED;
	for (unsigned e2 = 0; e2 < s->model.n && outcome != FAILED; e2++)
		for (event_set rest = s->model.conflicts[e2] & below(e2);
		     rest && outcome != FAILED;) {
			unsigned e1 = take_first(&rest);
			bool is_race = search_races(search, e2) & just(e1);
			if (snag_index_common_lock(ix, e1, e2)) {
				if (is_race)
					outcome = check_fail(why, "%u-%u is a race under a lock",
							     e1, e2);
				continue;
			}
			outcome = check_pair(s, ix, d, c, is_race, e1, e2, rules, why);
		}
	snag_decider_free(d);
	return outcome;
}

static enum outcome check_rules(struct subject *s, const struct snag_index *ix,
				enum snag_rules rules, struct reason *why)
{
	const struct search *search = subject_search(s, rules);
	if (!search)
		return SKIPPED;
	/* Every trace with all steps, and two of the other configurations by turns. */
	const unsigned which[] = {0, 1 + s->seed % (NCONFIGURATIONS - 1),
				  1 + s->seed / (NCONFIGURATIONS - 1) % (NCONFIGURATIONS - 1)};
	enum outcome outcome = SKIPPED;
	for (unsigned i = 0; i < 3 && outcome != FAILED; i++)
		outcome = check_configuration(s, ix, &configurations[which[i]], rules, search, why);
	return outcome;
}

static enum outcome check_mode(struct subject *s, enum snag_mode mode, enum snag_rules rules,
			       struct reason *why)
{
	struct snag_index *ix = snag_index_new(s->trace);
	snag_index_add_rows(ix, mode, 1 + (uint32_t)s->trace->n % 4); /* few rows, or many */
	enum outcome outcome = check_rules(s, ix, rules, why);
	snag_index_free(ix);
	return outcome;
}

enum outcome check_decide_m2(struct subject *s, struct reason *why)
{
	return check_mode(s, SNAG_MODE_M2, SNAG_RULES_READS, why);
}

enum outcome check_decide_dep(struct subject *s, struct reason *why)
{
	return check_mode(s, SNAG_MODE_DEP, SNAG_RULES_DEPENDENCE, why);
}
