/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.c - from candidate pairs to races with witnesses
 */
#include "detect/candidates/verify.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/slots.h"
#include "detect/candidates/pair_judge.h"

#include <stdatomic.h>
#include <string.h>

enum {
	KEPT = 4,	 /* instances of each sort for a pair of locations */
	BLOCK = 1 << 20, /* candidates gathered before they are decided, */
	CHUNK = 1 << 14	 /* so many at once */
};

/* The limit of pairs of locations x threads that are decided, and the number of pairs that
 * always are. */
#define MAX_PLACE_THREADS ((uint64_t)1 << 28)
#define MIN_PLACES ((uint64_t)1000)
/* Candidates of the second round; beyond that the result is not complete. */
#define MAX_SECOND ((uint64_t)20 << 20)
/* Candidates that are counted, and the largest window that one of them may need; beyond that,
 * counts are lower bounds. */
#define MAX_COUNTED ((uint64_t)1 << 15)
enum { COUNTED_WINDOW = 1 << 10 };

/* A pair of locations. */
struct place {
	snag_loc low, high;
	uint32_t nearly, nnear;
	struct snag_candidate early[KEPT]; /* by second event */
	struct snag_candidate near[KEPT];  /* by distance */
	bool is_settled;		   /* a race was found */
	bool is_uncertain;		   /* an instance is */
	bool is_undecided;
	struct snag_candidate undecided; /* an instance of it */
	struct snag_race race;		 /* if it is kept, */
	uint64_t count;			 /* and how many it stands for */
};

struct snag_verify {
	const struct snag_detector_env *env;
	const struct snag_index *ix;
	struct snag_pair_judge judge;

	struct snag_candidate *block;
	size_t nblock, block_cap;
	size_t chunk;			 /* where it begins in the block */
	struct snag_pair_result *result; /* of the chunk, or of the places */
	_Atomic uint64_t decided;	 /* candidates, or places; for the user */
	uint64_t of;			 /* so many, as far as is known */

	struct place *place;
	size_t nplaces, place_cap;
	struct snag_slots slots; /* of the places */
	struct snag_listing listing;
	uint64_t *cut; /* bit by event: some of its candidates are left out; NULL: none */
	uint64_t nreported;
	bool *locations;
	unsigned round;
	uint64_t nsecond;
	uint64_t nuncertain; /* pairs, or places */
	bool is_incomplete;
	bool keeps, is_counting; /* see snag_verify_keep, snag_verify_count */
	uint64_t ncounted;
	bool is_at_least;
};

struct snag_verify *snag_verify_new(const struct snag_detector_env *env,
				    const struct snag_index *ix, enum snag_mode mode,
				    enum snag_procedure procedure)
{
	struct snag_verify *v = snag_calloc(1, sizeof(*v));
	v->env = env;
	v->ix = ix;
	snag_pair_judge_init(&v->judge, env, ix, mode, procedure);
	snag_listing_init(&v->listing, env->max_races);
	if (env->max_races != SNAG_ALL_RACES) {
		uint64_t limit = MAX_PLACE_THREADS / (ix->nthreads ? ix->nthreads : 1);
		v->listing.limit = limit > MIN_PLACES ? limit : MIN_PLACES;
	}
	return v;
}

void snag_verify_free(struct snag_verify *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->nplaces; i++)
		snag_race_done(&v->place[i].race);
	snag_pair_judge_done(&v->judge);
	free(v->block);
	free(v->place);
	snag_slots_done(&v->slots);
	snag_listing_done(&v->listing);
	free(v->cut);
	free(v->locations);
	free(v);
}

static bool is_stopped(const struct snag_verify *v)
{
	return v->env->stop && *v->env->stop;
}

struct locations {
	snag_loc low, high;
};

static struct locations locations_of(const struct snag_verify *v, struct snag_candidate p)
{
	snag_loc a = v->ix->trace->ev[p.e1].loc, b = v->ix->trace->ev[p.e2].loc;
	return a < b ? (struct locations){a, b} : (struct locations){b, a};
}

static uint64_t place_hash(const void *ctx, uint32_t number)
{
	const struct place *place = &((const struct snag_verify *)ctx)->place[number];
	return snag_hash(place->low, place->high);
}

static bool place_is(const void *ctx, uint32_t number, const void *key)
{
	const struct place *place = &((const struct snag_verify *)ctx)->place[number];
	const struct locations *l = key;
	return place->low == l->low && place->high == l->high;
}

