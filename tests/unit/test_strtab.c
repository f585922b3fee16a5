/* SPDX-License-Identifier: Apache-2.0
 *
 * test_strtab.c - interned strings: every length, many of them, words, and counting
 */
#include "unit.h"

#include "base/strtab.h"

#include <stdio.h>
#include <stdlib.h>

static void test_empty_table(void **state)
{
	struct snag_strtab t;
	snag_strtab_init(&t);
	assert_int_equal(snag_strtab_find(&t, "x", 1), SNAG_NO_ID);
	assert_int_equal(snag_strtab_find_word(&t, 'x'), SNAG_NO_ID);
	snag_strtab_done(&t);
	snag_strtab_done(&t);
	snag_strtab_done(NULL);
}

static void test_forget(void **state)
{
	struct snag_strtab t;
	char s[16];
	snag_strtab_init(&t);
	for (uint32_t i = 0; i < 1000; i++) {
		size_t len = (size_t)snprintf(s, sizeof(s), "name %u", i);
		assert_int_equal(snag_strtab_append(&t, s, len), i);
		snag_strtab_forget(&t, i % 100 < 50 ? i / 100 * 100 : i - 7);
		for (uint32_t id = t.first; id <= i; id++) {
			len = (size_t)snprintf(s, sizeof(s), "name %u", id);
			assert_int_equal(snag_strtab_len(&t, id), len);
			assert_string_equal(snag_strtab_get(&t, id), s);
		}
	}
	snag_strtab_forget(&t, 1000);
	assert_int_equal(t.nbytes, 0);
	assert_int_equal(snag_strtab_append(&t, "last", 4), 1000);
	assert_string_equal(snag_strtab_get(&t, 1000), "last");
	snag_strtab_done(&t);
}

/* Every third one is spelled, the others are places in it. */
static void test_places(void **state)
{
	struct snag_strtab_place place;
	struct snag_strtab t;
	char s[16];
	snag_strtab_init(&t);
	snag_strtab_have_places(&t);
	for (uint32_t i = 0; i < 1000; i++) {
		size_t len = (size_t)snprintf(s, sizeof(s), "name %u", i);
		place = (struct snag_strtab_place){(uint32_t)t.nspelled - 1, UINT64_C(1) << i % 48};
		assert_int_equal(i % 3 ? snag_strtab_append_place(&t, place)
				       : snag_strtab_append(&t, s, len),
				 i);
		snag_strtab_forget(&t, i % 100 < 50 ? i / 100 * 100 : i - 7);
		for (uint32_t id = t.first; id <= i; id++) {
			assert_int_equal(snag_strtab_place(&t, id, &place), id % 3 != 0);
			if (id % 3) {
				assert_int_equal(place.base, id / 3 % SNAG_STRTAB_BASES);
				assert_int_equal(place.offset, UINT64_C(1) << id % 48);
				continue;
			}
			len = (size_t)snprintf(s, sizeof(s), "name %u", id);
			assert_int_equal(snag_strtab_len(&t, id), len);
			assert_string_equal(snag_strtab_get(&t, id), s);
		}
	}
	assert_int_equal(t.nspelled, 334);
	snag_strtab_done(&t);
}

/* Strings of all lengths that differ from another only in their first, last or middle byte, or
 * in their length. */
static void test_lengths(void **state)
{
	enum { MAX = 70 };
	struct snag_strtab t;
	char s[MAX];
	uint32_t n = 0;
	snag_strtab_init(&t);
	for (int round = 0; round < 2; round++) {
		n = 0;
		memset(s, 'a', MAX);
		for (size_t len = 0; len < MAX; len++) {
			assert_int_equal(snag_strtab_intern(&t, s, len), n++);
			for (size_t at = 0; at < len; at++) {
				s[at] = '\xff';
				assert_int_equal(snag_strtab_intern(&t, s, len), n++);
				s[at] = 'a';
			}
		}
		assert_int_equal(t.n, n);
	}
	n = 0;
	for (size_t len = 0; len < MAX; len++) {
		for (size_t at = 0; at <= len; at++, n++) {
			if (at)
				s[at - 1] = '\xff';
			assert_int_equal(snag_strtab_len(&t, n), len);
			assert_memory_equal(snag_strtab_get(&t, n), s, len);
			assert_int_equal(snag_strtab_get(&t, n)[len], 0);
			assert_int_equal(snag_strtab_find(&t, s, len), n);
			if (at)
				s[at - 1] = 'a';
		}
	}
	assert_int_equal(snag_strtab_find(&t, "b", 1), SNAG_NO_ID);
	assert_int_equal(snag_strtab_find(&t, "aaaaaaaab", 9), SNAG_NO_ID);
	snag_strtab_done(&t);
}

