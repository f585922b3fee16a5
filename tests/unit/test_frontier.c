/* SPDX-License-Identifier: Apache-2.0
 *
 * test_frontier.c - frontiers against the list of all accesses ever made
 */
#include "unit.h"

#include "detect/access.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_THREADS = 9, MANY_THREADS = 90, STEPS = 400, ROUNDS = 300 };

struct past {
	uint32_t thread, time;
	bool is_write;
};

static bool racy_by_definition(const struct past *past, int n, bool is_write,
			       const struct snag_vclock *clock, uint32_t thread)
{
	for (int i = 0; i < n; i++)
		if (past[i].thread != thread && (past[i].is_write || is_write) &&
		    past[i].time > snag_vclock_get(clock, past[i].thread))
			return true;
	return false;
}

/* All of many threads learn what all of them know. */
static void barrier(struct snag_vclock_pool *pool, struct snag_vclock **clock, uint32_t event)
{
	for (uint32_t t = 1; t < MANY_THREADS; t++)
		snag_vclock_join(pool, &clock[0], clock[t], t, event);
	for (uint32_t t = 1; t < MANY_THREADS; t++)
		snag_vclock_join(pool, &clock[t], clock[0], 0, event);
}

/* Threads access one variable and now and then learn what another one knows. */
static void random_accesses(int nthreads)
{
	int racy = 0, clean = 0;
	for (unsigned seed = 0; seed < ROUNDS; seed++) {
		struct snag_vclock_pool pool;
		struct snag_frontier_pool frontiers;
		struct snag_vclock *clock[MANY_THREADS];
		struct snag_access_state x = {0};
		struct past past[STEPS];
		int npast = 0;
		srand(seed);
		unsigned sync = 1 + seed % 7, reads = seed % 5;
		snag_vclock_pool_init(&pool);
		snag_frontier_pool_init(&frontiers);
		for (int t = 0; t < nthreads; t++)
			clock[t] = snag_vclock_share(pool.empty);

		for (uint32_t event = 0; event < STEPS; event++) {
			uint32_t t = (uint32_t)rand() % (uint32_t)nthreads,
				 u = (uint32_t)rand() % (uint32_t)nthreads;
			if ((unsigned)rand() % 8 < sync) {
				snag_vclock_join(&pool, &clock[t], clock[u], u, event);
				if (nthreads == MANY_THREADS && rand() % 8 == 0)
					barrier(&pool, clock, event);
				continue;
			}
			bool is_write = (unsigned)rand() % 5 >= reads;
			bool expected = racy_by_definition(past, npast, is_write, clock[t], t);
			bool got =
				is_write ? snag_access_write(&frontiers, &x, clock[t], t, event + 1)
					 : snag_access_read(&frontiers, &x, clock[t], t, event + 1);
			assert_int_equal(got, expected);
			past[npast++] = (struct past){t, event + 1, is_write};
			*(expected ? &racy : &clean) += 1;
		}
		for (int t = 0; t < nthreads; t++)
			snag_vclock_drop(&pool, clock[t]);
		snag_frontier_pool_done(&frontiers);
		snag_vclock_pool_done(&pool);
	}
	assert_true(racy > 1000 && clean > 1000);
}

static void racy_exactly_when_some_past_access_is_unordered(void **state)
{
	random_accesses(FEW_THREADS);
	random_accesses(MANY_THREADS);
}

static void shrinks_back_to_an_epoch(void **state)
{
	struct snag_vclock_pool pool;
	struct snag_frontier_pool frontiers;
	struct snag_access_state x = {0};
	snag_vclock_pool_init(&pool);
	snag_frontier_pool_init(&frontiers);
	for (uint32_t t = 0; t < 100; t++)
		assert_false(snag_access_read(&frontiers, &x, pool.empty, t, t + 1));
	assert_false(snag_frontier_is_one(&x.reads));

	struct snag_vclock *all = snag_vclock_share(pool.empty);
	for (uint32_t t = 0; t < 100; t++)
		snag_vclock_join(&pool, &all, pool.empty, t, t + 1);
	assert_false(snag_access_write(&frontiers, &x, all, 100, 101));
	assert_true(snag_frontier_is_one(&x.reads) && snag_frontier_is_one(&x.writes));
	snag_vclock_drop(&pool, all);
	snag_frontier_pool_done(&frontiers);
	snag_vclock_pool_done(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(racy_exactly_when_some_past_access_is_unordered),
		cmocka_unit_test(shrinks_back_to_an_epoch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
