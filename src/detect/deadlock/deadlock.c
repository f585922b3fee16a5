/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.c - every predictable deadlock, each with a witness
 *
 * Idea.   A predictable deadlock is a circle of requests that some valid reordering of the trace,
 *         in which every read sees the write it saw, brings about: all its threads stand before
 *         their requests at once.  Take all circles that can possibly be that (circles.h) and
 *         decide each exactly (witness/decide/decide.h): that a thread stands before its request
 *         says what it holds.
 *
 * State.  place    a set of locations of requests, with what was decided for it
 *
 * Rules.  [order]      requests of which one must come before another by program order, fork, join
 *                      and reads-from are not decided
 *         [verdict]    verified: predicted, with a checked witness; infeasible: not reported;
 *                      budget used up: unverified
 *         [locations]  unless all are wanted, one deadlock for each set of locations: of each
 *                      request the nearest ones first, then all, until one is a deadlock
 *
 * Guarantee.  Sound: every predicted deadlock has a checked witness.  Complete if nothing stayed
 *         undecided.
 * Cost.   Nothing but lock_graph.h if there is no circle of locks; otherwise the slice with all its
 *         lock events, and microseconds for each circle of requests, at most MAX_DECIDED for a
 *         circle of kinds.
 * Reference.  Tunç, Mathur, Pavlogiannis and Viswanathan, PLDI 2023, for the problem;
 *         docs/algorithms/deadlock.md.
 */
#include "base/memory.h"
#include "base/slots.h"
#include "detect/deadlock/circles.h"
#include "detect/detector.h"
#include "trace/deadlock.h"
#include "witness/decide/decide.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DECIDED = 4096, MAX_NEAREST = 64 };

struct place {
	snag_loc *loc; /* ascending */
	uint32_t n;
	bool is_settled;     /* a deadlock was found */
	uint32_t *undecided; /* requests, or NULL */
};

struct deadlocks {
	const struct snag_detector_env *env;
	struct snag_index *ix;
	struct snag_circles circles;
	struct snag_decider *decider;
	struct snag_rows_walk walk;
	struct place *place;
	size_t nplaces, place_cap;
	struct snag_slots by_locations;
	bool is_incomplete;
	uint64_t ncircles, ndecided, nfound;

	/* Of the circle that is looked at: */
	const uint32_t *kind;
	uint32_t n;
	struct place *at;
	uint32_t *request; /* chosen so far, by place on the circle */
	uint32_t left;	   /* decisions */
};

static void *deadlock_open(const struct snag_detector_env *env)
{
	struct deadlocks *d = snag_calloc(1, sizeof(*d));
	d->env = env;
	return d;
}

static void deadlock_close(void *state)
{
	struct deadlocks *d = state;
	if (!d)
		return;
	for (size_t i = 0; i < d->nplaces; i++) {
		free(d->place[i].loc);
		free(d->place[i].undecided);
	}
	free(d->place);
	snag_slots_done(&d->by_locations);
	free(d);
}

static uint64_t place_hash(const void *ctx, uint32_t number)
{
	const struct place *p = &((const struct deadlocks *)ctx)->place[number];
	uint64_t h = p->n;
	for (uint32_t i = 0; i < p->n; i++)
		h = snag_hash(h, p->loc[i]);
	return h;
}

static bool place_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct place *p = &((const struct deadlocks *)ctx)->place[number], *k = key;
	return p->n == k->n && memcmp(p->loc, k->loc, p->n * sizeof(*p->loc)) == 0;
}

static int loc_compare(const void *a, const void *b)
{
	snag_loc x = *(const snag_loc *)a, y = *(const snag_loc *)b;
	return x < y ? -1 : x > y;
}

