/* SPDX-License-Identifier: Apache-2.0
 *
 * test_published.c - the published procedures, step by step
 *
 * First the figures that show a step and not an answer: which events the cones have, and what the
 * closure orders.
 *
 * Small traces, most found by search and shrunk, of which each needs one step of a procedure:
 * without that step the race is not verified, or with a witness that is none.  On random traces
 * most of the steps after the closure matter too rarely to be missed.
 */
#include "unit.h"

#include "trace/source.h"
#include "witness/decide/cut.h"
#include "witness/decide/paper.h"
#include "witness/decide/propagate.h"
#include "witness/decide/vindicate.h"

#include <stdio.h>
#include <string.h>

enum { MAX_EDGES = 8 };

/* Pavlogiannis, POPL 2020: events as they are numbered there, from 1. */
struct figure {
	const char *trace;
	uint32_t e1, e2;
	uint32_t cone[20];		/* both cones; the rest is 0 */
	uint32_t edge[MAX_EDGES][2];	/* of the closure, beyond program order; the rest is 0 */
	uint32_t no_edge[MAX_EDGES][2]; /* what it leaves open, both ways */
	bool is_infeasible;		/* it is a circle */
};

static const struct figure figures[] = {
	/* section 4.1 on figure 1a, and on figure 1b */
	{"m2_fig1a", 2, 7, {1, 4, 5, 6}, {{6, 1}}, {{0}}, false},
	{"m2_fig1b",
	 2,
	 14,
	 {1, 5, 6, 7, 8, 9, 10, 11, 12, 13},
	 {{10, 1}, {7, 12}, {8, 11}},
	 {{1, 11}, {10, 11}},
	 false},
	/* figure 2b: solid edges, then dashed ones; x1 and x3 stay open */
	{"m2_fig2a",
	 10,
	 19,
	 {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18},
	 {{15, 8}, {2, 17}, {14, 5}, {15, 4}},
	 {{1, 16}, {6, 16}, {3, 12}, {3, 18}},
	 false},
	/* figure 6b */
	{"m2_fig6a", 2, 10, {1, 4, 5, 6, 9}, {{6, 1}, {5, 9}}, {{1, 9}}, false},
	/* figure 7b; e1 and what conflicts with it stay open */
	{"m2_fig7a",
	 6,
	 16,
	 {1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15},
	 {{10, 2}, {12, 2}, {9, 14}, {14, 4}, {15, 3}},
	 {{1, 9}, {1, 10}, {10, 11}},
	 false},
	/* figure 8b */
	{"m2_fig8a", 5, 13, {1, 2, 3, 4, 7, 8, 9, 10, 11, 12}, {{0}}, {{0}}, true},
};

struct needs {
	const char *step;
	uint32_t e1, e2;
	const char *trace; /* THREAD OP OPERAND; ... */
};

static const struct needs race_decision[] = {
	{"item 4: the section that a third thread has open ends", 2, 5,
	 "T0 acq l0; T0 fork T2; T1 r x0; T0 rel l0; T2 acq l0; T2 w x0"},
	{"what conflicts outside the racing thread keeps its order", 5, 11,
	 "T2 w x1; T0 w x1; T0 r x1; T0 acq l0; T1 r x1; T0 w x0; T0 rel l0; T2 acq l0; "
	 "T2 rel l0; T2 w x0; T1 r x0; T1 w x0"},
	{"that is the order observed, and no other", 2, 17,
	 "T2 acq l0; T1 acq l1; T1 w x0; T1 rel l1; T0 acq l1; T2 w x0; T3 w x1; T4 r x0; T4 r x1; "
	 "T0 w x0; T3 r x0; T0 w x1; T0 w x0; T2 r x1; T4 w x0; T0 r x0; T2 rel l0; T3 w x0; "
	 "T0 rel l1"},
	{"closure after every insertion", 7, 13,
	 "T0 acq l0; T0 rel l0; T1 acq l1; T2 acq l0; T2 rel l0; T1 rel l1; T1 acq l1; T1 w x0; "
	 "T1 rel l1; T2 acq l1; T2 rel l1; T2 w x0; T0 r x0; T0 r x0"},
	{"max-min: the racing thread runs as early as possible", 5, 18,
	 "T0 w x1; T0 w x0; T1 w x2; T0 acq l0; T0 r x1; T0 w x0; T0 rel l0; T1 w x1; T2 w x0; "
	 "T2 acq l0; T1 r x2; T1 r x1; T2 w x2; T2 rel l0; T2 w x2; T1 w x1; T1 r x2; T1 r x0; "
	 "T1 w x0"},
	/* Outside T1, m in the order observed makes n1 and then n2 be that too; with l1, which T1
	 * still holds at the race, that is a circle.  Outside T2 there is n2 only. */
	{"the second thread, if the first fails", 11, 28,
	 "T2 acq n1; T1 acq n2; T1 w y; T2 acq m; T2 r y; T2 rel m; T3 acq m; T3 w z; T3 rel m; "
	 "T1 acq l1; T1 rel n2; T1 w x; T1 rel l1; T4 acq n2; T4 acq l2; T4 rel l2; T4 r z; "
	 "T4 rel n2; T4 w v; T2 acq l2; T2 rel n1; T3 acq n1; T3 acq l1; T3 rel l1; T3 rel n1; "
	 "T3 w u; T2 r u; T2 r v; T2 w x; T2 rel l2"},
};

