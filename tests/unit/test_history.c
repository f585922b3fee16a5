/* SPDX-License-Identifier: Apache-2.0
 *
 * test_history.c - the accesses that are kept answer as all accesses would
 */
#include "unit.h"

#include "order/history.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 5, LOCKS = 6, STEPS = 3000, ROUNDS = 12 };

struct run {
	struct snag_vclock_pool pool;
	struct snag_vclock *clock[THREADS];
	struct snag_locksets locksets;
	struct snag_histories histories;
	struct snag_history history;
	struct snag_history_entry all[STEPS]; /* every access */
	size_t n;
};

/* What a thread holds at an access: mostly the favourite lock, and some others. */
static snag_lockset random_locks(struct run *r, unsigned favourite)
{
	snag_lockset set = 0;
	for (unsigned l = 0; l < LOCKS; l++)
		if (rand() % 100 < (l == favourite ? 90 : 12))
			set = snag_lockset_add(&r->locksets, set, l, rand() % 10 == 0);
	return set;
}

static bool is_racy(struct run *r, const struct snag_history_entry *new)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct snag_history_entry *e = &r->all[i];
		if (e->thread != new->thread && (e->is_write || new->is_write) &&
		    e->time > snag_vclock_get(r->clock[new->thread], e->thread) &&
		    !snag_lockset_excludes(&r->locksets, e->locks, new->locks))
			return true;
	}
	return false;
}

static void step(struct run *r, uint32_t event, unsigned syncs, unsigned favourite)
{
	uint32_t t = (uint32_t)rand() % THREADS, u = (uint32_t)rand() % THREADS;
	if (t != u && (unsigned)(rand() % 100) < syncs)
		snag_vclock_join(&r->pool, &r->clock[t], r->clock[u], u, event);
	struct snag_history_entry new = {t, event + 1, random_locks(r, favourite), rand() % 3 == 0};
	bool expected = is_racy(r, &new);
	assert_int_equal(snag_history_access(&r->histories, &r->history, r->clock[t], new) != 0,
			 expected);
	r->all[r->n++] = new;
}

static void kept_accesses_answer_as_all(void **state)
{
	static struct run r;
	for (unsigned round = 0; round < ROUNDS; round++) {
		srand(round);
		memset(&r, 0, sizeof(r));
		snag_vclock_pool_init(&r.pool);
		snag_locksets_init(&r.locksets);
		snag_histories_init(&r.histories, &r.locksets);
		for (int t = 0; t < THREADS; t++)
			r.clock[t] = snag_vclock_share(r.pool.empty);
		/* The favourite changes half-way, so that the guard must. */
		for (uint32_t event = 0; event < STEPS; event++)
			step(&r, event, 5 * round, event < STEPS / 2 ? 2 : 4);
		for (int t = 0; t < THREADS; t++)
			snag_vclock_drop(&r.pool, r.clock[t]);
		snag_histories_done(&r.histories);
		snag_locksets_done(&r.locksets);
		snag_vclock_pool_done(&r.pool);
	}
}

static void ordered_accesses_are_forgotten(void **state)
{
	struct snag_vclock_pool pool;
	struct snag_locksets locksets;
	struct snag_histories histories;
	struct snag_history h = {0};
	snag_vclock_pool_init(&pool);
	snag_locksets_init(&locksets);
	snag_histories_init(&histories, &locksets);
	struct snag_vclock *clock = snag_vclock_share(pool.empty);
	for (uint32_t event = 0; event < 1000; event++) {
		uint32_t thread = event % 7;
		struct snag_history_entry new = {thread, event + 1, 0, event % 2};
		assert_false(snag_history_access(&histories, &h, clock, new));
		snag_vclock_join(&pool, &clock, clock, thread, event + 1);
	}
	assert_true(h.nplain <= 2);
	snag_histories_done(&histories);
	snag_vclock_drop(&pool, clock);
	snag_locksets_done(&locksets);
	snag_vclock_pool_done(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_accesses_answer_as_all),
		cmocka_unit_test(ordered_accesses_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
