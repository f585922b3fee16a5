/* SPDX-License-Identifier: Apache-2.0
 *
 * test_stacks.c - the pool of stacks: used again, guarded, and given back to the system
 */
#include "unit.h"

#include "child.h"
#include "task/stacks.h"

#include <string.h>
#include <sys/mman.h>

enum { STACK = 256 << 10 };

static void the_last_one_given_is_taken_first(void **state)
{
	struct snag_stacks stacks;
	snag_stacks_init(&stacks, STACK);
	uint32_t a = snag_stacks_take(&stacks), b = snag_stacks_take(&stacks);
	assert_int_not_equal(a, b);
	snag_stacks_give(&stacks, a);
	snag_stacks_give(&stacks, b);
	assert_int_equal(snag_stacks_take(&stacks), b);
	assert_int_equal(snag_stacks_take(&stacks), a);
	snag_stacks_done(&stacks);
}

static void stacks_do_not_overlap(void **state)
{
	struct snag_stacks stacks;
	snag_stacks_init(&stacks, STACK - 1); /* rounded up to pages */
	for (int i = 0; i < 200; i++) {
		struct snag_stack stack = snag_stacks_at(&stacks, snag_stacks_take(&stacks));
		assert_true(stack.nbytes > STACK - 4096 && stack.nbytes <= STACK);
		char *end = (char *)stack.base + stack.nbytes;
		assert_int_equal(end[-1], 0);
		memset(end - 1000, 1, 1000);
		assert_int_equal(*(char *)stack.base, 0);
		*(char *)stack.base = 1;
	}
	snag_stacks_done(&stacks);
}

/* Overflows the stack taken last by one word. */
static void write_below(void *arg)
{
	struct snag_stacks *stacks = arg;
	*((volatile size_t *)snag_stacks_at(stacks, stacks->nfresh - 1).base - 1) = 1;
}

static void write_lowest_and_give(void *arg)
{
	struct snag_stacks *stacks = arg;
	*(volatile size_t *)snag_stacks_at(stacks, stacks->nfresh - 1).base = 1;
	snag_stacks_give(stacks, stacks->nfresh - 1);
}

static void every_stack_has_a_guard_page(void **state)
{
	for (int may_mark = 0; may_mark < 2; may_mark++) {
		struct snag_stacks stacks;
		snag_stacks_init(&stacks, STACK);
		stacks.may_mark = may_mark;
		for (int i = 0; i < 3; i++) {
			snag_stacks_take(&stacks);
			assert_int_equal(in_child(write_below, &stacks), SIGSEGV);
			assert_int_equal(in_child(write_lowest_and_give, &stacks), 0);
		}
		snag_stacks_done(&stacks);
	}
}

static void without_guard_pages_an_overflow_is_noticed_later(void **state)
{
	struct snag_stacks stacks;
	snag_stacks_init(&stacks, STACK);
	stacks.may_mark = false;
	stacks.may_protect = 2;
	for (int i = 0; i < 3; i++)
		snag_stacks_take(&stacks);
	assert_int_equal(stacks.nguarded, 2);
	assert_int_equal(in_child(write_lowest_and_give, &stacks), SIGABRT);
	snag_stacks_give(&stacks, 2);
	snag_stacks_done(&stacks);
}

static size_t resident(const struct snag_stacks *stacks, uint32_t number)
{
	unsigned char in_core[STACK / 4096];
	struct snag_stack stack = snag_stacks_at(stacks, number);
	size_t n = 0;
	assert_int_equal(mincore(stack.base, STACK, in_core), 0);
	for (size_t i = 0; i < STACK / 4096; i++)
		n += in_core[i] & 1;
	return n;
}

static size_t resident_all(const struct snag_stacks *stacks)
{
	size_t n = 0;
	for (uint32_t i = 0; i < stacks->nfresh; i++)
		n += resident(stacks, i);
	return n;
}

static void many_free_stacks_hold_little_memory(void **state)
{
	enum { N = 2000, DEEP = 8 * 4096 };
	struct snag_stacks stacks;
	snag_stacks_init(&stacks, STACK);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < N; i++) {
			struct snag_stack stack =
				snag_stacks_at(&stacks, snag_stacks_take(&stacks));
			memset((char *)stack.base + stack.nbytes - DEEP, 1, DEEP);
		}
		assert_int_equal(stacks.nfresh, N);
		assert_true(resident_all(&stacks) >= N * (DEEP / 4096));
		for (uint32_t i = N; i > 0; i--)
			snag_stacks_give(&stacks, i - 1);
		/* What is kept, one slab that is not full, and one that just was not enough. */
		assert_true(resident_all(&stacks) <=
			    (stacks.keep + 2 * stacks.per_slab) * (DEEP / 4096 + 1));
		assert_true(resident(&stacks, 0) > 0); /* taken next */
	}
	assert_int_equal(in_child(write_below, &stacks), SIGSEGV); /* guards are still there */
	snag_stacks_done(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_one_given_is_taken_first),
		cmocka_unit_test(stacks_do_not_overlap),
		cmocka_unit_test(every_stack_has_a_guard_page),
		cmocka_unit_test(without_guard_pages_an_overflow_is_noticed_later),
		cmocka_unit_test(many_free_stacks_hold_little_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
