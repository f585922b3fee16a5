/* SPDX-License-Identifier: Apache-2.0
 *
 * test_dead_ends.c - schedules that begin as one that could not be followed
 */
#include "unit.h"

#include "record/replay/dead_ends.h"

struct given {
	uint32_t thread;
	uint64_t events;
};

static struct snag_turns turns_of(const struct given *turn, size_t n)
{
	struct snag_turns turns = {0};
	for (size_t i = 0; i < n; i++)
		snag_turns_add(&turns, turn[i].thread, turn[i].events);
	return turns;
}

static bool meets(const struct snag_dead_ends *ends, const struct given *turn, size_t n)
{
	struct snag_turns turns = turns_of(turn, n);
	bool is_so = snag_dead_ends_meet(ends, &turns);
	snag_turns_done(&turns);
	return is_so;
}

#define MEETS(...)                                        \
	meets(&ends, (const struct given[]){__VA_ARGS__}, \
	      sizeof((const struct given[]){__VA_ARGS__}) / sizeof(struct given))

static void same_beginnings(void **state)
{
	struct snag_dead_ends ends = {0};
	struct snag_turns turns =
		turns_of((const struct given[]){{0, 9}, {1, 5}, {2, 7}, {1, 1}}, 4);
	assert_false(MEETS({0, 9}, {1, 5}, {2, 7}, {1, 1}));
	snag_dead_ends_add(&ends, &turns, 2); /* T2 could not run */
	assert_true(MEETS({0, 9}, {1, 5}, {2, 7}, {1, 1}));
	assert_true(MEETS({0, 9}, {1, 5}, {2, 8}, {0, 1}));
	assert_true(MEETS({0, 9}, {1, 5}, {2, 1}));
	assert_false(MEETS({0, 9}, {1, 5}));
	assert_false(MEETS({0, 9}, {1, 6}, {2, 7}));
	assert_false(MEETS({0, 9}, {2, 5}, {1, 7}));
	assert_false(MEETS({0, 9}, {1, 5}, {0, 7}, {2, 7}));
	snag_dead_ends_add(&ends, &turns, 0);
	assert_true(MEETS({0, 1}));
	assert_false(MEETS({1, 9}));
	snag_dead_ends_done(&ends);
	assert_false(MEETS({0, 1}));
	snag_turns_done(&turns);
}

/* What a broken program says of its turns must do no harm. */
static void no_such_turn(void **state)
{
	struct snag_dead_ends ends = {0};
	struct snag_turns turns = turns_of((const struct given[]){{0, 9}, {1, 5}}, 2);
	snag_dead_ends_add(&ends, &turns, 2);
	snag_dead_ends_add(&ends, &turns, UINT64_MAX);
	assert_int_equal(ends.n, 0);
	snag_dead_ends_done(&ends);
	snag_turns_done(&turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_beginnings),
		cmocka_unit_test(no_such_turn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
