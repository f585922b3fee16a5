/* SPDX-License-Identifier: Apache-2.0
 *
 * test_filter_rows.c - many slots of the filter looked at together, beside one by one: rows of all
 * lengths that are known, new, or both.  The slots around them stay as they are.
 */
#include "unit.h"

#include "runtime/access/rows.c"

#include <string.h>

enum { ROUNDS = 20000, AROUND = 3, ROOM = AROUND + RT_ROW + AROUND };

static uint32_t below(uint32_t n)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static uint64_t one_by_one(uint64_t *slot, uint64_t entry, unsigned n, bool is_write)
{
	uint64_t is_new = 0;
	for (unsigned i = 0; i < n; i++) {
		bool is_known = is_write ? slot[i] == entry : slot[i] << 1 == entry << 1;
		is_new |= (uint64_t)!is_known << i;
		slot[i] = is_known ? slot[i] : entry;
	}
	return is_new;
}

static void test_rows(void **ctx)
{
	unsigned nknown = 0, nnew = 0, nmixed = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const bool is_write = below(2);
		const uint64_t read = UINT64_C(0x1234567089abcdef), written = read | UINT64_C(1)
											     << 63;
		const uint64_t entry = is_write ? written : read;
		const uint64_t kind[] = {entry, read,	  written,
					 0,	read ^ 1, written ^ (UINT64_C(1) << 62)};
		const unsigned n = 1 + below(RT_ROW), first = below(6),
			       kinds = 1 + below(6 - first);
		uint64_t slot[ROOM], expected[ROOM], plain[ROOM];
		for (unsigned i = 0; i < ROOM; i++)
			slot[i] = kind[first + below(kinds)];
		memcpy(expected, slot, sizeof(slot));
		memcpy(plain, slot, sizeof(slot));
		const uint64_t is_new = one_by_one(expected + AROUND, entry, n, is_write);
		assert_true(rt_row_note(slot + AROUND, entry, n, is_write) == is_new);
		assert_memory_equal(slot, expected, sizeof(slot));
		assert_true(row_note(plain + AROUND, entry, n, is_write) == is_new);
		assert_memory_equal(plain, expected, sizeof(slot));
		nknown += is_new == 0;
		nnew += is_new == rt_row_all(n);
		nmixed += is_new != 0 && is_new != rt_row_all(n);
	}
	assert_true(nknown > ROUNDS / 20 && nnew > ROUNDS / 20 && nmixed > ROUNDS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
