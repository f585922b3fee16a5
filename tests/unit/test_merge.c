/* SPDX-License-Identifier: Apache-2.0
 *
 * test_merge.c - the merge of rings, against what the threads did
 *
 * A random program of threads runs in a random interleaving: accesses, runs, steps that take a
 * number of a shard, numbers alone, forks, ends and joins.  A thread that has no room in its ring,
 * or has taken a number and not written it yet, stands still for a while.  The merge reads
 * meanwhile, in pieces of random size.  Its output must have every record once, each thread's in
 * its own order and each shard's in the order of its numbers, whole steps, and the right thread and
 * count of events.
 */
#include "unit.h"

#include "record/merge.h"
#include "scout/again.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 24, SHARDS = 5, LIFE = 7, ALONE, EVENTS = 30000, RECORDS = 512 };

struct writer {
	bool is_here, has_ended;
	uint32_t ring;
	uint64_t n;    /* records written to its ring */
	uint64_t made; /* steps of its own, each known by its number */
	uint32_t fuel;
	struct rt_record held[2 * RT_RUN_MAX + 1]; /* to be written: numbers were taken */
	int nheld, held_at;
};

struct world {
	struct rt_ring *rings;
	struct writer w[THREADS];
	uint32_t nthreads;
	uint64_t next[RT_SHARDS]; /* numbers given out */
	uint64_t ring_n[THREADS]; /* where the next thread of a ring goes on */
	uint32_t nrings;
	struct rt_record common[THREADS + 8 * EVENTS];
	int ncommon, common_at;
	uint32_t places; /* told in the channel */
	/* What was merged. */
	uint64_t taken[THREADS];
	uint64_t merged[SHARDS]; /* steps */
	uint32_t thread, turn_fuel, fuel, known_places;
	uint64_t events[THREADS];
	bool is_forked[THREADS], is_over[THREADS];
	uint64_t count;
	struct snag_again again;
	uint64_t in_runs; /* accesses */
};

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static uint64_t what_of(enum rt_op op, unsigned size, uint64_t address)
{
	return address | (uint64_t)op << RT_OP_SHIFT | (uint64_t)size << RT_SIZE_SHIFT;
}

static int common_take(void *ctx, struct rt_record *ret, int room)
{
	struct world *w = ctx;
	int n = w->ncommon - w->common_at;
	n = n < room ? n : room;
	memcpy(ret, w->common + w->common_at, (size_t)n * sizeof(*ret));
	w->common_at += n;
	return n;
}

static void common_put(struct world *w, enum rt_op op, uint64_t address, uint32_t arg)
{
	w->common[w->ncommon++] = (struct rt_record){.what = what_of(op, 0, address), .arg = arg};
}

static void hold(struct writer *t, uint64_t what, uint32_t loc, uint32_t arg)
{
	t->held[t->nheld++] = (struct rt_record){.what = what, .loc = loc, .arg = arg};
}

/* A number of the shard, and the record of a step with it: its address is what the thread makes. */
static void order(struct world *w, struct writer *t, uint32_t shard, enum rt_op op, uint32_t arg)
{
	hold(t, what_of(RT_ORDER, op != RT_NONE, w->next[shard]++), --t->fuel, shard);
	if (op != RT_NONE)
		hold(t, what_of(op, (w->next[shard] - 1) & 0xff, ++t->made), w->places, arg);
}

static void thread_begins(struct world *w)
{
	struct writer *t = &w->w[w->nthreads];
	uint32_t i = 0;
	while (i < w->nrings && !w->rings[i].is_read)
		i++;
	w->nrings += i == w->nrings;
	*t = (struct writer){.is_here = true, .ring = i, .n = w->ring_n[i]};
	w->rings[i].is_read = 0;
	common_put(w, RT_RING, i, w->nthreads++);
}

static void fork_make(struct world *w, struct writer *t)
{
	uint32_t child = w->nthreads;
	thread_begins(w);
	order(w, t, LIFE, RT_FORK, child);
	order(w, &w->w[child], LIFE, RT_NONE, 0);
}

static struct writer *ended_find(struct world *w)
{
	struct writer *t = &w->w[below(w->nthreads)];
	return t->has_ended ? t : NULL;
}