/* Names as traces have them, so many that the table grows often. */
static void test_many(void **state)
{
	enum { MANY = 200000 };
	struct snag_strtab t;
	char s[32];
	snag_strtab_init(&t);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(
			snag_strtab_intern(&t, s, (size_t)sprintf(s, "V%u", i * 2654435761u)), i);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(
			snag_strtab_find(&t, s, (size_t)sprintf(s, "V%u", i * 2654435761u)), i);
	assert_int_equal(t.n, MANY);
	snag_strtab_done(&t);
}

/* Strings that ascend need no slots, and are found; the first that does not brings them back. */
static void test_ascending(void **state)
{
	enum { MANY = 20000 };
	struct snag_strtab t;
	char s[32];
	snag_strtab_init(&t);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(
			snag_strtab_intern_ascending(&t, s, (size_t)sprintf(s, "%u", 2 * i)), i);
	assert_int_equal(t.nslots, 0);
	for (uint32_t i = 0; i < 2 * MANY + 2; i++)
		assert_int_equal(snag_strtab_find(&t, s, (size_t)sprintf(s, "%u", i)),
				 i % 2 || i == 2 * MANY ? SNAG_NO_ID : i / 2);
	assert_int_equal(snag_strtab_find(&t, "", 0), SNAG_NO_ID);
	assert_int_equal(snag_strtab_intern_ascending(&t, "7", 1), MANY);
	assert_int_equal(snag_strtab_find_word(&t, '7'), MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(
			snag_strtab_intern_ascending(&t, s, (size_t)sprintf(s, "%u", 2 * i)), i);
	snag_strtab_done(&t);
}

/* The last string again, an earlier one again, and interning as usual, while there are no slots. */
static void test_ascending_again(void **state)
{
	static const char *const again[] = {"9", "10", "11"};
	for (uint32_t k = 0; k < 3; k++)
		for (int usual = 0; usual < 2; usual++) {
			struct snag_strtab t;
			snag_strtab_init(&t);
			for (uint32_t i = 0; i < 3; i++)
				snag_strtab_intern_ascending(&t, again[i], strlen(again[i]));
			assert_int_equal(t.nslots, 0);
			uint32_t id = usual ? snag_strtab_intern(&t, again[k], strlen(again[k]))
					    : snag_strtab_intern_ascending(&t, again[k],
									   strlen(again[k]));
			assert_int_equal(id, k);
			assert_int_equal(t.n, 3);
			snag_strtab_done(&t);
		}
}

/* Adds to `plain` what follows its last string. */
static bool count_plainly(struct snag_strtab *plain, uint32_t n)
{
	char s[32], prefix[32] = "";
	unsigned number;
	bool are_new = plain->n > 0;
	if (are_new &&
	    sscanf(snag_strtab_get(plain, plain->n - 1), "%[a-z]%u", prefix, &number) < 2)
		return false;
	for (uint32_t i = 1; i <= n && are_new; i++) {
		uint32_t id = plain->n;
		int len = snprintf(s, sizeof(s), "%s%u", prefix, number + i);
		are_new = snag_strtab_intern(plain, s, (size_t)len) == id;
	}
	return are_new;
}

static void assert_same_strings(const struct snag_strtab *t, const struct snag_strtab *plain)
{
	assert_int_equal(t->n, plain->n);
	for (uint32_t id = 0; id < plain->n; id++) {
		const char *s = snag_strtab_get(plain, id);
		assert_string_equal(snag_strtab_get(t, id), s);
		assert_int_equal(snag_strtab_len(t, id), strlen(s));
		assert_int_equal(snag_strtab_find(t, s, strlen(s)), id);
	}
	assert_int_equal(snag_strtab_find(t, "x", 1), SNAG_NO_ID);
}

/* Strings that count, among others, in order or not: the same as if each was interned. */
static void test_counting(void **state)
{
	uint32_t random = 1, lazy = 0;
	for (int round = 0; round < 2000; round++) {
		struct snag_strtab t, plain;
		bool are_new = true;
		snag_strtab_init(&t);
		snag_strtab_init(&plain);
		for (int i = 0; i < 12 && are_new; i++) {
			char s[32];
			random = random * 1664525 + 1013904223;
			uint32_t r = random >> 8, n = r / 8 % 13;
			if (r % 8 < 4) {
				int len = snprintf(s, sizeof(s), r % 8 ? "a%u" : "b", r / 8 % 200);
				len = r % 64 == 4 ? snprintf(s, sizeof(s), "a0%u", n) : len;
				uint32_t id = snag_strtab_intern_ascending(&t, s, (size_t)len);
				assert_int_equal(id, snag_strtab_intern(&plain, s, (size_t)len));
			} else {
				are_new = snag_strtab_count(&t, n);
				lazy += are_new && t.nranges;
				assert_int_equal(are_new, count_plainly(&plain, n));
			}
			if (r % 128 == 0 && are_new)
				assert_same_strings(&t, &plain);
		}
		if (are_new)
			assert_same_strings(&t, &plain);
		snag_strtab_done(&t);
		snag_strtab_done(&plain);
	}
	assert_true(lazy > 1000);
}

/* What does not count: no number, one with a zero in front, one too long, a string too long. */
static void test_counting_ends(void **state)
{
	static const struct {
		const char *s;
		uint32_t n;
		bool counts;
	} cases[] = {
		{"", 1, false},
		{"x", 1, false},
		{"x0", 1, true},
		{"x01", 1, false},
		{"0", 9, true},
		{"x1 ", 1, false},
		{"999999999999999998", 1, true},
		{"999999999999999999", 1, false},
		{"1000000000000000000", 1, false},
		{"12345678901234567890123456789012345678901234567890123456789-9999", 0, true},
		{"12345678901234567890123456789012345678901234567890123456789-9998", 1, true},
		{"12345678901234567890123456789012345678901234567890123456789-9999", 1, false},
		{"7", UINT32_MAX, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct snag_strtab t;
		snag_strtab_init(&t);
		assert_false(snag_strtab_count(&t, 1));
		snag_strtab_intern_ascending(&t, cases[i].s, strlen(cases[i].s));
		assert_int_equal(snag_strtab_count(&t, cases[i].n), cases[i].counts);
		assert_int_equal(t.n, 1 + (cases[i].counts ? cases[i].n : 0));
		assert_string_equal(snag_strtab_get(&t, 0), cases[i].s);
		snag_strtab_done(&t);
	}
}

/* A word finds the string of fewer than 8 bytes it is, and no longer one that begins so. */
static void test_words(void **state)
{
	static const char text[] = "abcdefghij";
	struct snag_strtab t;
	snag_strtab_init(&t);
	for (size_t len = 10; len >= 8; len--)
		snag_strtab_intern(&t, text, len);
	for (size_t len = 1; len < 8; len++) {
		uint64_t word = snag_strtab_load(text) & ~(uint64_t)0 >> (64 - 8 * len);
		assert_int_equal(snag_strtab_find_word(&t, word), SNAG_NO_ID);
		uint32_t id = snag_strtab_intern(&t, text, len);
		assert_int_equal(snag_strtab_find_word(&t, word), id);
		assert_int_equal(snag_strtab_hash(text, len), (uint32_t)snag_strtab_mix(word));
	}
	snag_strtab_done(&t);
}

/* Numbered names fall on slots as if thrown: linear probing stays short. */
static void test_spread(void **state)
{
	enum { NAMES = 20000, SLOTS = 65536 };
	static const char *const forms[] = {"V%u", "%u", "L%u", "file.c:%u", "V%u.f[0]", "x%07u"};
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		uint8_t *used = calloc(SLOTS, 1);
		uint32_t distinct = 0;
		for (uint32_t i = 0; i < NAMES; i++) {
			char s[32];
			size_t len = (size_t)snprintf(s, sizeof(s), forms[f], i);
			uint8_t *slot = &used[snag_strtab_hash(s, len) % SLOTS];
			distinct += !*slot;
			*slot = 1;
		}
		free(used);
		/* At random it is 65536 (1 - e^(-20000/65536)) = 17237, give or take 46. */
		assert_in_range(distinct, 17000, NAMES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_table),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_ascending),
		cmocka_unit_test(test_ascending_again),
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_counting_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
