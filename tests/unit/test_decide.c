/* SPDX-License-Identifier: Apache-2.0
 *
 * test_decide.c - the decision engine on traces too long for the oracle
 *
 * Whichever steps are left out, a pair has one answer, and every witness is accepted by the
 * independent checker: an error that only shows in larger windows is not seen on tiny traces.
 */
#include "unit.h"

#include "bench/generate.h"
#include "detect/analyze/analyze.h"
#include "detect/candidates/candidates.h"
#include "witness/decide/decide.h"
#include "witness/decide/check.h"
#include "witness/decide/cut.h"
#include "witness/decide/ops.h"
#include "witness/decide/paper.h"
#include "witness/decide/propagate.h"
#include "witness/decide/vindicate.h"

#include <stdlib.h>
#include <string.h>

static const unsigned skips[] = {
	0,
	SNAG_STEP_DELAY,
	SNAG_STEP_CLOSE | SNAG_STEP_DELAY,
	SNAG_STEPS & ~SNAG_STEP_WINDOW,
	SNAG_STEPS,
	SNAG_STEP_FILTER | SNAG_STEP_GREEDY,
	SNAG_STEP_LATE,
	SNAG_STEPS & ~(SNAG_STEP_FILTER | SNAG_STEP_LATE),
};

enum { NSKIPS = sizeof(skips) / sizeof(skips[0]) };

struct comparison {
	const struct snag_trace *trace;
	const struct snag_index *ix;
	enum snag_mode mode;
	struct snag_decider *decider[NSKIPS];
	struct snag_decider *one_node; /* propagates, and linearises once */
	struct snag_paper *paper;      /* NULL: not in this mode */
	struct snag_vindicator *vindicator;
	unsigned pairs, races, open;	 /* open: no race, but not by propagation alone */
	unsigned by_paper, by_vindicate; /* races that were found by the published procedures */
};

/* The published procedures know fewer races, and no others. */
static void assert_published(struct comparison *c, uint32_t e1, uint32_t e2,
			     enum snag_decision exact)
{
	enum snag_rules rules = snag_rules_of_mode(c->mode);
	enum snag_decision d = snag_vindicate(c->vindicator, e1, e2);
	const struct snag_witness *w = snag_vindicator_witness(c->vindicator);
	assert_true(d == exact || d == SNAG_UNDECIDED);
	if (d == SNAG_VERIFIED)
		assert_int_equal(snag_witness_check(c->trace, w, rules, NULL), 0);
	c->by_vindicate += d == SNAG_VERIFIED;
	if (!c->paper)
		return;
	d = snag_paper_decide(c->paper, e1, e2);
	w = snag_paper_witness(c->paper);
	assert_true(d == exact || (d == SNAG_INFEASIBLE && !snag_paper_is_certain(c->paper)));
	if (d == SNAG_VERIFIED)
		assert_int_equal(snag_witness_check(c->trace, w, rules, NULL), 0);
	c->by_paper += d == SNAG_VERIFIED;
}

static bool on_candidate(void *ctx, uint32_t e1, uint32_t e2)
{
	struct comparison *c = ctx;
	enum snag_rules rules = snag_rules_of_mode(c->mode);
	enum snag_decision first = SNAG_UNDECIDED;
	for (unsigned i = 0; i < NSKIPS; i++) {
		enum snag_decision d = snag_decide(c->decider[i], e1, e2);
		const struct snag_witness *w = snag_decider_witness(c->decider[i]);
		struct snag_error err;
		if (i == 0)
			first = d;
		if (d == SNAG_UNDECIDED || d != first)
			fail_msg("%u-%u: %d with skip %u, %d without", e1, e2, d, skips[i], first);
		if (d == SNAG_VERIFIED && snag_witness_check(c->trace, w, rules, &err) < 0)
			fail_msg("%u-%u with skip %u: %s", e1, e2, skips[i], err.msg);
		if (d == SNAG_VERIFIED)
			assert_true(snag_witness_check_indexed(c->ix, c->mode, w));
	}
	enum snag_decision one = snag_decide(c->one_node, e1, e2);
	assert_true(one == first || one == SNAG_UNDECIDED);
	assert_published(c, e1, e2, first);
	c->open += one == SNAG_UNDECIDED && first == SNAG_INFEASIBLE;
	c->pairs++;
	c->races += first == SNAG_VERIFIED;
	return c->pairs < 400;
}

