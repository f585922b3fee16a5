/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - random candidates: nothing is left undecided, and no verdict is wrong
 *
 * Decides random pairs of random traces of up to 1,000 events (program.h), each in both modes at the
 * default budget.  For every decision:
 *   undecided   never
 *   verified    the independent checker accepts the witness, and it ends with the pair
 *   infeasible  the search alone, without any of the steps before it, says so too
 *   both        exhaustive search (exhaust.h) agrees, unless its states are too many
 *   order       what is infeasible in mode dep is so in mode m2, which allows less
 * Each trace is made from the seed and its number alone.  The first failure is printed with its
 * trace and ends the run with status 1.
 */
#include "exhaust.h"
#include "program.h"

#include "../draft.h"

#include "witness/decide/decide.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64 }; /* of one trace */

static const char *const decision_text[SNAG_DECISIONS] = {[SNAG_VERIFIED] = "verified",
							  [SNAG_INFEASIBLE] = "infeasible",
							  [SNAG_UNDECIDED] = "undecided"};
static const char *const mode_text[SNAG_MODES] = {"m2", "dep"};

struct totals {
	unsigned long traces, candidates, events;
	unsigned long decisions[SNAG_MODES][SNAG_DECISIONS];
	unsigned long confirmed[SNAG_MODES][SNAG_DECISIONS]; /* by exhaustive search */
	unsigned long most_nodes;
};

/* One trace, and what is said about it. */
struct trial {
	struct snag_trace trace;
	struct snag_index *ix;
	struct exhaust *exhaust;
	struct snag_decider *decider[SNAG_MODES], *search_only[SNAG_MODES];
	char why[256];
};

static void trial_begin(struct trial *t, struct prng *random)
{
	program_run(random, &t->trace);
	t->ix = snag_index_new(&t->trace);
	t->exhaust = exhaust_new(&t->trace);
	for (int mode = 0; mode < SNAG_MODES; mode++) {
		struct snag_decide_options options = {.mode = (enum snag_mode)mode};
		snag_index_add_rows(t->ix, options.mode, 1 + prng_below(random, 12));
		t->decider[mode] = snag_decider_new(t->ix, &options);
		options.skip = SNAG_STEPS;
		options.max_nodes = 100 * SNAG_DECIDE_NODES;
		t->search_only[mode] = snag_decider_new(t->ix, &options);
	}
}

static void trial_end(struct trial *t)
{
	for (int mode = 0; mode < SNAG_MODES; mode++) {
		snag_decider_free(t->decider[mode]);
		snag_decider_free(t->search_only[mode]);
	}
	exhaust_free(t->exhaust);
	snag_index_free(t->ix);
	snag_trace_done(&t->trace);
}

static bool is_candidate(const struct trial *t, uint32_t e1, uint32_t e2)
{
	const struct snag_event *a = &t->trace.ev[e1], *b = &t->trace.ev[e2];
	return snag_op_is_access(a->op) && snag_op_is_access(b->op) && a->target == b->target &&
	       a->thread != b->thread && (a->op == SNAG_OP_WRITE || b->op == SNAG_OP_WRITE) &&
	       !snag_index_common_lock(t->ix, e1, e2);
}

static bool is_good_witness(struct trial *t, enum snag_mode mode, uint32_t e1, uint32_t e2)
{
	const struct snag_witness *w = snag_decider_witness(t->decider[mode]);
	enum snag_rules rules = mode == SNAG_MODE_M2 ? SNAG_RULES_READS : SNAG_RULES_DEPENDENCE;
	struct snag_error err;
	uint32_t a = w->event[w->n - 2], b = w->event[w->n - 1];
	if (snag_witness_check(&t->trace, w, rules, &err) < 0)
		snprintf(t->why, sizeof(t->why), "bad witness: %.200s", err.msg);
	else if (!((a == e1 && b == e2) || (a == e2 && b == e1)))
		snprintf(t->why, sizeof(t->why), "the witness is of another pair");
	else
		return true;
	return false;
}

static bool is_confirmed(struct trial *t, enum snag_mode mode, uint32_t e1, uint32_t e2,
			 enum snag_decision d, struct totals *totals)
{
	bool is_race = d == SNAG_VERIFIED;
	enum exhaust_answer answer = exhaust_run(t->exhaust, e1, e2, mode == SNAG_MODE_DEP);
	if (answer == (is_race ? EXHAUST_NO_RACE : EXHAUST_RACE)) {
		snprintf(t->why, sizeof(t->why), "exhaustive search does not agree");
		return false;
	}
	totals->confirmed[mode][d] += answer != EXHAUST_TOO_MANY;
	enum snag_decision second = is_race ? d : snag_decide(t->search_only[mode], e1, e2);
	snprintf(t->why, sizeof(t->why), "the search alone: %s", decision_text[second]);
	return second == d;
}