/* The place of the circle; with `pairs` a new one for each. */
static struct place *place_of(struct deadlocks *d)
{
	d->place = snag_grow(d->place, &d->place_cap, d->nplaces + 1, sizeof(*d->place));
	struct place *p = &d->place[d->nplaces];
	*p = (struct place){.loc = snag_calloc(d->n, sizeof(*p->loc)), .n = d->n};
	for (uint32_t i = 0; i < d->n; i++)
		p->loc[i] = d->circles.kind[d->kind[i]].loc;
	qsort(p->loc, p->n, sizeof(*p->loc), loc_compare);
	uint32_t at = d->env->pairs ? SNAG_SLOTS_NONE
				    : snag_slots_find(&d->by_locations,
						      place_hash(d, (uint32_t)d->nplaces),
						      place_equals, d, p);
	if (at != SNAG_SLOTS_NONE) {
		free(p->loc);
		return &d->place[at];
	}
	if (!d->env->pairs)
		snag_slots_add(&d->by_locations, (uint32_t)d->nplaces, place_hash, d);
	return &d->place[d->nplaces++];
}

static struct snag_site site_of(const struct deadlocks *d, uint32_t e)
{
	if (e == SNAG_NO_EVENT)
		return (struct snag_site){.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID};
	const struct snag_event *ev = &d->ix->trace->ev[e];
	return (struct snag_site){.event = e,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op};
}

/* The request that was observed first begins. */
static void rotate(const uint32_t *request, uint32_t n, uint32_t *ret)
{
	uint32_t first = 0;
	for (uint32_t i = 1; i < n; i++)
		if (request[i] < request[first])
			first = i;
	for (uint32_t i = 0; i < n; i++)
		ret[i] = request[(first + i) % n];
}

/* `request` begins with the one observed first; without a witness: unverified. */
static void report(struct deadlocks *d, const uint32_t *request, uint32_t n,
		   const struct snag_witness *w)
{
	struct snag_deadlock found = {.wait = snag_calloc(n, sizeof(*found.wait)), .n = n};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = request[(i + n - 1) % n];
		found.wait[i].at = site_of(d, request[i]);
		found.wait[i].held = site_of(d, snag_circles_held(d->ix, request[i], before));
	}
	found.proof = (struct snag_race){.first = found.wait[0].at,
					 .second = found.wait[1].at,
					 .known = site_of(d, SNAG_NO_EVENT),
					 .count = 1,
					 .verdict = w ? SNAG_PREDICTED : SNAG_UNVERIFIED};
	if (w)
		snag_witness_copy(w, d->ix->nthreads, &found.proof);
	d->nfound++;
	d->env->on_deadlock(d->env->ctx, &found);
}

static bool is_over(const struct deadlocks *d)
{
	return (d->env->stop && *d->env->stop) || (!d->env->pairs && d->at->is_settled);
}

/* Whether the requests that were chosen are a deadlock. */
static void decide(struct deadlocks *d)
{
	uint32_t *request = snag_calloc(d->n, sizeof(*request));
	struct snag_error unused;
	if (d->left == 0)
		d->is_incomplete = true;
	rotate(d->request, d->n, request);
	enum snag_decision decision =
		d->left ? snag_decide_deadlock(d->decider, request, d->n) : SNAG_INFEASIBLE;
	d->ndecided += d->left > 0;
	d->left -= d->left > 0;
	if (decision == SNAG_VERIFIED) {
		struct snag_witness w = *snag_decider_witness(d->decider);
		w.request = request;
		w.nrequests = d->n;
		if (snag_witness_check(d->ix->trace, &w, SNAG_RULES_READS, &unused) == 0) {
			d->at->is_settled = true;
			report(d, request, d->n, &w);
		} else {
			decision = SNAG_UNDECIDED;
		}
	}
	if (decision == SNAG_UNDECIDED && d->env->pairs)
		report(d, request, d->n, NULL);
	d->is_incomplete |= decision == SNAG_UNDECIDED;
	if (decision == SNAG_UNDECIDED && !d->env->pairs && !d->at->undecided)
		d->at->undecided = request;
	else
		free(request);
}

/* [order] Whether a thread that stands before request b has event a behind it. */
static bool is_behind(struct deadlocks *d, uint32_t a, uint32_t b)
{
	const struct snag_rows *rows = &d->ix->rows[SNAG_MODE_M2];
	struct snag_point p = snag_point_before(d->ix, rows, b);
	return snag_rows_has(d->ix, rows, &d->walk, &p, a);
}

/* The first request of the kind that need not come before one of the first `n` chosen. */
static uint32_t first_free(struct deadlocks *d, const struct snag_request_kind *k, uint32_t n)
{
	uint32_t low = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t high = k->n;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;
			if (is_behind(d, k->event[middle], d->request[i]))
				low = middle + 1;
			else
				high = middle;
		}
	}
	return low;
}