static void generate(unsigned seed, struct snag_trace *ret_trace)
{
	struct snag_generate_options o = snag_generate_defaults;
	struct snag_source *src;
	struct snag_error err;
	o.seed = seed;
	o.events = 100 + seed % 10 * 40;
	o.threads = 2 + seed % 6;
	o.variables = 6 + seed % 5;
	o.locks = 2 + seed % 4;
	o.hot_locks = 0;
	o.section = 2 + seed % 3;
	o.turn = 1 + seed % 7;
	o.unprotected = seed % 3 ? 0.1 : 0.4;
	o.reads = 0.3;
	o.branches = 0.05;
	o.fork_join = seed % 4 == 0;
	snag_trace_init(ret_trace);
	if (snag_generate_source(&o, &src, &err) < 0 || snag_trace_load(ret_trace, src, &err) < 0)
		fail_msg("%s", err.msg);
	snag_source_close(src);
}

static void compare(enum snag_mode mode)
{
	unsigned pairs = 0, races = 0, open = 0, by_paper = 0, by_vindicate = 0;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct snag_trace trace;
		generate(seed, &trace);
		struct snag_index *ix = snag_index_new(&trace);
		snag_index_add_mode(ix, mode);
		struct comparison c = {.trace = &trace, .ix = ix, .mode = mode};
		for (unsigned i = 0; i < NSKIPS; i++) {
			struct snag_decide_options options = {.mode = mode, .skip = skips[i]};
			c.decider[i] = snag_decider_new(ix, &options);
		}
		struct snag_decide_options one_node = {
			.mode = mode, .skip = SNAG_STEPS, .max_nodes = 1};
		c.one_node = snag_decider_new(ix, &one_node);
		c.paper = mode == SNAG_MODE_M2 ? snag_paper_new(ix, 0) : NULL;
		c.vindicator = snag_vindicator_new(ix, mode, 0);
		if (c.paper && seed % 2)
			snag_paper_use_no_windows(c.paper);
		if (seed % 2)
			snag_vindicator_use_windows(c.vindicator);
		struct snag_candidates_options options = {.mode = mode};
		snag_candidates(ix, &options, on_candidate, &c);
		snag_decider_free(c.one_node);
		snag_paper_free(c.paper);
		snag_vindicator_free(c.vindicator);
		for (unsigned i = 0; i < NSKIPS; i++)
			snag_decider_free(c.decider[i]);
		snag_index_free(ix);
		snag_trace_done(&trace);
		pairs += c.pairs;
		races += c.races;
		open += c.open;
		by_paper += c.by_paper;
		by_vindicate += c.by_vindicate;
	}
	assert_true(pairs > 2000);
	/* Both answers were seen; by the rules of dependence most candidates are races. */
	assert_true(races > 500 && races + (mode == SNAG_MODE_DEP ? 100 : 500) < pairs);
	/* Without one of its rules propagation leaves some open; the search would hide that. */
	assert_int_equal(open, 0);
	/* The published procedures find most races, but not all. */
	assert_true(by_vindicate > races / 2 && by_vindicate < races);
	if (mode == SNAG_MODE_M2)
		assert_true(by_paper > races / 2 && by_paper < races);
}

static void test_steps_agree_m2(void **state)
{
	compare(SNAG_MODE_M2);
}

static void test_steps_agree_dep(void **state)
{
	compare(SNAG_MODE_DEP);
}

static void test_steps_agree_literal(void **state)
{
	compare(SNAG_MODE_LITERAL);
}

