/* SPDX-License-Identifier: Apache-2.0
 *
 * test_places.c - places of a run: only needed ones are delivered, once, and behind their callers
 */
#include "base/memory.h"
#include "scout/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PLACES = 3000 };

static struct rt_record node_of(uint32_t number, uint32_t caller)
{
	return (struct rt_record){.what = (uint64_t)RT_NODE << RT_OP_SHIFT | (0x1000 + number),
				  .loc = caller,
				  .arg = number};
}

/* Takes all that is due, a few at a time; none was there before, and each caller was. */
static int due_take(struct snag_scout_places *p, const uint32_t *caller, bool *is_there)
{
	struct rt_record r[7];
	int all = 0;
	while (snag_scout_places_are_due(p)) {
		const int n = snag_scout_places_deliver(p, r, 1 + all % 7);
		assert_true(n > 0);
		all += n;
		for (int i = 0; i < n; i++) {
			const uint32_t number = r[i].arg;
			assert_int_equal(r[i].what, node_of(number, 0).what);
			assert_int_equal(r[i].loc, caller[number]);
			assert_false(is_there[number]);
			assert_true(caller[number] == 0 || is_there[caller[number]]);
			is_there[number] = true;
		}
	}
	assert_int_equal(snag_scout_places_deliver(p, r, 7), 0);
	return all;
}

static void test_needed_behind_callers(void **unused)
{
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct snag_scout_places p = {0};
		uint32_t caller[PLACES] = {0};
		bool is_there[PLACES] = {false};
		int all = 0;
		srand(seed);
		for (uint32_t i = 1; i < PLACES; i++) {
			caller[i] = (uint32_t)rand() % i; /* 0: it has none */
			const struct rt_record r = node_of(i, caller[i]);
			snag_scout_place_add(&p, &r);
			if (i % 5)
				continue;
			const uint32_t number = (uint32_t)rand() % (i + 10); /* or nothing */
			snag_scout_place_need(&p, number);
			snag_scout_place_need(&p, number);
			if (i % 2)
				all += due_take(&p, caller, is_there);
			assert_true(number > i || number == 0 || i % 2 == 0 || is_there[number]);
		}
		all += due_take(&p, caller, is_there);
		assert_in_range(all, PLACES / 10, PLACES - 2);
		snag_scout_places_need_all(&p);
		all += due_take(&p, caller, is_there);
		assert_int_equal(all, PLACES - 1);
		snag_scout_places_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_needed_behind_callers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