static bool is_possible(struct deadlocks *d, uint32_t e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_behind(d, d->request[i], e))
			return false;
	return true;
}

/* All requests of the n-th kind, with those that are chosen of the kinds before. */
static void choose(struct deadlocks *d, uint32_t n)
{
	if (n == d->n) {
		decide(d);
		return;
	}
	const struct snag_request_kind *k = &d->circles.kind[d->kind[n]];
	for (uint32_t i = first_free(d, k, n); i < k->n && !is_over(d) && d->left; i++) {
		if (!is_possible(d, k->event[i], n))
			break; /* so are the later ones */
		d->request[n] = k->event[i];
		choose(d, n + 1);
	}
	if (d->left == 0 && !d->at->is_settled)
		d->is_incomplete = true;
}

static uint32_t nearest(const struct snag_request_kind *k, uint32_t e)
{
	uint32_t low = 0, high = k->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (k->event[middle] < e)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == k->n || (low > 0 && e - k->event[low - 1] < k->event[low] - e))
		low--;
	return k->event[low];
}

/* [locations] Some requests of the first kind, each with the nearest of the others. */
static void choose_nearest(struct deadlocks *d)
{
	const struct snag_request_kind *first = &d->circles.kind[d->kind[0]];
	uint32_t step = first->n / MAX_NEAREST + 1;
	for (uint32_t i = 0; i < first->n && !is_over(d); i += step) {
		d->request[0] = first->event[i];
		for (uint32_t k = 1; k < d->n; k++)
			d->request[k] = nearest(&d->circles.kind[d->kind[k]], first->event[i]);
		decide(d);
	}
}

static bool on_circle(void *ctx, const uint32_t *kind, uint32_t n)
{
	struct deadlocks *d = ctx;
	d->kind = kind;
	d->n = n;
	d->at = place_of(d);
	d->ncircles++;
	d->left = d->env->pairs ? UINT32_MAX : MAX_DECIDED;
	d->request = snag_calloc(n, sizeof(*d->request));
	if (!d->env->pairs)
		choose_nearest(d);
	if (!is_over(d))
		choose(d, 0);
	free(d->request);
	return !(d->env->stop && *d->env->stop);
}

static bool deadlock_finish(void *state, struct snag_index *ix)
{
	struct deadlocks *d = state;
	if (ix->is_task)
		return false;
	snag_index_add_mode(ix, SNAG_MODE_M2);
	d->ix = ix;
	snag_circles_init(&d->circles, ix);
	snag_walk_init(&d->walk, &ix->rows[SNAG_MODE_M2]);
	struct snag_decide_options options = {.mode = SNAG_MODE_M2, .max_nodes = d->env->budget};
	d->decider = snag_decider_new(ix, &options);
	if (!snag_circles_find(&d->circles, on_circle, d))
		d->is_incomplete = true;
	for (size_t i = 0; i < d->nplaces; i++)
		if (d->place[i].undecided && !d->place[i].is_settled)
			report(d, d->place[i].undecided, d->place[i].n, NULL);
	snag_decider_free(d->decider);
	snag_walk_done(&d->walk);
	snag_circles_done(&d->circles);
	return !d->is_incomplete;
}

static void deadlock_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct deadlocks *d = state;
	handler(ctx, "circles of locks", d->ncircles);
	handler(ctx, "circles of requests decided", d->ndecided);
	handler(ctx, "deadlocks", d->nfound);
}

const struct snag_detector snag_detector_deadlock = {
	.name = "deadlock",
	.summary = "threads that some reordering with the same reads has waiting for each other",
	.kind = "prediction",
	.guarantee =
		"sound: every deadlock has a checked witness; complete unless it says otherwise",
	.cost = "one pass over lock events; if locks are taken in a circle, as m2",
	.reference = "Tunc et al., PLDI 2023, decided exactly",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.finds_deadlocks = true,
	.no_windows = true,
	.slice = SNAG_WANT_KEPT,
	.open = deadlock_open,
	.finish = deadlock_finish,
	.stats = deadlock_stats,
	.close = deadlock_close,
};