/* False: something is wrong, t->why says what. */
static bool try_pair(struct trial *t, uint32_t e1, uint32_t e2, struct totals *totals)
{
	enum snag_decision found[SNAG_MODES];
	for (int mode = 0; mode < SNAG_MODES; mode++) {
		enum snag_mode m = (enum snag_mode)mode;
		enum snag_decision d = found[mode] = snag_decide(t->decider[mode], e1, e2);
		bool ok = d != SNAG_UNDECIDED;
		snprintf(t->why, sizeof(t->why), "at the default budget");
		if (d == SNAG_VERIFIED)
			ok = is_good_witness(t, m, e1, e2);
		ok = ok && is_confirmed(t, m, e1, e2, d, totals);
		totals->decisions[mode][d]++;
		if (!ok) {
			printf("campaign: %u-%u in mode %s: %s; %s\n", e1, e2, mode_text[mode],
			       decision_text[d], t->why);
			return false;
		}
	}
	if (found[SNAG_MODE_M2] == SNAG_VERIFIED && found[SNAG_MODE_DEP] != SNAG_VERIFIED) {
		printf("campaign: %u-%u: verified in mode m2, infeasible in mode dep\n", e1, e2);
		return false;
	}
	return true;
}

/* False: something was wrong. */
static bool try_trace(uint64_t seed, unsigned long number, struct totals *totals)
{
	struct prng random = {seed * 0x9e3779b97f4a7c15u + number * 0xff51afd7ed558ccdu};
	struct trial t;
	trial_begin(&t, &random);
	unsigned n = (unsigned)t.trace.n;
	bool ok = true;
	for (unsigned i = 0, pairs = 0; ok && i < 20 * PAIRS && pairs < PAIRS; i++) {
		uint32_t a = prng_below(&random, n), b = prng_below(&random, n);
		uint32_t e1 = a < b ? a : b, e2 = a < b ? b : a;
		if (!is_candidate(&t, e1, e2))
			continue;
		pairs++;
		totals->candidates++;
		ok = try_pair(&t, e1, e2, totals);
	}
	totals->traces++;
	totals->events += n;
	for (int mode = 0; mode < SNAG_MODES; mode++) {
		uint64_t nodes = snag_decider_stats(t.decider[mode])->max_nodes;
		if (nodes > totals->most_nodes)
			totals->most_nodes = nodes;
	}
	if (!ok) {
		printf("trace %lu of seed %llu:\n", number, (unsigned long long)seed);
		trace_print(stdout, &t.trace, "  ");
	}
	trial_end(&t);
	return ok;
}

static void print(const struct totals *totals, bool ok)
{
	printf("%lu traces, %lu events, at most %lu nodes\n", totals->traces, totals->events,
	       totals->most_nodes);
	for (int mode = 0; mode < SNAG_MODES; mode++) {
		const unsigned long *d = totals->decisions[mode];
		const unsigned long *c = totals->confirmed[mode];
		printf("%s: %lu verified (%lu exhaustively), %lu infeasible (%lu exhaustively), "
		       "%lu undecided\n",
		       mode_text[mode], d[SNAG_VERIFIED], c[SNAG_VERIFIED], d[SNAG_INFEASIBLE],
		       c[SNAG_INFEASIBLE], d[SNAG_UNDECIDED]);
	}
	printf("candidates: %lu passed, %d failed\n", totals->candidates - !ok, !ok);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"candidates", 1, NULL, 'n'}, {"first", 1, NULL, 'f'}, {"seed", 1, NULL, 's'}, {0}};
	unsigned long candidates = 10000, first = 0;
	uint64_t seed = 1;
	struct totals totals = {0};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (c == 'n')
			candidates = strtoul(optarg, NULL, 10);
		else if (c == 'f')
			first = strtoul(optarg, NULL, 10);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		if (c == '?')
			break;
	}
	if (optind != argc) {
		fputs("usage: campaign [--candidates N] [--first TRACE] [--seed S]\n", stderr);
		return 2;
	}
	bool ok = true;
	for (unsigned long i = first; ok && totals.candidates < candidates; i++)
		ok = try_trace(seed, i, &totals);
	print(&totals, ok);
	return ok ? 0 : 1;
}