/* Returns NULL if there is none yet. */
static struct place *place_find(const struct snag_verify *v, struct snag_candidate p)
{
	struct locations l = locations_of(v, p);
	uint32_t i = snag_slots_find(&v->slots, snag_hash(l.low, l.high), place_is, v, &l);
	return i == SNAG_SLOTS_NONE ? NULL : &v->place[i];
}

/* Returns NULL if it is not listed. */
static struct place *place_of(struct snag_verify *v, struct snag_candidate p)
{
	struct locations l = locations_of(v, p);
	struct place *place = place_find(v, p);
	if (place || !snag_listing_takes(&v->listing, l.low, l.high))
		return place;
	v->place = snag_grow(v->place, &v->place_cap, v->nplaces + 1, sizeof(*v->place));
	place = &v->place[v->nplaces];
	*place = (struct place){.low = l.low, .high = l.high};
	snag_slots_add(&v->slots, (uint32_t)v->nplaces++, place_hash, v);
	return place;
}

/* Keeps the instances with the smallest keys. */
static void keep(struct snag_candidate *kept, uint32_t *n, struct snag_candidate p,
		 uint32_t (*key)(struct snag_candidate))
{
	uint32_t i = *n;
	if (i == KEPT && key(p) >= key(kept[KEPT - 1]))
		return;
	if (i < KEPT)
		++*n;
	else
		i--;
	for (; i > 0 && key(kept[i - 1]) > key(p); i--)
		kept[i] = kept[i - 1];
	kept[i] = p;
}

static uint32_t second_event(struct snag_candidate p)
{
	return p.e2;
}

static uint32_t distance(struct snag_candidate p)
{
	return p.e2 - p.e1;
}

/* Counts one more candidate or place.  Only the first worker, the calling thread, reports it. */
static void progress(struct snag_verify *v, unsigned worker)
{
	/* Relaxed: a count, nothing is published by it. */
	uint64_t n = atomic_fetch_add_explicit(&v->decided, 1, memory_order_relaxed) + 1;
	if (worker == 0 && v->env->on_decided)
		v->env->on_decided(v->env->decided_ctx, n, v->of);
}

static void place_decide(void *ctx, unsigned worker, size_t i)
{
	struct snag_verify *v = ctx;
	struct place *place = &v->place[i];
	struct snag_pair_result *r = &v->result[i];
	uint32_t n = place->nearly + place->nnear;
	for (uint32_t k = 0; k < n && !place->is_settled && !is_stopped(v); k++) {
		bool is_early = k < place->nearly;
		snag_pair_judge_decide(&v->judge, worker,
				       is_early ? place->early[k] : place->near[k - place->nearly],
				       r);
		place->is_settled = r->decision == SNAG_VERIFIED;
		place->is_uncertain |= r->is_uncertain;
		if (r->decision == SNAG_UNDECIDED) {
			place->is_undecided = true;
			place->undecided = r->pair;
		}
	}
	progress(v, worker);
}

void snag_verify_cut(void *verify, uint32_t event)
{
	struct snag_verify *v = verify;
	if (!v->cut)
		v->cut = snag_calloc(v->ix->nevents / 64 + 1, sizeof(*v->cut));
	v->cut[event / 64] |= (uint64_t)1 << event % 64;
	v->is_incomplete = true;
}

static void report(struct snag_verify *v, struct snag_pair_result *r)
{
	if (v->env->pairs && v->nreported >= v->env->max_races) {
		snag_verify_cut(v, r->race.second.event);
		snag_race_done(&r->race);
		return;
	}
	v->nreported++;
	v->env->on_race(v->env->ctx, &r->race);
}

/* The race of a pair of locations. */
static void report_place(struct snag_verify *v, struct place *place, struct snag_pair_result *r)
{
	place->is_settled = true;
	if (v->keeps)
		place->race = r->race;
	else
		report(v, r);
}

static void block_decide(void *ctx, unsigned worker, size_t i)
{
	struct snag_verify *v = ctx;
	struct snag_candidate pair = v->block[v->chunk + i];
	if (v->is_counting) {
		v->result[i].decision = SNAG_UNDECIDED;
		if (!is_stopped(v))
			snag_pair_judge_answer(&v->judge, worker, pair, &v->result[i]);
		return;
	}
	struct place *place = v->env->pairs ? NULL : place_find(v, pair);
	v->result[i].decision = SNAG_INFEASIBLE;
	if (is_stopped(v))
		return;
	if (!place || !place->is_settled)
		snag_pair_judge_decide(&v->judge, worker, pair, &v->result[i]);
	progress(v, worker);
}

