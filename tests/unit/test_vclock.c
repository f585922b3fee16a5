/* SPDX-License-Identifier: Apache-2.0
 *
 * test_vclock.c - clocks against a plain array, copy on write, and the memory of many clocks
 */
#include "unit.h"

#include "order/vclock.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCKS = 6, THREADS = 40, MANY_THREADS = 5000, STEPS = 20000 };

static void joins_grow_and_keep_the_maximum(void **state)
{
	struct snag_vclock_pool pool;
	snag_vclock_pool_init(&pool);
	struct snag_vclock *a = snag_vclock_share(pool.empty), *b = snag_vclock_share(pool.empty);
	assert_int_equal(snag_vclock_get(a, 1000000), 0);

	snag_vclock_join(&pool, &a, pool.empty, 3, 7);
	snag_vclock_join(&pool, &b, pool.empty, 70, 9);
	snag_vclock_join(&pool, &b, a, 3, 5);
	assert_int_equal(snag_vclock_get(b, 3), 7);
	assert_int_equal(snag_vclock_get(b, 70), 9);
	assert_int_equal(snag_vclock_get(a, 70), 0);

	snag_vclock_drop(&pool, a);
	snag_vclock_drop(&pool, b);
	snag_vclock_pool_done(&pool);
}

static void a_shared_clock_does_not_change(void **state)
{
	struct snag_vclock_pool pool;
	snag_vclock_pool_init(&pool);
	struct snag_vclock *a = snag_vclock_share(pool.empty);
	snag_vclock_join(&pool, &a, pool.empty, 1, 5);
	struct snag_vclock *kept = snag_vclock_share(a);
	snag_vclock_join(&pool, &a, pool.empty, 1, 8);
	assert_int_equal(snag_vclock_get(kept, 1), 5);
	assert_int_equal(snag_vclock_get(a, 1), 8);
	assert_ptr_not_equal(a, kept);

	struct snag_vclock *alone = a;
	snag_vclock_join(&pool, &a, kept, 2, 4);
	assert_ptr_equal(a, alone); /* nobody else holds it: changed in place */
	snag_vclock_drop(&pool, kept);
	snag_vclock_drop(&pool, a);
	snag_vclock_pool_done(&pool);
}

static void random_joins(uint32_t nthreads, int steps)
{
	struct snag_vclock_pool pool;
	struct snag_vclock *clock[CLOCKS];
	static uint32_t model[CLOCKS][MANY_THREADS];
	snag_vclock_pool_init(&pool);
	memset(model, 0, sizeof(model));
	srand(1);
	for (int i = 0; i < CLOCKS; i++)
		clock[i] = snag_vclock_share(pool.empty);

	for (int step = 0; step < steps; step++) {
		int to = rand() % CLOCKS, from = rand() % CLOCKS;
		uint32_t thread = (uint32_t)rand() % nthreads, time = (uint32_t)rand() & INT32_MAX;
		if (rand() % 3 == 0) {
			snag_vclock_drop(&pool, clock[to]);
			if (rand() % 2) {
				clock[to] = snag_vclock_share(pool.empty);
				memset(model[to], 0, sizeof(model[to]));
			} else if (to != from) {
				clock[to] = snag_vclock_share(clock[from]);
				memcpy(model[to], model[from], sizeof(model[to]));
			} else {
				clock[to] = snag_vclock_share(pool.empty);
				memset(model[to], 0, sizeof(model[to]));
			}
		} else {
			snag_vclock_join(&pool, &clock[to], clock[from], thread, time);
			for (uint32_t t = 0; t < nthreads; t++)
				if (model[from][t] > model[to][t])
					model[to][t] = model[from][t];
			if (time > model[to][thread])
				model[to][thread] = time;
		}
		for (uint32_t t = 0; t < nthreads; t++)
			assert_int_equal(snag_vclock_get(clock[to], t), model[to][t]);
	}
	for (int i = 0; i < CLOCKS; i++)
		snag_vclock_drop(&pool, clock[i]);
	assert_true(pool.live_bytes < 100); /* only the empty clock is left */
	snag_vclock_pool_done(&pool);
}

static void random_joins_equal_plain_arrays(void **state)
{
	random_joins(THREADS, STEPS);
	random_joins(SNAG_VCLOCK_FLAT + 100, STEPS);
	random_joins(MANY_THREADS, STEPS / 4);
}

/* Thread 0 forks all others, joins them, and forks as many again. */
static void forks_share_what_the_forker_knows(void **state)
{
	enum { N = 20000, BYTES_A_CLOCK = 1000 };
	static struct snag_vclock *child[N];
	struct snag_vclock_pool pool;
	snag_vclock_pool_init(&pool);
	struct snag_vclock *now = snag_vclock_share(pool.empty);
	uint32_t time = 1;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i < N; i++, time++) {
			child[i] = snag_vclock_share(pool.empty);
			snag_vclock_join(&pool, &child[i], now, 0, time);
		}
		assert_true(pool.live_bytes < (size_t)N * BYTES_A_CLOCK);
		for (uint32_t i = 1; i < N; i++, time++) {
			snag_vclock_join(&pool, &now, child[i], i, time);
			assert_int_equal(snag_vclock_get(now, i), time);
			snag_vclock_drop(&pool, child[i]);
		}
	}
	snag_vclock_drop(&pool, now);
	assert_true(pool.live_bytes < 100);
	snag_vclock_pool_done(&pool);
}

/* Each thread forks the next, or takes over a lock from the one before. */
static void a_chain_of_clocks_shares_its_beginning(void **state)
{
	enum { N = 20000, BYTES_A_CLOCK = 1000 };
	static struct snag_vclock *clock[N];
	struct snag_vclock_pool pool;
	snag_vclock_pool_init(&pool);
	clock[0] = snag_vclock_share(pool.empty);
	for (uint32_t i = 1; i < N; i++) {
		clock[i] = snag_vclock_share(pool.empty);
		snag_vclock_join(&pool, &clock[i], clock[i - 1], i - 1, i);
	}
	assert_true(pool.live_bytes < (size_t)N * BYTES_A_CLOCK);
	for (uint32_t i = 1; i < N; i++) {
		assert_int_equal(snag_vclock_get(clock[i], i - 1), i);
		assert_int_equal(snag_vclock_get(clock[i], i), 0);
		assert_int_equal(snag_vclock_get(clock[i], 0), 1);
	}
	for (uint32_t i = 0; i < N; i++)
		snag_vclock_drop(&pool, clock[i]);
	assert_true(pool.live_bytes < 100);
	snag_vclock_pool_done(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_grow_and_keep_the_maximum),
		cmocka_unit_test(a_shared_clock_does_not_change),
		cmocka_unit_test(random_joins_equal_plain_arrays),
		cmocka_unit_test(forks_share_what_the_forker_knows),
		cmocka_unit_test(a_chain_of_clocks_shares_its_beginning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
