/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fiber.c - switching between stacks keeps what a call keeps
 */
#include "unit.h"

#include "child.h"
#include "task/fiber.h"

#include <execinfo.h>
#include <fenv.h>

enum { STACK = 64 << 10 };

static struct snag_fiber outside, inside;
static struct snag_stack stack;
static int steps;

static void prepare(void (*entry)(void *arg), void *arg)
{
	steps = 0;
	assert_int_equal(snag_stack_map(&stack, STACK), 0);
	snag_fiber_prepare(&inside, &stack, entry, arg);
}

/* So many values live across a switch that every register is used for one. */
static uint64_t mix(uint64_t x, struct snag_fiber *from, struct snag_fiber *to)
{
	uint64_t a = x * 3, b = x * 5, c = x * 7, d = x * 11, e = x * 13, f = x * 17, g = x * 19;
	double h = (double)x * 1.5;
	for (int i = 0; i < 1000; i++) {
		snag_fiber_switch(from, to);
		a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += f ^ g, f += g ^ a, g += a ^ b;
		h += 1.0;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ (uint64_t)h;
}

static uint64_t mixed[2];

static void mix_inside(void *arg)
{
	mixed[1] = mix(*(uint64_t *)arg, &inside, &outside);
	snag_fiber_leave(&outside);
}

static void both_sides_keep_their_values(void **state)
{
	uint64_t seed = 23;
	prepare(mix_inside, &seed);
	mixed[0] = mix(seed, &outside, &inside);
	snag_fiber_switch(&outside, &inside); /* to its end */
	assert_true(mixed[0] == mixed[1]);
	snag_stack_unmap(&stack);

	/* The same without anybody on the other side. */
	uint64_t x = seed, a = x * 3, b = x * 5, c = x * 7, d = x * 11, e = x * 13, f = x * 17,
		 g = x * 19;
	for (int i = 0; i < 1000; i++)
		a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += f ^ g, f += g ^ a, g += a ^ b;
	assert_true(mixed[0] == (a ^ b ^ c ^ d ^ e ^ f ^ g ^ (uint64_t)(34.5 + 1000)));
}

static void round_up_inside(void *arg)
{
	assert_int_equal(fegetround(), FE_DOWNWARD); /* inherited from who prepared it */
	fesetround(FE_UPWARD);
	snag_fiber_switch(&inside, &outside);
	steps = fegetround() == FE_UPWARD;
	snag_fiber_leave(&outside);
}

static void each_fiber_rounds_its_own_way(void **state)
{
	fesetround(FE_DOWNWARD);
	prepare(round_up_inside, NULL);
	fesetround(FE_TONEAREST);
	snag_fiber_switch(&outside, &inside);
	assert_int_equal(fegetround(), FE_TONEAREST);
	snag_fiber_switch(&outside, &inside);
	assert_int_equal(fegetround(), FE_TONEAREST);
	assert_true(steps);
	snag_stack_unmap(&stack);
}

static void trace_inside(void *arg)
{
	void *frames[64];
	steps = backtrace(frames, 64);
	snag_fiber_leave(&outside);
}

static void a_backtrace_ends_with_the_stack(void **state)
{
	prepare(trace_inside, NULL);
	snag_fiber_switch(&outside, &inside);
	assert_in_range(steps, 2, 8);
	snag_stack_unmap(&stack);
}

static struct snag_fiber calling;

static void return_inside(void *arg)
{
	void *frames[64];
	fesetround(FE_UPWARD);
	*(int *)arg += backtrace(frames, 64);
}

/* Waits in between while its caller goes on, and then must not return. */
static void wait_inside(void *arg)
{
	mixed[1] = mix(*(uint64_t *)arg, &inside, &calling);
	snag_fiber_leave(&calling);
}

static void a_call_returns_or_is_left(void **state)
{
	uint64_t seed = 42, a = seed * 3, b = seed * 5, c = seed * 7, d = seed * 11;
	int frames = 0;
	assert_int_equal(snag_stack_map(&stack, STACK), 0);
	for (int i = 0; i < 1000; i++) {
		snag_fiber_call(&calling, &stack, return_inside, &frames);
		a += b ^ c, b += c ^ d, c += d ^ a, d += a ^ b;
		assert_int_equal(fegetround(), FE_TONEAREST);
	}
	assert_in_range(frames, 2000, 8000); /* nothing of the caller */
	for (int i = 0; i < 1000; i++)
		d -= a ^ b, c -= d ^ a, b -= c ^ d, a -= b ^ c;
	assert_true(a == seed * 3 && b == seed * 5 && c == seed * 7 && d == seed * 11);

	snag_fiber_call(&calling, &stack, wait_inside, &seed);
	for (int i = 0; i < 1000; i++)
		snag_fiber_switch(&calling, &inside);
	uint64_t was = mixed[1];
	snag_stack_unmap(&stack);
	prepare(mix_inside, &seed);
	mixed[0] = mix(seed, &outside, &inside);
	assert_true(was == mixed[0]);
	snag_stack_unmap(&stack);
}

static __attribute__((noinline)) int overflow(volatile char *above, int levels)
{
	volatile char here[1024];
	here[0] = above[0];
	return levels > 0 ? overflow(here, levels - 1) + here[0] : 0;
}

static void overflow_inside(void *arg)
{
	char c = 0;
	steps = overflow(&c, 2 * STACK / 1024);
	snag_fiber_leave(&outside);
}

static void overflow_run(void *arg)
{
	prepare(overflow_inside, NULL);
	snag_fiber_switch(&outside, &inside);
}

static void an_overflow_meets_the_guard_page(void **state)
{
	assert_int_equal(in_child(overflow_run, NULL), SIGSEGV);
}

static void waits_forever(void *arg)
{
	char big[1000];
	snprintf(big, sizeof(big), "%d", 7);
	steps = big[0];
	snag_fiber_switch(&inside, &outside);
	steps = big[0] + 1;
}

static void a_suspended_fiber_can_be_dropped(void **state)
{
	prepare(waits_forever, NULL);
	snag_fiber_switch(&outside, &inside);
	assert_int_equal(steps, '7');
	snag_fiber_forget(&inside);
	snag_fiber_prepare(&inside, &stack, trace_inside, NULL);
	snag_fiber_switch(&outside, &inside);
	assert_in_range(steps, 2, 8);
	snag_stack_unmap(&stack);
	snag_stack_unmap(&stack); /* an empty one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_keep_their_values),
		cmocka_unit_test(each_fiber_rounds_its_own_way),
		cmocka_unit_test(a_backtrace_ends_with_the_stack),
		cmocka_unit_test(a_call_returns_or_is_left),
		cmocka_unit_test(an_overflow_meets_the_guard_page),
		cmocka_unit_test(a_suspended_fiber_can_be_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