/* Races by locations, decided by several threads, are races by pairs. */
static void test_jobs_and_locations(void **state)
{
	struct snag_trace trace;
	generate(9, &trace);
	struct snag_analysis all, some;
	struct snag_analyze_options options = {.detector = {snag_detector_find("m2", 2)},
					       .ndetectors = 1,
					       .pairs = true,
					       .jobs = 1};
	struct snag_error err;
	struct snag_source *src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &all, &err), 0);
	snag_source_close(src);
	options.pairs = false;
	options.jobs = 4;
	src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &some, &err), 0);
	snag_source_close(src);
	const struct snag_findings *a = &all.findings[0], *b = &some.findings[0];
	assert_true(a->complete && b->complete);
	assert_true(b->nraces > 0 && b->nraces <= a->nraces);
	for (size_t i = 0; i < a->nraces; i++) {
		unsigned found = 0;
		for (size_t k = 0; k < b->nraces; k++) {
			snag_loc x = a->race[i].first.loc, y = a->race[i].second.loc;
			snag_loc v = b->race[k].first.loc, w = b->race[k].second.loc;
			found += (x == v && y == w) || (x == w && y == v);
		}
		assert_int_equal(found, 1);
	}
	snag_analysis_done(&all);
	snag_analysis_done(&some);
	snag_trace_done(&trace);
}

struct closing {
	struct snag_state s;
	uint32_t *need;
	unsigned closed;
};

/* What must precede an event that must precede e must precede e. */
static void assert_closed(struct snag_state *s, uint32_t e)
{
	snag_tid t = snag_index_thread(s->ix, e);
	for (snag_tid u = 0; u < s->nthreads; u++) {
		uint32_t k = snag_state_before(s, e, u);
		for (snag_tid v = 0; k > 0 && u != t && v < s->nthreads; v++) {
			uint32_t f = snag_index_event(s->ix, u, k - 1);
			assert_true(snag_state_before(s, f, v) <= snag_state_before(s, e, v));
		}
	}
}

static bool is_before(struct snag_state *s, uint32_t a, uint32_t b)
{
	return a != SNAG_NO_EVENT && snag_state_is_before(s, a, b);
}

/* [writer] and [between] of decide/propagate.c, of a read and another write of its variable. */
static void assert_read(struct snag_state *s, uint32_t r, uint32_t v)
{
	uint32_t w = s->ix->link[r];
	if (v == w || v == r)
		return;
	if (snag_state_is_before(s, v, r))
		assert_true(w != SNAG_NO_EVENT && snag_state_is_before(s, v, w));
	if (w == SNAG_NO_EVENT || snag_state_is_before(s, w, v))
		assert_true(snag_state_is_before(s, r, v));
}

/* [section]: if the one of a cannot come first, that of b does. */
static void assert_sections(struct snag_state *s, uint32_t a, uint32_t b)
{
	const struct snag_index *ix = s->ix;
	snag_tid t = snag_index_thread(ix, a);
	uint32_t release = ix->link[a];
	bool ends = release != SNAG_NO_EVENT && ix->position[release] < s->limit[t];
	bool is_closed = ends && ix->position[release] < s->count[t];
	uint32_t last = is_closed ? release : snag_index_event(ix, t, s->count[t] - 1);
	if (!ends || snag_state_is_before(s, b, last))
		assert_true(is_before(s, ix->link[b], a));
}

/* No rule says more of two events of X. */
static void assert_rules(struct snag_state *s, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &s->ix->trace->ev[a], *y = &s->ix->trace->ev[b];
	if (x->target != y->target || a == b)
		return;
	if (snag_op_reads(x->op) && snag_state_is_causal(s, a) && snag_op_writes(y->op))
		assert_read(s, a, b);
	if (x->op == SNAG_OP_ACQUIRE && y->op == SNAG_OP_ACQUIRE && x->thread != y->thread &&
	    !((x->flags | y->flags) & SNAG_NESTED))
		assert_sections(s, a, b);
}