static void result_count(struct snag_verify *v, struct snag_candidate pair,
			 const struct snag_pair_result *r)
{
	v->is_at_least |= r->decision == SNAG_UNDECIDED ||
			  (r->is_uncertain && v->judge.procedure == SNAG_RACE_DECISION);
	if (r->decision != SNAG_VERIFIED)
		return;
	place_find(v, pair)->count++;
	v->env->on_counted(v->env->ctx, pair.e2);
}

/* Reports what became of a candidate, unless another instance came first. */
static void result_end(struct snag_verify *v, struct snag_candidate pair,
		       struct snag_pair_result *r)
{
	struct place *place = v->env->pairs ? NULL : place_find(v, pair);
	if (v->is_counting) {
		result_count(v, pair, r);
		return;
	}
	if (place && place->is_settled) {
		snag_race_done(&r->race);
		return;
	}
	if (place && r->decision == SNAG_UNDECIDED) {
		place->is_undecided = true;
		place->undecided = r->pair;
		return;
	}
	if (place)
		place->is_uncertain |= r->is_uncertain;
	else
		v->nuncertain += r->is_uncertain;
	if (r->decision == SNAG_INFEASIBLE)
		return;
	v->is_incomplete |= r->decision == SNAG_UNDECIDED;
	if (place)
		report_place(v, place, r);
	else
		report(v, r);
}

static int by_second_event(const void *a, const void *b)
{
	const struct snag_candidate *x = a, *y = b;
	if (x->e2 != y->e2)
		return x->e2 < y->e2 ? -1 : 1;
	return (x->e1 > y->e1) - (x->e1 < y->e1);
}

/* Decides the gathered candidates, and reports them in order.  They are decided by event,
 * because neighbours look at the same part of the trace, which is then in the caches. */
static void block_end(struct snag_verify *v)
{
	size_t n;
	if (v->nblock == 0)
		return;
	qsort(v->block, v->nblock, sizeof(*v->block), by_second_event);
	v->of += v->nblock;
	for (v->chunk = 0; v->chunk < v->nblock && !is_stopped(v); v->chunk += n) {
		n = v->nblock - v->chunk < CHUNK ? v->nblock - v->chunk : CHUNK;
		v->result = snag_calloc(n, sizeof(*v->result));
		snag_parallel(n, v->judge.workers, block_decide, v);
		for (size_t i = 0; i < n; i++)
			result_end(v, v->block[v->chunk + i], &v->result[i]);
		free(v->result);
	}
	v->nblock = 0;
}

static void block_add(struct snag_verify *v, struct snag_candidate p)
{
	v->block = snag_grow(v->block, &v->block_cap, v->nblock + 1, sizeof(*v->block));
	v->block[v->nblock++] = p;
	if (v->nblock == BLOCK)
		block_end(v);
}

static bool count_add(struct snag_verify *v, struct snag_candidate p)
{
	const struct place *place = place_find(v, p);
	if (place && place->is_settled) {
		if (v->ncounted++ == MAX_COUNTED) {
			v->is_at_least = true;
			return false;
		}
		block_add(v, p);
	}
	return !is_stopped(v);
}

/* Whether this worker decides the pairs of these locations. */
static bool is_of_shard(const struct snag_verify *v, uint32_t e1, uint32_t e2)
{
	snag_loc a = v->ix->trace->ev[e1].loc, b = v->ix->trace->ev[e2].loc;
	return v->env->nshards < 2 ||
	       snag_hash(a < b ? a : b, a < b ? b : a) % v->env->nshards == v->env->shard;
}

