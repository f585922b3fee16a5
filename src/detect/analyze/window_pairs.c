/* SPDX-License-Identifier: Apache-2.0
 *
 * window_pairs.c - the pairs of a relation, decided in a window of the trace
 */
#include "detect/analyze/window_pairs.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/candidates/pair_judge.h"

enum { CHUNK = 1 << 14 }; /* races that are decided at once */

/* A race, and those of its pairs that lie in the window. */
struct attempt {
	size_t race;
	uint32_t n;
	struct snag_candidate pair[1 + SNAG_INSTANCES];
};

struct deciding {
	const struct snag_slice *window;
	struct snag_collector *collector;
	struct snag_index *ix; /* NULL: none was needed so far */
	struct snag_pair_judge judge;
	const volatile sig_atomic_t *stop;
	struct attempt *attempt;
	struct snag_pair_result *result; /* of the attempts */
	size_t n;
};

static bool is_stopped(const struct deciding *d)
{
	return d->stop && *d->stop;
}

/* Adds the pair of these two events, if they are in the window. */
static void pair_add(const struct deciding *d, struct attempt *a, uint32_t first, uint32_t second)
{
	const struct snag_slice *w = d->window;
	if (first < w->begin || second > w->number[w->trace.n - 1])
		return;
	uint32_t e1 = snag_slice_find(w, first), e2 = snag_slice_find(w, second);
	if (w->number[e1] == first && w->number[e2] == second)
		a->pair[a->n++] = (struct snag_candidate){e1, e2};
}

static struct attempt attempt_of(const struct deciding *d, size_t race) /* [pairs] */
{
	const struct snag_race *r = &d->collector->findings->race[race];
	const struct snag_nearest *in = snag_instances_of(&d->collector->instances, race);
	struct attempt a = {.race = race};
	pair_add(d, &a, r->first.event, r->second.event);
	for (uint32_t i = 0; in && i < in->n; i++)
		if (in->at[i].first != r->first.event || in->at[i].second != r->second.event)
			pair_add(d, &a, in->at[i].first, in->at[i].second);
	return a;
}

static void attempt_decide(void *ctx, unsigned worker, size_t i)
{
	struct deciding *d = ctx;
	struct snag_pair_result *r = &d->result[i];
	const struct attempt *a = &d->attempt[i];
	r->decision = SNAG_UNDECIDED;
	for (uint32_t k = 0; k < a->n && r->decision != SNAG_VERIFIED && !is_stopped(d); k++)
		snag_pair_judge_decide(&d->judge, worker, a->pair[k], r);
}

static void race_take(struct snag_race *race, const struct snag_race *predicted)
{
	race->first = predicted->first;
	race->second = predicted->second;
	race->known = predicted->known;
	race->verdict = predicted->verdict;
	race->witness = predicted->witness;
	race->nwitness = predicted->nwitness;
	race->prefix = predicted->prefix;
	race->nprefix = predicted->nprefix;
}

static void results_take(struct deciding *d)
{
	struct snag_findings verified = {.race = snag_calloc(d->n, sizeof(*verified.race))};
	size_t *of = snag_realloc(NULL, d->n, sizeof(*of));
	for (size_t i = 0; i < d->n; i++) {
		if (d->result[i].decision != SNAG_VERIFIED)
			continue;
		of[verified.nraces] = d->attempt[i].race;
		verified.race[verified.nraces] = d->result[i].race;
		verified.race[verified.nraces++].known =
			(struct snag_site){.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID};
	}
	snag_slice_translate(d->window, &verified);
	for (size_t i = 0; i < verified.nraces; i++)
		race_take(&d->collector->findings->race[of[i]], &verified.race[i]);
	free(verified.race);
	free(of);
}

static void chunk_decide(struct deciding *d)
{
	if (!d->ix) {
		d->ix = snag_index_new(&d->window->trace);
		snag_index_add_mode(d->ix, SNAG_MODE_M2); /* [reads] */
	}
	if (!d->judge.worker)
		snag_pair_judge_init(&d->judge, &d->collector->env, d->ix, SNAG_MODE_M2,
				     SNAG_DECIDE_EXACTLY);
	d->result = snag_calloc(d->n, sizeof(*d->result));
	snag_parallel(d->n, d->judge.workers, attempt_decide, d);
	results_take(d);
	free(d->result);
	d->n = 0;
}

static void collector_decide(struct deciding *d)
{
	const struct snag_findings *f = d->collector->findings;
	for (size_t i = 0; i < f->nraces && !is_stopped(d); i++) {
		if (f->race[i].verdict != SNAG_UNVERIFIED)
			continue;
		d->attempt[d->n] = attempt_of(d, i);
		d->n += d->attempt[d->n].n > 0;
		if (d->n == CHUNK)
			chunk_decide(d);
	}
	if (d->n)
		chunk_decide(d);
}

void snag_window_pairs_decide(const struct snag_slice *window, struct snag_collector *const *c,
			      size_t n, const volatile sig_atomic_t *stop)
{
	struct deciding d = {.window = window, .stop = stop};
	if (n == 0 || window->trace.n == window->head)
		return;
	d.attempt = snag_realloc(NULL, CHUNK, sizeof(*d.attempt));
	for (size_t i = 0; i < n; i++) {
		double begin = snag_seconds_now();
		d.collector = c[i];
		collector_decide(&d);
		if (d.judge.worker)
			snag_pair_judge_done(&d.judge);
		d.judge = (struct snag_pair_judge){0};
		c[i]->findings->seconds += snag_seconds_now() - begin;
	}
	snag_index_free(d.ix);
	free(d.attempt);
}