/* Writes one record that it holds, if there is room. */
static void held_write(struct world *w, struct writer *t)
{
	struct rt_ring *ring = &w->rings[t->ring];
	if (t->n - ring->taken == RT_RING_RECORDS)
		return;
	const struct rt_record *r = &t->held[t->held_at++];
	rt_ring_write(ring, t->n++, r->what, r->loc, r->arg);
	w->ring_n[t->ring] = t->n;
	t->is_here &= rt_record_op(r) != RT_END;
	if (t->held_at == t->nheld)
		t->held_at = t->nheld = 0;
}

/* Two rounds, and RT_AGAIN for the rest. */
static void run_make(struct world *w, struct writer *t)
{
	const unsigned period = 1 + below(RT_RUN_MAX), more = 1 + below(100);
	for (unsigned i = 0; i < 2 * period; i++)
		hold(t, what_of(i % period % 2 ? RT_READ : RT_WRITE, 4, ++t->made), w->places,
		     --t->fuel);
	hold(t, what_of(RT_AGAIN, period, 0), 0, more);
	t->made += more;
	t->fuel -= more;
}

static void event_make(struct world *w, struct writer *t)
{
	struct writer *ended;
	unsigned kind = below(20);
	if (kind == 0 && w->nthreads < THREADS)
		fork_make(w, t);
	else if (kind == 1 && t != w->w && below(8) == 0) {
		t->has_ended = true;
		order(w, t, LIFE, RT_NONE, 0);
		hold(t, what_of(RT_END, 0, 0), t->fuel, 0);
	} else if (kind == 2 && (ended = ended_find(w)))
		order(w, t, LIFE, RT_JOIN, (uint32_t)(ended - w->w));
	else if (kind < 6) {
		uint32_t shard = below(SHARDS);
		order(w, t, shard, RT_ACQUIRE, shard);
	} else if (kind == 6)
		order(w, t, ALONE, RT_NONE, 0);
	else if (kind == 8 && below(4) == 0)
		run_make(w, t);
	else {
		if (kind == 7)
			common_put(w, RT_NODE, 0, ++w->places);
		t->fuel -= 1 + below(3); /* some are left out */
		hold(t, what_of(below(2) ? RT_READ : RT_WRITE, 4, ++t->made), w->places, t->fuel);
	}
}

static void step(struct world *w, bool may_make)
{
	struct writer *t = &w->w[below(w->nthreads)];
	if (!t->is_here)
		return;
	if (t->nheld)
		held_write(w, t);
	else if (may_make && !t->has_ended)
		event_make(w, t);
}

static void step_check(struct world *w, const struct rt_record *r, bool is_numbered)
{
	assert_int_equal(rt_record_address(r), ++w->taken[w->thread]);
	assert_true(w->is_forked[w->thread] && !w->is_over[w->thread]);
	assert_true(r->loc <= w->known_places);
	assert_true(is_numbered || rt_record_op(r) == RT_READ || rt_record_op(r) == RT_WRITE);
	w->count++;
}

static void run_check(struct world *w, const struct rt_record *again)
{
	assert_true(snag_again_begin(&w->again, again));
	while (w->again.left) {
		struct rt_record r = snag_again_next(&w->again);
		w->fuel = r.arg;
		w->in_runs++;
		step_check(w, &r, false);
	}
}

static void merged_check(struct world *w, const struct rt_record *r, bool is_numbered)
{
	switch (rt_record_op(r)) {
	case RT_SWITCH:
		w->events[w->thread] += rt_record_address(r);
		assert_int_equal(rt_record_address(r), w->turn_fuel - w->fuel);
		assert_int_equal(w->fuel, -(uint32_t)w->events[w->thread]);
		w->thread = r->arg;
		w->turn_fuel = w->fuel = r->loc;
		assert_int_equal(r->loc, -(uint32_t)w->events[w->thread]);
		break;
	case RT_NODE:
		w->known_places = r->arg;
		break;
	case RT_COUNT:
		w->fuel = r->arg;
		break;
	case RT_FORK:
		step_check(w, r, is_numbered);
		w->is_forked[r->arg] = true;
		break;
	case RT_JOIN:
		step_check(w, r, is_numbered);
		w->is_over[r->arg] = true;
		break;
	case RT_READ:
	case RT_WRITE:
		w->fuel = r->arg;
		step_check(w, r, is_numbered);
		snag_again_add(&w->again, r);
		break;
	case RT_AGAIN:
		run_check(w, r);
		break;
	case RT_ACQUIRE: /* the lowest bits of its number */
		step_check(w, r, is_numbered);
		assert_int_equal(rt_record_size(r), w->merged[r->arg]++ & 0xff);
		break;
	default:
		fail_msg("a record that the merge takes out");
	}
}