bool snag_verify_add(struct snag_verify *v, uint32_t e1, uint32_t e2)
{
	struct snag_candidate p = {e1, e2};
	if (!is_of_shard(v, e1, e2))
		return !is_stopped(v);
	if (v->is_counting)
		return count_add(v, p);
	struct place *place = v->env->pairs ? NULL : place_of(v, p);
	if (v->env->pairs && v->nreported >= v->env->max_races) {
		snag_verify_cut(v, e2);
		return false;
	}
	if (v->env->pairs) {
		block_add(v, p);
	} else if (!place) {
		snag_verify_cut(v, e2);
	} else if (v->round == 0) {
		keep(place->early, &place->nearly, p, second_event);
		keep(place->near, &place->nnear, p, distance);
	} else if (!place->is_settled) {
		if (++v->nsecond > MAX_SECOND) {
			v->is_incomplete = true;
			return false;
		}
		block_add(v, p);
	}
	return !is_stopped(v);
}

/* The first round ends: decides the kept instances. */
static bool places_end(struct snag_verify *v)
{
	bool is_open = false;
	v->result = snag_calloc(v->nplaces, sizeof(*v->result));
	v->locations = snag_calloc(v->ix->trace->names.space[SNAG_SPACE_LOCATION].n,
				   sizeof(*v->locations));
	v->of = v->nplaces;
	snag_parallel(v->nplaces, v->judge.workers, place_decide, v);
	for (size_t i = 0; i < v->nplaces; i++) {
		struct place *place = &v->place[i];
		if (place->is_settled) {
			report_place(v, place, &v->result[i]);
			continue;
		}
		is_open = true;
		v->locations[place->low] = v->locations[place->high] = true;
	}
	free(v->result);
	return is_open;
}

/* Reports pairs of locations that no instance settled, if some were left undecided. */
static void undecided_report(struct snag_verify *v)
{
	for (size_t i = 0; i < v->nplaces; i++) {
		const struct place *place = &v->place[i];
		if (place->is_settled || !place->is_undecided)
			continue;
		struct snag_pair_result r = {
			.race = {.first = snag_site_of(v->ix, place->undecided.e1),
				 .second = snag_site_of(v->ix, place->undecided.e2),
				 .count = 1,
				 .verdict = SNAG_UNVERIFIED}};
		v->is_incomplete = true;
		report(v, &r);
	}
}

static void uncertain_report(struct snag_verify *v)
{
	for (size_t i = 0; i < v->nplaces; i++)
		v->nuncertain += !v->place[i].is_settled && v->place[i].is_uncertain;
	v->is_incomplete |= v->nuncertain > 0;
	if (v->judge.procedure == SNAG_RACE_DECISION || v->judge.mode == SNAG_MODE_DC)
		v->env->on_uncertain(v->env->ctx, v->nuncertain);
}

static void abridged_report(struct snag_verify *v)
{
	uint64_t n = 0;
	for (size_t i = 0; v->cut && i <= v->ix->nevents / 64; i++)
		n += (uint64_t)__builtin_popcountll(v->cut[i]);
	if (n)
		v->env->on_abridged(v->env->ctx, n);
}

bool snag_verify_round(struct snag_verify *v)
{
	bool again = false;
	if (v->env->pairs || v->round > 0)
		block_end(v);
	else
		again = places_end(v) && !is_stopped(v);
	v->is_incomplete |= is_stopped(v);
	v->round++;
	if (!again) {
		undecided_report(v);
		uncertain_report(v);
		abridged_report(v);
	}
	return again;
}

void snag_verify_keep(struct snag_verify *v)
{
	v->keeps = true;
}

void snag_verify_count(struct snag_verify *v)
{
	v->is_counting = true;
	snag_pair_judge_hurry(&v->judge, COUNTED_WINDOW);
	memset(v->locations, 0, v->ix->trace->names.space[SNAG_SPACE_LOCATION].n);
	for (size_t i = 0; i < v->nplaces; i++)
		if (v->place[i].is_settled)
			v->locations[v->place[i].low] = v->locations[v->place[i].high] = true;
}

void snag_verify_report(struct snag_verify *v)
{
	block_end(v);
	v->is_at_least |= is_stopped(v) || v->cut;
	for (size_t i = 0; i < v->nplaces; i++) {
		struct place *place = &v->place[i];
		struct snag_pair_result r = {.race = place->race};
		if (!place->is_settled)
			continue;
		if (place->count > 1)
			r.race.count = place->count;
		report(v, &r);
		place->race = (struct snag_race){0};
	}
	if (v->is_at_least)
		v->env->on_at_least(v->env->ctx);
}

const bool *snag_verify_locations(const struct snag_verify *v)
{
	return v->locations;
}

bool snag_verify_is_complete(const struct snag_verify *v)
{
	return !v->is_incomplete;
}
