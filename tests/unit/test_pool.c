/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pool.c - arrays and records in pages of our own
 */
#include "unit.h"

#include "base/arrays.h"
#include "base/pages.h"
#include "base/pool.h"

#include <errno.h>
#include <string.h>

static void arrays_keep_their_content_and_grow_zeroed(void **state)
{
	uint32_t *a = NULL;
	size_t cap = 0, known = 0;
	errno = 7;
	for (size_t need = 1; need < 10000000; need = need * 3 + 1) {
		a = snag_pages_grow(a, &cap, need, sizeof(*a));
		assert_non_null(a);
		assert_true(cap >= need);
		for (size_t i = 0; i < known; i++)
			if (a[i] != (uint32_t)i + 1)
				fail_msg("[%zu] is lost", i);
		for (size_t i = known; i < need; i++) {
			if (a[i] != 0)
				fail_msg("[%zu] is not zeroed", i);
			a[i] = (uint32_t)i + 1;
		}
		known = need;
	}
	assert_int_equal(errno, 7);
	snag_pages_free(a, cap, sizeof(*a));
}

static void what_is_too_large_leaves_the_array_alone(void **state)
{
	size_t cap = 0;
	uint64_t *a = snag_pages_grow(NULL, &cap, 1, sizeof(*a));
	size_t before = cap;
	a[0] = 5;
	errno = 7;
	assert_null(snag_pages_grow(a, &cap, SIZE_MAX / 4, sizeof(*a)));
	assert_null(snag_pages_grow(a, &cap, SIZE_MAX / 32, sizeof(*a)));
	assert_int_equal(errno, 7);
	assert_int_equal(cap, before);
	assert_int_equal(a[0], 5);
	snag_pages_free(a, cap, sizeof(*a));
}

static void records_do_not_overlap_and_are_used_again(void **state)
{
	enum { N = 50000 };
	static unsigned char *record[N];
	struct snag_pool pool;
	snag_pool_init(&pool, 100);
	for (int i = 0; i < N; i++) {
		record[i] = snag_pool_take(&pool);
		assert_non_null(record[i]);
		assert_int_equal((uintptr_t)record[i] % 16, 0);
		memset(record[i], i % 251, 100);
	}
	for (int i = 0; i < N; i++)
		if (record[i][0] != i % 251 || record[i][99] != i % 251)
			fail_msg("record %d was overwritten", i);
	for (int i = 0; i < N; i++)
		snag_pool_give(&pool, record[i]);
	for (int i = N; i > 0; i--) /* the last given first, and none new */
		if (snag_pool_take(&pool) != record[i - 1])
			fail_msg("record %d", i);
	snag_pool_done(&pool);
	snag_pool_done(&pool);
}

/* Arrays that grow at random, each full of its own number. */
static void small_arrays_do_not_overlap_and_are_used_again(void **state)
{
	enum { N = 300, STEPS = 6 };
	struct snag_arrays arrays = {0};
	uint32_t first[N], cap[N] = {0};
	for (uint32_t round = 0; round < STEPS * N; round++) {
		uint32_t i = round * 7919 % N, old = cap[i];
		snag_arrays_double(&arrays, &first[i], &cap[i], 1 + i % 2, sizeof(uint32_t));
		uint32_t *at = (uint32_t *)arrays.at + first[i];
		for (uint32_t k = 0; k < cap[i]; k++) {
			if (k < old && at[k] != i)
				fail_msg("array %u lost element %u", i, k);
			at[k] = i;
		}
	}
	size_t n = arrays.n;
	assert_true(n < (size_t)4 * N * (1 << STEPS)); /* what was given back is used again */
	for (uint32_t i = 0; i < N; i++)
		snag_arrays_give(&arrays, first[i], cap[i], sizeof(uint32_t));
	for (uint32_t i = 0; i < N; i++)
		snag_arrays_take(&arrays, cap[i], sizeof(uint32_t));
	assert_int_equal(arrays.n, n);
	snag_arrays_done(&arrays, sizeof(uint32_t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_keep_their_content_and_grow_zeroed),
		cmocka_unit_test(what_is_too_large_leaves_the_array_alone),
		cmocka_unit_test(records_do_not_overlap_and_are_used_again),
		cmocka_unit_test(small_arrays_do_not_overlap_and_are_used_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