static int merge(struct world *w, struct snag_merge *m)
{
	struct rt_record out[RECORDS];
	int n = snag_merge_next(m, out, SNAG_MERGE_ROOM + (int)below(RECORDS - SNAG_MERGE_ROOM));
	for (int i = 0; i < n; i++)
		merged_check(w, &out[i], i > 0 && rt_record_op(&out[i - 1]) == RT_COUNT);
	return n;
}

static bool is_writing(const struct world *w)
{
	for (uint32_t i = 0; i < w->nthreads; i++)
		if (w->w[i].nheld)
			return true;
	return false;
}

static void world_run(struct world *w, uint64_t seed)
{
	state = seed;
	memset(w->rings, 0, w->nrings * sizeof(*w->rings));
	struct rt_ring *rings = w->rings;
	*w = (struct world){.rings = rings, .is_forked = {true}};
	struct snag_merge *m = snag_merge_new(rings, common_take, w);
	thread_begins(w);
	unsigned rarely = 1 + below(below(2) ? 20000 : 200);
	for (int i = 0; i < EVENTS; i++) {
		step(w, true);
		if (below(rarely) == 0)
			merge(w, m);
	}
	while (is_writing(w)) { /* [write] it never stands still for good */
		step(w, false);
		merge(w, m);
	}
	while (merge(w, m) > 0)
		;
	uint64_t made = 0;
	for (uint32_t i = 0; i < w->nthreads; i++) {
		made += w->w[i].made;
		assert_int_equal(w->taken[i], w->w[i].made);
	}
	assert_int_equal(w->count, made);
	snag_merge_free(m);
}

static void merges_random_runs(void **unused)
{
	struct world *w = calloc(1, sizeof(*w));
	w->rings = calloc(THREADS, sizeof(*w->rings));
	for (uint64_t seed = 1; seed <= 40; seed++) {
		world_run(w, seed);
		assert_true(w->in_runs > 1000);
	}
	free(w->rings);
	free(w);
}

/* Numbers of one shard in the order of the shard, whatever the rings are looked at in. */
static void keeps_the_order_of_numbers(void **unused)
{
	enum { N = 100, RINGS = 4 };
	struct rt_record out[RECORDS];
	struct world *w = calloc(1, sizeof(*w));
	w->rings = calloc(RINGS, sizeof(*w->rings));
	uint64_t n[RINGS] = {0};
	for (uint32_t i = 0; i < RINGS; i++)
		common_put(w, RT_RING, i, i);
	state = 5;
	for (uint32_t i = 0; i < N; i++) {
		uint32_t k = below(RINGS);
		rt_ring_write(&w->rings[k], n[k]++, what_of(RT_ORDER, 1, i), 0, 3);
		rt_ring_write(&w->rings[k], n[k]++, what_of(RT_SYNC_UPDATE, 0, i), 0, 0);
	}
	struct snag_merge *m = snag_merge_new(w->rings, common_take, w);
	uint64_t next = 0;
	for (int some; (some = snag_merge_next(m, out, SNAG_MERGE_ROOM + 3)) > 0;)
		for (int i = 0; i < some; i++)
			if (rt_record_op(&out[i]) == RT_SYNC_UPDATE)
				assert_int_equal(rt_record_address(&out[i]), next++);
	assert_int_equal(next, N);
	snag_merge_free(m);
	free(w->rings);
	free(w);
}

/* Steps of one record: as many as the fuel says, with what the record packs, in the order of the
 * numbers. */
