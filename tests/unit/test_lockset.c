/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lockset.c - sets of locks against plain arrays, and very large ones
 */
#include "unit.h"

#include "order/lockset.h"

#include <stdlib.h>
#include <string.h>

enum { LOCKS = 12, SETS = 40, STEPS = 20000 };

/* 0: not held, 1: shared, 2: alone. */
struct plain {
	uint8_t how[LOCKS];
};

/* Locks far apart, near each other, and with the highest bit. */
static uint32_t lock_number(unsigned i)
{
	static const uint32_t number[LOCKS] = {
		0, 1, 2, 3, 64, 65, 128, 1000, 100000, 0x7fffffff, 0x80000000, 0xfffffff0};
	return number[i];
}

static bool plain_excludes(const struct plain *a, const struct plain *b)
{
	for (int i = 0; i < LOCKS; i++)
		if (a->how[i] && b->how[i] && a->how[i] + b->how[i] > 2)
			return true;
	return false;
}

static bool plain_within(const struct plain *a, const struct plain *b)
{
	for (int i = 0; i < LOCKS; i++)
		if (a->how[i] > b->how[i])
			return false;
	return true;
}

static snag_lockset build(struct snag_locksets *s, const struct plain *p)
{
	snag_lockset set = 0;
	for (unsigned i = LOCKS; i-- > 0;) /* another order than the steps below */
		if (p->how[i])
			set = snag_lockset_add(s, set, lock_number(i), p->how[i] == 1);
	return set;
}

static void compare(struct snag_locksets *s, snag_lockset a, const struct plain *x, snag_lockset b,
		    const struct plain *y)
{
	struct plain common;
	for (int i = 0; i < LOCKS; i++)
		common.how[i] = x->how[i] == 2 && y->how[i] == 2 ? 2 : 0;
	assert_int_equal(snag_lockset_excludes(s, a, b), plain_excludes(x, y));
	assert_int_equal(snag_lockset_within(s, a, b), plain_within(x, y));
	assert_int_equal(snag_lockset_common(s, a, b), build(s, &common));
}

static void sets_agree_with_arrays(void **state)
{
	struct snag_locksets s;
	struct plain plain[SETS] = {0};
	snag_lockset set[SETS] = {0};
	snag_locksets_init(&s);
	srand(1);
	for (int step = 0; step < STEPS; step++) {
		int i = rand() % SETS, j = rand() % SETS, l = rand() % LOCKS;
		if (plain[i].how[l]) {
			plain[i].how[l] = 0;
			set[i] = snag_lockset_remove(&s, set[i], lock_number((unsigned)l));
		} else {
			plain[i].how[l] = (uint8_t)(1 + rand() % 2);
			set[i] = snag_lockset_add(&s, set[i], lock_number((unsigned)l),
						  plain[i].how[l] == 1);
		}
		assert_int_equal(set[i], build(&s, &plain[i])); /* equal sets, equal numbers */
		compare(&s, set[i], &plain[i], set[j], &plain[j]);
		compare(&s, set[j], &plain[j], set[i], &plain[i]);
	}
	snag_locksets_done(&s);
}

static void removing_what_is_not_there_changes_nothing(void **state)
{
	struct snag_locksets s;
	snag_locksets_init(&s);
	snag_lockset set = snag_lockset_add(&s, snag_lockset_add(&s, 0, 5, false), 9, false);
	assert_int_equal(snag_lockset_remove(&s, set, 7), set);
	assert_int_equal(snag_lockset_remove(&s, 0, 7), 0);
	snag_locksets_done(&s);
}

/* Taking 100,000 locks in an unkind order, asking all the way, and giving them back in the order
 * they were taken: with a list per set this would be 10^10 steps and words. */
static void a_hundred_thousand_locks(void **state)
{
	enum { MANY = 100000 };
	struct snag_locksets s;
	snag_lockset even = 0, odd = 0, all = 0;
	snag_locksets_init(&s);
	for (uint32_t i = MANY; i-- > 0;) {
		all = snag_lockset_add(&s, all, i, false);
		if (i % 2)
			odd = snag_lockset_add(&s, odd, i, false);
		else
			even = snag_lockset_add(&s, even, i, false);
		assert_true(snag_lockset_within(&s, i % 2 ? odd : even, all));
		assert_true(snag_lockset_excludes(&s, i % 2 ? odd : even, all));
	}
	assert_false(snag_lockset_excludes(&s, even, odd));
	assert_int_equal(snag_lockset_common(&s, all, odd), odd);
	for (uint32_t i = MANY; i-- > 0;)
		all = snag_lockset_remove(&s, all, i);
	assert_int_equal(all, 0);
	assert_true(s.n < (size_t)100 * MANY); /* nodes: a logarithm per step */
	snag_locksets_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_agree_with_arrays),
		cmocka_unit_test(removing_what_is_not_there_changes_nothing),
		cmocka_unit_test(a_hundred_thousand_locks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
