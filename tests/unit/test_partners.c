/* SPDX-License-Identifier: Apache-2.0
 *
 * test_partners.c - the pairs of hb on traces too long for the oracle, against a list of all
 * accesses: from the window of recent events, from the second reading, and mixed; and the counts
 * of relations whose pairs are decided, from the index, against those from the second reading;
 * and what a bound on the races leaves out
 */
#include "unit.h"

#include "bench/generate.h"
#include "detect/analyze/analyze.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 8 };

/* Happens-before the plain way: a clock of event numbers for every event. */
struct naive {
	uint32_t now[MAX_THREADS][MAX_THREADS];
	uint32_t (*lock)[MAX_THREADS];
	uint32_t (*at)[MAX_THREADS]; /* by event: what is ordered before it */
};

static void join(uint32_t *to, const uint32_t *from)
{
	for (int t = 0; t < MAX_THREADS; t++)
		to[t] = to[t] > from[t] ? to[t] : from[t];
}

static void naive_step(struct naive *h, const struct snag_event *ev, uint32_t e)
{
	uint32_t *now = h->now[ev->thread];
	if (ev->op == SNAG_OP_ACQUIRE)
		join(now, h->lock[ev->target]);
	if (ev->op == SNAG_OP_JOIN)
		join(now, h->now[ev->target]);
	now[ev->thread] = e + 1;
	memcpy(h->at[e], now, sizeof(h->at[e]));
	if (ev->op == SNAG_OP_RELEASE)
		memcpy(h->lock[ev->target], now, sizeof(h->now[0]));
	if (ev->op == SNAG_OP_FORK)
		join(h->now[ev->target], now);
}

static bool is_race(const struct snag_trace *trace, const struct naive *h, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &trace->ev[a], *y = &trace->ev[b];
	return snag_op_is_access(x->op) && x->target == y->target && x->thread != y->thread &&
	       (x->op == SNAG_OP_WRITE || y->op == SNAG_OP_WRITE) && h->at[b][x->thread] <= a;
}

/* Every pair the detector lists is one, and it lists as many as there are. */
static uint64_t check_pairs(const struct snag_trace *trace, const struct naive *h,
			    const struct snag_findings *f)
{
	uint64_t n = 0;
	for (uint32_t b = 0; b < trace->n; b++)
		for (uint32_t a = 0; snag_op_is_access(trace->ev[b].op) && a < b; a++)
			n += is_race(trace, h, a, b);
	assert_int_equal(f->nraces, n);
	assert_int_equal(f->npairs, n);
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *r = &f->race[i];
		assert_true(is_race(trace, h, r->first.event, r->second.event));
		assert_true(i == 0 || r[-1].second.event < r->second.event ||
			    (r[-1].second.event == r->second.event &&
			     r[-1].first.event < r->first.event));
	}
	return n;
}

/* Returns how many pairs there are. */
static uint64_t check_trace(struct snag_generate_options *o)
{
	struct snag_error err;
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_analyze_options options = {
		.detector = {snag_detector_find("hb", 2)}, .ndetectors = 1, .pairs = true};
	struct snag_analysis a;
	struct naive h = {0};
	assert_int_equal(snag_generate_source(o, &src, &err), 0);
	snag_trace_init(&trace);
	assert_int_equal(snag_trace_load(&trace, src, &err), 0);
	snag_source_close(src);
	h.lock = calloc(o->locks + 1, sizeof(*h.lock));
	h.at = calloc(trace.n, sizeof(*h.at));
	for (uint32_t e = 0; e < trace.n; e++)
		naive_step(&h, &trace.ev[e], e);

	src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &a, &err), 0);
	uint64_t n = check_pairs(&trace, &h, &a.findings[0]);
	snag_analysis_done(&a);
	snag_source_close(src);
	free(h.lock);
	free(h.at);
	snag_trace_done(&trace);
	return n;
}

static void pairs_are_those_of_happens_before(void **state)
{
	/* Few races are near ones; many exceed what may be looked for in the window. */
	static const double unprotected[] = {0.01, 0.2, 1};
	uint64_t total = 0;
	for (unsigned i = 0; i < 3; i++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct snag_generate_options o = snag_generate_defaults;
			o.events = 6000;
			o.variables = 40;
			o.locks = 8;
			o.hot_locks = 0;
			o.threads = 5;
			o.section = 60;
			o.unprotected = unprotected[i];
			o.seed = seed;
			total += check_trace(&o);
		}
	assert_in_range(total, 10000, 10000000);
}

static const struct snag_race *race_like(const struct snag_findings *f, const struct snag_race *r)
{
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *x = &f->race[i];
		if ((x->first.loc == r->first.loc && x->second.loc == r->second.loc) ||
		    (x->first.loc == r->second.loc && x->second.loc == r->first.loc))
			return x;
	}
	return NULL;
}

static void analyze_generated(const struct snag_generate_options *o, const char *name,
			      bool undecided, struct snag_analysis *ret_a)
{
	struct snag_error err;
	struct snag_source *src;
	struct snag_analyze_options options = {.detector = {snag_detector_find(name, strlen(name))},
					       .ndetectors = 1,
					       .undecided = undecided};
	assert_int_equal(snag_generate_source(o, &src, &err), 0);
	assert_int_equal(snag_analyze(src, &options, ret_a, &err), 0);
	snag_source_close(src);
}