static void unpacks_short_steps(void **unused)
{
	const uint64_t lock = 0x7f0012345678, atomic = 0x7f00aaaaaaa8;
	struct rt_record out[RECORDS];
	struct world *w = calloc(1, sizeof(*w));
	w->rings = calloc(2, sizeof(*w->rings));
	common_put(w, RT_RING, 0, 0);
	common_put(w, RT_RING, 1, 1);
	rt_ring_write(&w->rings[0], 0, what_of(RT_STEP_RELEASE, 3, lock), 7, 1);
	rt_ring_write(&w->rings[0], 1,
		      what_of(RT_STEP_UPDATE,
			      2 | 4 << RT_STEP_ORDER_SHIFT | 5 << RT_STEP_ATOMIC_SHIFT, atomic),
		      8, 0);
	rt_ring_write(&w->rings[1], 0,
		      what_of(RT_STEP_ACQUIRE, RT_STEP_GIVES_UP | RT_STEP_LOCK_EVENTS, lock), 9, 0);
	struct snag_merge *m = snag_merge_new(w->rings, common_take, w);
	const struct rt_record wanted[] = {
		{what_of(RT_SWITCH, 0, 0), 0, 1},
		{what_of(RT_COUNT, 0, 0), 0, -127u},
		{what_of(RT_ACQUIRE, 1, lock), 9, 0},
		{what_of(RT_SWITCH, 0, 127), 0, 0},
		{what_of(RT_COUNT, 0, 0), 0, -3u},
		/* the release of a lock that this thread does not have is no event */
		{what_of(RT_COUNT, 0, 0), 0, -8u},
		{what_of(RT_ATOMIC_UPDATE, 4, atomic), 8, 4},
	};
	assert_int_equal(snag_merge_next(m, out, RECORDS), sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(out[i].what, wanted[i].what);
		assert_int_equal(out[i].loc, wanted[i].loc);
		assert_int_equal(out[i].arg, wanted[i].arg);
	}
	snag_merge_free(m);
	free(w->rings);
	free(w);
}

/* A number that was taken and never written, as by a program that was killed, ends the order
 * there. */
static void ends_before_a_lost_number(void **unused)
{
	struct rt_record out[RECORDS];
	struct world *w = calloc(1, sizeof(*w));
	w->rings = calloc(2, sizeof(*w->rings));
	common_put(w, RT_RING, 0, 0);
	common_put(w, RT_RING, 1, 1);
	rt_ring_write(&w->rings[0], 0, what_of(RT_READ, 4, 1), 0, 0);
	rt_ring_write(&w->rings[0], 1, what_of(RT_ORDER, 1, 1), 0, 9);
	rt_ring_write(&w->rings[0], 2, what_of(RT_ACQUIRE, 0, 2), 0, 0);
	rt_ring_write(&w->rings[1], 0, what_of(RT_WRITE, 4, 1), 0, 0);
	struct snag_merge *m = snag_merge_new(w->rings, common_take, w);
	int n = snag_merge_next(m, out, RECORDS);
	assert_int_equal(n, 4); /* two stretches of one access */
	assert_int_equal(rt_record_op(&out[1]), RT_READ);
	assert_int_equal(rt_record_op(&out[3]), RT_WRITE);
	assert_int_equal(snag_merge_next(m, out, RECORDS), 0);
	snag_merge_free(m);
	free(w->rings);
	free(w);
}

/* [run] [end] A run whose first records were read before those of another thread, and that was
 * still open when the program was killed. */
static void ends_with_open_runs(void **unused)
{
	struct rt_record out[RECORDS];
	struct world *w = calloc(1, sizeof(*w));
	w->rings = calloc(2, sizeof(*w->rings));
	*w = (struct world){.rings = w->rings, .is_forked = {true, true}};
	common_put(w, RT_RING, 0, 0);
	common_put(w, RT_RING, 1, 1);
	struct snag_merge *m = snag_merge_new(w->rings, common_take, w);
	for (uint32_t i = 1; i <= 4; i++)
		rt_ring_write(&w->rings[0], i - 1, what_of(RT_READ, 4, i), 0, -i);
	assert_int_equal(merge(w, m), 1 + 4);
	rt_ring_write(&w->rings[1], 0, what_of(RT_READ, 4, 1), 0, -1u);
	assert_int_equal(merge(w, m), 1 + 1);
	w->rings[0].run = (struct rt_open_run){.at = 4, .period = 2, .events = 7};
	w->rings[1].run = (struct rt_open_run){.at = 2, .period = 1, .events = 9}; /* older */
	assert_int_equal(merge(w, m), 0);
	int n = snag_merge_rest(m, out, RECORDS);
	assert_int_equal(n, 1 + 4 + 1);
	for (int i = 0; i < n; i++)
		merged_check(w, &out[i], false);
	assert_int_equal(w->taken[0], 4 + 7);
	assert_int_equal(w->fuel, -11u);
	assert_int_equal(snag_merge_rest(m, out, RECORDS), 0);
	snag_merge_free(m);
	free(w->rings);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_random_runs),  cmocka_unit_test(keeps_the_order_of_numbers),
		cmocka_unit_test(unpacks_short_steps), cmocka_unit_test(ends_before_a_lost_number),
		cmocka_unit_test(ends_with_open_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
