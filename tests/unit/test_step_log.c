/* SPDX-License-Identifier: Apache-2.0
 *
 * test_step_log.c - what a step log gives back is what was put in
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/step_log.h"

enum { EVENTS = 4000, THREADS = 3 };

struct event {
	snag_tid thread;
	uint64_t step;
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Random events: single ones, and loops whose gaps repeat. */
static size_t random_log(struct snag_step_log *log, struct event *ev, uint32_t seed)
{
	uint64_t step[THREADS] = {0}, gap[EVENTS];
	size_t n = 0;
	while (n < EVENTS) {
		uint32_t what = next_random(&seed) % 10, period = 1 + next_random(&seed) % 16;
		snag_tid t = next_random(&seed) % THREADS;
		size_t length = 1 + next_random(&seed) % 200;
		if (what > 0 || n < period) {
			gap[n] = what == 1 ? next_random(&seed) * (uint64_t)1000 : what % 3;
			step[t] += gap[n];
			snag_step_log_add(log, t, step[t]);
			ev[n++] = (struct event){t, step[t]};
			continue;
		}
		length = length < EVENTS - n ? length : EVENTS - n;
		snag_step_log_run(log, t, period, length);
		for (size_t end = n + length; n < end; n++) {
			gap[n] = gap[n - period];
			step[t] += gap[n];
			ev[n] = (struct event){t, step[t]};
		}
	}
	return n;
}

static void test_one_by_one(void **state)
{
	static struct event ev[EVENTS];
	(void)state;
	for (uint32_t seed = 0; seed < 50; seed++) {
		struct snag_step_log log = {0};
		size_t n = random_log(&log, ev, seed);
		struct snag_step_cursor c = {.log = &log};
		for (size_t i = 0; i < n; i++)
			assert_int_equal(snag_step_cursor_next(&c, ev[i].thread, 1), ev[i].step);
		snag_step_cursor_done(&c);
		snag_step_log_done(&log);
	}
}

/* Stretches of one thread are skipped at once. */
static void test_stretches(void **state)
{
	static struct event ev[EVENTS];
	(void)state;
	for (uint32_t seed = 0; seed < 50; seed++) {
		struct snag_step_log log = {0};
		size_t n = random_log(&log, ev, seed), end;
		struct snag_step_cursor c = {.log = &log};
		uint32_t random = seed;
		for (size_t i = 0; i < n; i = end) {
			size_t most = 1 + next_random(&random) % 50;
			for (end = i + 1; end < n && end < i + most;) {
				if (ev[end].thread != ev[i].thread)
					break;
				end++;
			}
			assert_int_equal(snag_step_cursor_next(&c, ev[i].thread, end - i),
					 ev[end - 1].step);
		}
		snag_step_cursor_done(&c);
		snag_step_log_done(&log);
	}
}

/* The log can be read while it grows, and a long loop takes a few bytes. */
static void test_growing(void **state)
{
	struct snag_step_log log = {0};
	struct snag_step_cursor c = {.log = &log};
	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		snag_step_log_add(&log, 0, 2 * i);
		assert_int_equal(snag_step_cursor_next(&c, 0, 1), 2 * i);
	}
	size_t before = log.nbytes;
	snag_step_log_run(&log, 0, 1, 1000000);
	assert_true(log.nbytes - before < 8);
	assert_int_equal(snag_step_cursor_next(&c, 0, 1000000), 2 * 1001000);
	snag_step_cursor_done(&c);
	snag_step_log_done(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_stretches),
		cmocka_unit_test(test_growing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