static void decided_pairs_are_counted_as_undecided_ones(void **state)
{
	static const char *const names[] = {"dc", "wdp", "sdp", "wcp"};
	size_t total = 0;
	for (unsigned i = 0; i < 12; i++) {
		struct snag_generate_options o = snag_generate_defaults;
		struct snag_analysis decided, undecided;
		o.events = 20000;
		o.variables = 60;
		o.locks = 8;
		o.locations = 50;
		o.unprotected = i < 4 ? 0.01 : i < 8 ? 0.3 : 1;
		o.branches = i % 2 ? 0.2 : 0;
		o.seed = i + 1;
		analyze_generated(&o, names[i % 4], false, &decided);
		analyze_generated(&o, names[i % 4], true, &undecided);
		const struct snag_findings *f = &decided.findings[0], *g = &undecided.findings[0];
		assert_int_equal(f->nracy, g->nracy);
		assert_memory_equal(f->racy, g->racy, f->nracy * sizeof(*f->racy));
		for (size_t k = 0; k < f->nraces; k++) {
			const struct snag_race *like = race_like(g, &f->race[k]);
			assert_non_null(like);
			assert_int_equal(f->race[k].count, like->count);
		}
		total += f->nraces;
		snag_analysis_done(&decided);
		snag_analysis_done(&undecided);
	}
	assert_in_range(total, 100, 1000000);
}

static void analyze_bounded(struct snag_trace *trace, const char *name, bool pairs,
			    uint64_t max_races, struct snag_analysis *ret_a)
{
	struct snag_error err;
	struct snag_source *src = snag_trace_source(trace);
	struct snag_analyze_options options = {.detector = {snag_detector_find(name, strlen(name))},
					       .ndetectors = 1,
					       .pairs = pairs,
					       .max_races = max_races};
	assert_int_equal(snag_analyze(src, &options, ret_a, &err), 0);
	snag_source_close(src);
}

/* A trace of accesses at any of so many locations. */
static uint32_t trace_of_locations(struct snag_trace *trace)
{
	struct snag_error err;
	struct snag_source *src;
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 20000;
	o.variables = 20;
	o.locations = 100;
	o.unprotected = 0.3;
	snag_trace_init(trace);
	assert_int_equal(snag_generate_source(&o, &src, &err), 0);
	assert_int_equal(snag_trace_load(trace, src, &err), 0);
	snag_source_close(src);
	uint32_t nlocations = (uint32_t)trace->names.space[SNAG_SPACE_LOCATION].n;
	srand(1);
	for (size_t e = 0; e < trace->n; e++)
		trace->ev[e].loc = (uint32_t)rand() % nlocations;
	return nlocations;
}

static bool has_location(const struct snag_findings *f, snag_loc loc)
{
	for (size_t i = 0; i < f->nraces; i++)
		if (f->race[i].first.loc == loc || f->race[i].second.loc == loc)
			return true;
	return false;
}

enum { MOST = 20 };

/* What is listed is a part of all races, and counts are lower bounds. */
static void check_part(const struct snag_findings *all, const struct snag_findings *part,
		       uint32_t nlocations)
{
	uint64_t npairs = 0;
	assert_int_equal(all->abridged, 0);
	assert_true(part->abridged > 0 && !part->complete);
	assert_in_range(all->nraces, 1000, 1000000);
	assert_in_range(part->nraces, 1, MOST + SNAG_LISTED_ALWAYS * nlocations);
	for (size_t i = 0; i < part->nraces; i++) {
		const struct snag_race *like = race_like(all, &part->race[i]);
		assert_non_null(like);
		assert_int_equal(part->race[i].verdict, like->verdict);
		assert_in_range(part->race[i].count, 1, like->count);
		npairs += part->race[i].count;
	}
	assert_int_equal(part->npairs, npairs);
}

static void check_same_racy(const struct snag_findings *f, const struct snag_findings *g)
{
	assert_int_equal(f->nracy, g->nracy);
	assert_memory_equal(f->racy, g->racy, f->nracy * sizeof(*f->racy));
}

static void a_bound_is_kept_and_said(void **state)
{
	static const char *const names[] = {"hb", "shb", "wcp", "wdp", "m2"};
	struct snag_trace trace;
	uint32_t nlocations = trace_of_locations(&trace);
	for (int i = 0; i < 5; i++) {
		bool is_m2 = strcmp(names[i], "m2") == 0;
		struct snag_analysis all, part, pairs;
		analyze_bounded(&trace, names[i], false, SNAG_ALL_RACES, &all);
		analyze_bounded(&trace, names[i], false, MOST, &part);
		analyze_bounded(&trace, names[i], true, MOST, &pairs);
		const struct snag_findings *f = &all.findings[0], *g = &part.findings[0];
		check_part(f, g, nlocations);
		for (size_t k = 0; i < 2 && k < f->nraces; k++) {
			assert_true(has_location(g, f->race[k].first.loc));
			assert_true(has_location(g, f->race[k].second.loc));
		}
		assert_int_equal(pairs.findings[0].nraces, MOST);
		assert_int_equal(pairs.findings[0].npairs, MOST);
		assert_true(pairs.findings[0].abridged > 0);
		if (!is_m2) {
			check_same_racy(f, g);
			check_same_racy(f, &pairs.findings[0]);
		}
		snag_analysis_done(&all);
		snag_analysis_done(&part);
		snag_analysis_done(&pairs);
	}
	snag_trace_done(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_happens_before),
		cmocka_unit_test(decided_pairs_are_counted_as_undecided_ones),
		cmocka_unit_test(a_bound_is_kept_and_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