/* What grows after a mark is gone after returning to it. */
static void assert_returns(struct snag_state *s)
{
	size_t width = s->nthreads * sizeof(*s->count);
	uint32_t *count = malloc(width), *causal = malloc(width);
	memcpy(count, s->count, width);
	memcpy(causal, s->causal, width);
	for (snag_tid t = 0; t < s->nthreads; t++) {
		uint32_t last = s->limit[t] < s->count[t] + 20 ? s->limit[t] : s->count[t] + 20;
		if (last == s->count[t])
			continue;
		size_t mark = snag_state_mark(s);
		if (snag_state_need(s, snag_index_event(s->ix, t, last - 1)))
			snag_propagate(s);
		else
			snag_state_clear_queue(s);
		snag_state_return(s, mark);
		assert_memory_equal(s->count, count, width);
		assert_memory_equal(s->causal, causal, width);
	}
	free(count);
	free(causal);
}

static bool on_closing(void *ctx, uint32_t e1, uint32_t e2)
{
	struct closing *c = ctx;
	size_t n;
	if (!snag_cut_need(&c->s, e1, e2, c->need))
		return true;
	memset(c->s.start, 0, c->s.nthreads * sizeof(*c->s.start));
	snag_state_begin(&c->s, c->need);
	if (!snag_propagate_all(&c->s))
		return true;
	const uint32_t *event = snag_state_events(&c->s, &n);
	for (size_t i = 0; i < n; i++)
		assert_closed(&c->s, event[i]);
	for (size_t i = 0; i < n && c->closed % 4 == 0; i++)
		for (size_t k = 0; k < n; k++)
			assert_rules(&c->s, event[i], event[k]);
	assert_returns(&c->s);
	return ++c->closed < 40;
}

/* After propagation in sweeps the order is transitive, and what the rules imply is in it. */
static void test_order_is_closed(void **state)
{
	unsigned closed = 0;
	for (unsigned i = 0; i < 20 * SNAG_MODES; i++) {
		enum snag_mode mode = (enum snag_mode)(i % SNAG_MODES);
		struct snag_candidates_options options = {.mode = mode};
		struct snag_trace trace;
		generate(i / SNAG_MODES, &trace);
		struct snag_index *ix = snag_index_new(&trace);
		snag_index_add_mode(ix, mode);
		struct closing c = {.need = calloc(ix->rows[mode].width, sizeof(*c.need))};
		snag_state_init(&c.s, ix, mode);
		snag_candidates(ix, &options, on_closing, &c);
		closed += c.closed;
		snag_state_done(&c.s);
		free(c.need);
		snag_index_free(ix);
		snag_trace_done(&trace);
	}
	assert_true(closed > 400);
}

static volatile sig_atomic_t stop;

static void stop_soon(void *ctx, uint64_t done, uint64_t of)
{
	uint64_t *last = ctx;
	assert_true(done == *last + 1 && done <= of);
	*last = done;
	stop = done >= 100;
}

/* Who stops it while pairs are decided gets what was found until then. */
static void test_stop(void **state)
{
	struct snag_trace trace;
	generate(9, &trace);
	struct snag_analysis all, some;
	struct snag_analyze_options options = {.detector = {snag_detector_find("m2", 2)},
					       .ndetectors = 1,
					       .pairs = true,
					       .jobs = 1};
	struct snag_error err;
	uint64_t last = 0;
	struct snag_source *src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &all, &err), 0);
	snag_source_close(src);
	options.decided = stop_soon;
	options.progress_ctx = &last;
	options.stop = &stop;
	src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &some, &err), 0);
	snag_source_close(src);
	assert_int_equal(last, 100);
	assert_true(some.interrupted && !some.findings[0].complete);
	assert_true(some.findings[0].nraces > 0);
	assert_true(some.findings[0].nraces < all.findings[0].nraces);
	snag_analysis_done(&all);
	snag_analysis_done(&some);
	snag_trace_done(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_agree_m2),
		cmocka_unit_test(test_steps_agree_dep),
		cmocka_unit_test(test_steps_agree_literal),
		cmocka_unit_test(test_jobs_and_locations),
		cmocka_unit_test(test_order_is_closed),
		cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
