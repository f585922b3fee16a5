/* SPDX-License-Identifier: Apache-2.0
 *
 * test_spool.c - a spool returns the records it was given
 *
 * If the file could not be written to its end, it returns all records that are whole in the file,
 * and says what went wrong.
 */
#include "base/memory.h"
#include "scout/spool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const uint64_t LAP = UINT64_C(1) << RT_LAP_SHIFT;
static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Records of loops over arrays, and now and then a record that resembles no other. */
static struct rt_record *records_make(uint64_t seed, int n)
{
	struct rt_record *r = snag_calloc((size_t)n, sizeof(*r));
	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < n; i++) {
		const uint64_t place = next_random() % 9, kind = next_random() % 3;
		if (next_random() % 16 == 0) {
			r[i] = (struct rt_record){.what = next_random(),
						  .loc = (uint32_t)next_random(),
						  .arg = (uint32_t)next_random()};
		} else {
			r[i].what = (0x7f0000000000 + place * 4096 + (uint64_t)i * 8) |
				    (RT_READ + kind) << RT_OP_SHIFT | UINT64_C(8) << RT_SIZE_SHIFT;
			r[i].loc = (uint32_t)(100 + place);
			r[i].arg = (uint32_t)(i / 100);
		}
	}
	return r;
}

/* Returns how many records come back; each must be the one that was put. */
static int records_compare(struct snag_spool *s, const struct rt_record *put, int n)
{
	struct rt_record got[100];
	int all = 0;
	snag_spool_rewind(s);
	for (int some; (some = snag_spool_next(s, got, 1 + all % 100)) > 0; all += some)
		for (int i = 0; i < some; i++) {
			assert_true(all + i < n);
			assert_int_equal(got[i].what, put[all + i].what & ~LAP);
			assert_int_equal(got[i].loc, put[all + i].loc);
			assert_int_equal(got[i].arg, put[all + i].arg);
		}
	assert_int_equal(snag_spool_next(s, got, 100), 0); /* the end stays the end */
	return all;
}

static struct snag_spool *spool_with(const struct rt_record *r, int n, uint64_t limit)
{
	struct snag_spool *s;
	struct snag_error err;
	assert_int_equal(snag_spool_new("/tmp", limit, &s, &err), 0);
	for (int i = 0, some; i < n; i += some) {
		some = n - i < 37 ? n - i : 37;
		snag_spool_put(s, r + i, some);
	}
	return s;
}

static void test_returns_what_was_put(void **unused)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const int n = seed % 8 == 0 ? 200000 : (int)(seed * 7);
		struct rt_record *r = records_make(seed, n);
		struct snag_spool *s = spool_with(r, n, 0);
		assert_int_equal(records_compare(s, r, n), n);
		assert_null(snag_spool_error(s));
		snag_spool_free(s);
		free(r);
	}
}

/* A spool that may take a megabyte has the first records, and says that others are missing. */
static void test_limit(void **unused)
{
	enum { RECORDS = 1000000, LIMIT = 1 << 20 };
	struct rt_record *r = records_make(1, RECORDS);
	struct snag_spool *s = spool_with(r, RECORDS, LIMIT);
	assert_non_null(strstr(snag_spool_error(s), "--disk"));
	const int n = records_compare(s, r, RECORDS);
	assert_in_range(n, LIMIT / 24, RECORDS - 1);
	snag_spool_free(s);
	s = spool_with(r, n / 2, LIMIT); /* which it does not reach */
	assert_null(snag_spool_error(s));
	snag_spool_free(s);
	free(r);
}

/* The limit of a file's size cuts the file at every byte of some records. */
static void test_cut_anywhere(void **unused)
{
	enum { RECORDS = 1000 };
	struct rt_record *r = records_make(4711, RECORDS);
	struct rlimit old, cut;
	int before = -1;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (rlim_t bytes = 0; bytes < 400; bytes++) {
		cut = (struct rlimit){.rlim_cur = bytes, .rlim_max = old.rlim_max};
		struct snag_spool *s = spool_with(r, RECORDS, 0);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &cut), 0);
		const int got = records_compare(s, r, RECORDS); /* a byte more: at most one more */
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_non_null(snag_spool_error(s));
		assert_in_range(got, before < 0 ? 0 : before, before + 1);
		before = got;
		snag_spool_free(s);
	}
	assert_in_range(before, 20, RECORDS);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns_what_was_put),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_cut_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