static const struct needs vindication[] = {
	{"an acquire that stays open makes its section end, and all starts again", 3, 6,
	 "T0 acq l0; T0 fork T1; T0 rel l0; T1 w x0; T2 acq l0; T2 rel l0; T2 w x0"},
	{"the same for a shared one", 5, 7,
	 "T1 racq l0; T1 w x0; T1 rrel l0; T0 r x0; T2 acq l0; T0 w x0; T2 rel l0; T2 r x0"},
	{"reads wait for their writer", 3, 8,
	 "T0 w x0; T0 acq l0; T0 r x0; T0 w x0; T0 rel l0; T1 w x0; T1 acq l0; T1 rel l0; T1 r x0"},
	{"a write ends the waiting", 0, 4, "T0 r x0; T1 w x0; T1 w x0; T1 r x0; T1 w x0"},
	{"the latest event first", 1, 3, "T0 r x0; T0 w x0; T1 w x0; T1 w x0"},
	{"sections end before those that the race is in", 1, 5,
	 "T1 acq l0; T1 r x0; T1 rel l0; T0 acq l0; T0 rel l0; T0 w x0"},
	{"sections do not mix", 3, 11,
	 "T2 acq l0; T1 acq l1; T2 rel l0; T1 r x0; T1 rel l1; T0 acq l1; T0 acq l0; T0 rel l0; "
	 "T2 w x0; T0 rel l1; T0 r x0; T0 w x0"},
	{"nor with shared ones", 2, 14,
	 "T0 acq l0; T3 racq l1; T0 r x0; T0 rel l0; T3 rrel l1; T1 acq l1; T1 r x0; T2 racq l0; "
	 "T2 w x0; T1 rel l1; T2 rrel l0; T1 r x0; T3 w x0; T1 r x0; T1 w x0"},
	{"an acquire before a release: section before section", 4, 9,
	 "T1 acq l0; T1 acq l1; T1 rel l1; T0 acq l1; T1 w x0; T1 rel l0; T0 acq l0; T0 rel l0; "
	 "T0 rel l1; T0 w x0"},
	{"constraints to fixpoint", 3, 9,
	 "T0 acq l0; T0 acq l1; T0 rel l1; T0 w x0; T0 rel l0; T1 acq l1; T1 acq l0; T1 rel l0; "
	 "T1 rel l1; T1 w x0"},
};

static void load(const char *text, struct snag_trace *ret_trace)
{
	char thread[8], op[8], operand[8];
	int length;
	snag_trace_init(ret_trace);
	for (; sscanf(text, "%7s %7s %7[^; ]%n", thread, op, operand, &length) == 3;) {
		unsigned k = 0;
		while (k < SNAG_OPS && strcmp(snag_op_info[k].text, op) != 0)
			k++;
		assert_true(k < SNAG_OPS);
		snag_trace_add(ret_trace, thread, (enum snag_op)k, operand, "1");
		text += length;
		text += strspn(text, "; ");
	}
	assert_true(*text == '\0');
}

static void assert_verified(const struct needs *n, const struct snag_trace *trace,
			    enum snag_decision d, const struct snag_witness *w,
			    enum snag_rules rules)
{
	struct snag_error err;
	if (d != SNAG_VERIFIED)
		fail_msg("%s: not verified", n->step);
	if (snag_witness_check(trace, w, rules, &err) < 0)
		fail_msg("%s: %s", n->step, err.msg);
}

