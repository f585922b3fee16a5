/* SPDX-License-Identifier: Apache-2.0
 *
 * decide.c - what decisions cost: decide [m2|dep] TRACE [PAIRS]
 *
 * Decides the candidate pairs of a trace, at most PAIRS of them, one after another by their second
 * events, in one thread, and prints one CSV line: how many were verified, infeasible, undecided;
 * which step settled them; microseconds on average, in the median, and at most; nodes and windows of
 * the search.  The average is of a first pass through all pairs, which asks the clock twice: that takes
 * a microsecond or more.  The others are of a second pass, with fresh state, that asks it for
 * each pair and checks the witnesses.  us_failed and us_verified are the means of that pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "detect/candidates/candidates.h"
#include "witness/decide/decide.h"
#include "witness/decide/check.h"

struct pair {
	uint32_t e1, e2;
};

struct run {
	struct snag_decider *decider;
	const struct snag_index *ix;
	enum snag_mode mode;
	struct pair *pair;
	size_t n, cap, most;
	uint64_t bad;
	double *took;	   /* seconds, by pair */
	double took_by[2]; /* of all that were not verified, and of those that were */
	double seconds;	   /* of all of them, without the clock */
};

static bool on_candidate(void *ctx, uint32_t e1, uint32_t e2)
{
	struct run *r = ctx;
	r->pair = snag_grow(r->pair, &r->cap, r->n + 1, sizeof(*r->pair));
	r->pair[r->n++] = (struct pair){e1, e2};
	return r->n < r->most;
}

static int by_second_event(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->e2 != y->e2)
		return x->e2 < y->e2 ? -1 : 1;
	return (x->e1 > y->e1) - (x->e1 < y->e1);
}

static void decide(struct run *r, size_t i)
{
	struct pair pair = r->pair[i];
	double begin = snag_seconds(CLOCK_THREAD_CPUTIME_ID);
	enum snag_decision d = snag_decide(r->decider, pair.e1, pair.e2);
	r->took[i] = snag_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
	r->took_by[d == SNAG_VERIFIED] += r->took[i];
	if (d == SNAG_VERIFIED &&
	    !snag_witness_check_indexed(r->ix, r->mode, snag_decider_witness(r->decider)))
		r->bad++;
}

/* The time of all pairs, by a decider of its own. */
static double decide_all(const struct run *r, const struct snag_decide_options *options)
{
	struct snag_decider *decider = snag_decider_new(r->ix, options);
	double begin = snag_seconds(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < r->n; i++)
		snag_decide(decider, r->pair[i].e1, r->pair[i].e2);
	double took = snag_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
	snag_decider_free(decider);
	return took;
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print(const struct run *r)
{
	const struct snag_decide_stats *s = snag_decider_stats(r->decider);
	if (r->n)
		qsort(r->took, r->n, sizeof(*r->took), by_time);
	printf("pairs,verified,infeasible,undecided,bad,observed,filter,close,delay,late,refute,"
	       "arrange,windows,"
	       "us_mean,us_median,us_max,nodes,nodes_max,window_mean,window_max,us_failed,us_"
	       "verified\n");
	uint64_t verified = s->decisions[SNAG_VERIFIED], failed = r->n - verified;
	printf("%llu,%llu,%llu,%llu,%llu,", (unsigned long long)r->n,
	       (unsigned long long)s->decisions[SNAG_VERIFIED],
	       (unsigned long long)s->decisions[SNAG_INFEASIBLE],
	       (unsigned long long)s->decisions[SNAG_UNDECIDED], (unsigned long long)r->bad);
	printf("%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.2f,%.2f,%.0f,%llu,%llu,%.0f,%llu,%.1f,%."
	       "1f\n",
	       (unsigned long long)s->observed, (unsigned long long)s->filter,
	       (unsigned long long)s->close, (unsigned long long)s->delay,
	       (unsigned long long)s->late, (unsigned long long)s->refute,
	       (unsigned long long)s->arrange, (unsigned long long)s->windows,
	       r->n ? r->seconds / (double)r->n * 1e6 : 0, r->n ? r->took[r->n / 2] * 1e6 : 0,
	       r->n ? r->took[r->n - 1] * 1e6 : 0, (unsigned long long)s->nodes,
	       (unsigned long long)s->max_nodes,
	       s->windows ? (double)s->window / (double)s->windows : 0,
	       (unsigned long long)s->max_window,
	       failed ? r->took_by[false] / (double)failed * 1e6 : 0,
	       verified ? r->took_by[true] / (double)verified * 1e6 : 0);
}

int main(int argc, char **argv)
{
	struct snag_trace trace;
	struct snag_error err;
	struct snag_source_options source_options = {0};
	if (argc < 3) {
		fputs("usage: decide m2|dep TRACE [PAIRS]\n", stderr);
		return 2;
	}
	snag_trace_init(&trace);
	if (snag_trace_load_file(&trace, argv[2], &source_options, &err) < 0) {
		fprintf(stderr, "decide: %s\n", err.msg);
		return 2;
	}
	enum snag_mode mode = strcmp(argv[1], "dep") == 0 ? SNAG_MODE_DEP : SNAG_MODE_M2;
	struct snag_index *ix = snag_index_new(&trace);
	snag_index_add_mode(ix, mode);
	struct snag_decide_options options = {.mode = mode};
	struct run r = {.decider = snag_decider_new(ix, &options),
			.ix = ix,
			.mode = mode,
			.most = argc > 3 ? strtoull(argv[3], NULL, 10) : SIZE_MAX};
	struct snag_candidates_options candidates = {.mode = mode};
	snag_candidates(ix, &candidates, on_candidate, &r);
	if (r.n)
		qsort(r.pair, r.n, sizeof(*r.pair), by_second_event);
	r.took = snag_calloc(r.n, sizeof(*r.took));
	r.seconds = decide_all(&r, &options);
	for (size_t i = 0; i < r.n; i++)
		decide(&r, i);
	print(&r);
	free(r.took);
	free(r.pair);
	snag_decider_free(r.decider);
	snag_index_free(ix);
	snag_trace_done(&trace);
	return r.bad != 0;
}
