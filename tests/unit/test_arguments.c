/* SPDX-License-Identifier: Apache-2.0
 *
 * test_arguments.c - the generator's options on the command line
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "bench/arguments.h"

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t number;
	} good[] = {{"0", 0},	     {"17", 17},	 {"10k", 10000},
		    {"3M", 3000000}, {"2G", 2000000000}, {"18446744073709551615", UINT64_MAX}};
	static const char *const bad[] = {"",
					  "k",
					  "-1",
					  " 1",
					  "1.5M",
					  "1kk",
					  "1K",
					  "0x10",
					  "1 ",
					  "+1",
					  "18446744073709551616",
					  "18446744073709551615k"};
	uint64_t number;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(snag_arguments_number(good[i].text, &number));
		assert_int_equal(number, good[i].number);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(snag_arguments_number(bad[i], &number));
}

static void test_set(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	struct snag_error err;
	assert_int_equal(snag_arguments_set(&o, "--events", "10M", &err), 0);
	assert_int_equal(snag_arguments_set(&o, "--threads", "32", &err), 0);
	assert_int_equal(snag_arguments_set(&o, "--skew", "0.9", &err), 0);
	assert_int_equal(snag_arguments_set(&o, "--fork-join", "0", &err), 0);
	assert_int_equal(o.events, 10000000);
	assert_int_equal(o.threads, 32);
	assert_true(o.skew == 0.9);
	assert_false(o.fork_join);
	assert_int_equal(o.locks, snag_generate_defaults.locks);
}

static void test_set_refused(void **state)
{
	static const char *const bad[][2] = {
		{"--events", "many"}, {"--threads", "5G"},  {"--skew", "x"},   {"--skew", "nan"},
		{"--skew", "1x"},     {"--fork-join", "2"}, {"--colour", "1"}, {"events", "1"}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct snag_generate_options o = snag_generate_defaults;
		struct snag_error err = {0};
		assert_int_equal(snag_arguments_set(&o, bad[i][0], bad[i][1], &err), SNAG_EINPUT);
		assert_non_null(strstr(err.msg, bad[i][0]));
		assert_memory_equal(&o, &snag_generate_defaults, sizeof(o));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