static void test_race_decision(void **state)
{
	for (size_t i = 0; i < sizeof(race_decision) / sizeof(*race_decision); i++) {
		const struct needs *n = &race_decision[i];
		struct snag_trace trace;
		load(n->trace, &trace);
		struct snag_index *ix = snag_index_new_published(&trace);
		snag_index_add_mode(ix, SNAG_MODE_M2);
		struct snag_paper *p = snag_paper_new(ix, 0);
		enum snag_decision d = snag_paper_decide(p, n->e1, n->e2);
		assert_verified(n, &trace, d, snag_paper_witness(p), SNAG_RULES_READS);
		snag_paper_free(p);
		snag_index_free(ix);
		snag_trace_done(&trace);
	}
}

static void test_vindication(void **state)
{
	for (size_t i = 0; i < sizeof(vindication) / sizeof(*vindication); i++) {
		const struct needs *n = &vindication[i];
		struct snag_trace trace;
		load(n->trace, &trace);
		struct snag_index *ix = snag_index_new_published(&trace);
		snag_index_add_mode(ix, SNAG_MODE_DEP);
		struct snag_vindicator *v = snag_vindicator_new(ix, SNAG_MODE_DEP, 0);
		enum snag_decision d = snag_vindicate(v, n->e1, n->e2);
		assert_verified(n, &trace, d, snag_vindicator_witness(v), SNAG_RULES_DEPENDENCE);
		snag_vindicator_free(v);
		snag_index_free(ix);
		snag_trace_done(&trace);
	}
}

/* Steps 1 and 2 of decide/paper.c: the cones as a cut. */
static void assert_cones(struct snag_state *s, const struct figure *f, uint32_t *ret_cut)
{
	const struct snag_index *ix = s->ix;
	uint32_t e1 = f->e1 - 1, e2 = f->e2 - 1;
	snag_tid racers[2] = {snag_index_thread(ix, e1), snag_index_thread(ix, e2)};
	size_t n = 0;
	assert_true(snag_cut_need(s, e1, e2, ret_cut));
	snag_cut_end_others(s, racers, ret_cut);
	for (uint32_t e = 0; e < ix->nevents; e++) {
		if (!snag_cut_has(s, e, ret_cut))
			continue;
		if (f->cone[n++] != e + 1)
			fail_msg("%s: e%u is in the cones", f->trace, e + 1);
	}
	if (f->cone[n])
		fail_msg("%s: e%u is not in the cones", f->trace, f->cone[n]);
}

static void assert_closure(struct snag_state *s, const struct figure *f, const uint32_t *cut)
{
	size_t width = s->nthreads * sizeof(*cut);
	memset(s->start, 0, width);
	memcpy(s->limit, cut, width);
	snag_state_begin(s, cut);
	assert_int_equal(snag_propagate_all(s), !f->is_infeasible);
	for (int i = 0; i < MAX_EDGES && f->edge[i][0]; i++)
		if (!snag_state_is_before(s, f->edge[i][0] - 1, f->edge[i][1] - 1))
			fail_msg("%s: no e%u before e%u", f->trace, f->edge[i][0], f->edge[i][1]);
	for (int i = 0; i < MAX_EDGES && f->no_edge[i][0]; i++) {
		uint32_t a = f->no_edge[i][0], b = f->no_edge[i][1];
		if (snag_state_is_before(s, a - 1, b - 1) || snag_state_is_before(s, b - 1, a - 1))
			fail_msg("%s: e%u and e%u are ordered", f->trace, a, b);
	}
}

static void test_figures(void **state)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		const struct figure *f = &figures[i];
		struct snag_source_options options = {0};
		struct snag_trace trace;
		struct snag_state s;
		struct snag_error err;
		char path[4096];
		uint32_t cut[3];
		snprintf(path, sizeof(path), SNAG_TESTS_DIR "/traces/%s.std", f->trace);
		snag_trace_init(&trace);
		if (snag_trace_load_file(&trace, path, &options, &err) < 0)
			fail_msg("%s", err.msg);
		struct snag_index *ix = snag_index_new_published(&trace);
		snag_index_add_mode(ix, SNAG_MODE_M2);
		snag_state_init(&s, ix, SNAG_MODE_M2);
		assert_true(s.nthreads <= 3);
		assert_cones(&s, f, cut);
		assert_closure(&s, f, cut);
		snag_state_done(&s);
		snag_index_free(ix);
		snag_trace_done(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_race_decision),
		cmocka_unit_test(test_vindication),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
