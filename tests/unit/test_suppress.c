/* SPDX-License-Identifier: Apache-2.0
 *
 * test_suppress.c - ThreadSanitizer's suppressions: patterns, files, matches
 */
#include "unit.h"

#include "report/incident/suppress.h"

#include <stdio.h>
#include <string.h>

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{"foo", "foo", true},	   {"foo", "a foo b", true},	 {"foo", "fo", false},
		{"^foo", "foobar", true},  {"^foo", "afoo", false},	 {"foo$", "afoo", true},
		{"foo$", "foob", false},   {"^foo$", "foo", true},	 {"^foo$", "foofoo", false},
		{"a*c", "xabbcx", true},   {"a*c", "xabb", false},	 {"^a*c$", "abcbc", true},
		{"^a*c$", "abcb", false},  {"", "anything", true},	 {"*", "", true},
		{"foo$", "foofoo", true},  {"^*b$", "aab", true},	 {"a$b", "xa$bx", true},
		{"ab*ab$", "abcab", true}, {"aab", "aaab", true},	 {"^$", "", true},
		{"^$", "x", false},	   {"^a*b*c$", "a1b2b3c", true}, {"$", "x", true},
		{"^a**b", "axxb", true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (snag_pattern_match(cases[i].pattern, cases[i].text) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void last_matched(void *ctx, const char *text, const char *place, uint64_t matched,
			 bool is_over)
{
	assert_false(is_over);
	char *list = ctx;
	sprintf(list + strlen(list), "%s %s %d;", place, text, (int)matched);
}

static void test_races(void **state)
{
	static const char text[] = "# comment\n\n race:^deep$ \nrace_top:other.c\r\n"
				   "called_from_lib:libfoo\nrace:counter\nid:R-12\nmutex:x";
	struct snag_frame a[] = {{.function = "top", .file = "/x/top.c", .module = "/bin/p"},
				 {.function = "deep", .file = "/x/deep.c", .module = "/bin/p"}};
	struct snag_frame b[] = {
		{.function = "b", .file = "/x/b.c"},
		{.function = NULL, .file = "/x/other.c", .module = "/l/libfoo.so"}};
	struct snag_suppressions *s = snag_suppressions_new();
	struct snag_error err = {0};
	char list[512] = "";
	(void)state;
	assert_int_equal(snag_suppressions_add(s, "f", text, sizeof(text) - 1, &err), 0);
	struct snag_suppressible race = {.frame = {a, b}, .frames = {2, 2}};
	assert_true(snag_suppressions_match(s, &race)); /* race:^deep$ */
	race.frames[0] = 1;
	assert_true(snag_suppressions_match(s, &race)); /* the library; not race_top */
	race.frames[1] = 1;
	assert_false(snag_suppressions_match(s, &race));
	race.variable = "the_counter";
	assert_true(snag_suppressions_match(s, &race));
	race.variable = NULL;
	race.id = "R-12";
	assert_true(snag_suppressions_match(s, &race));
	race.id = "R-123";
	assert_false(snag_suppressions_match(s, &race));
	b[0].file = "/x/other.c";
	assert_true(snag_suppressions_match(s, &race));
	snag_suppressions_each(s, last_matched, list);
	assert_string_equal(list,
			    "f:3 race:^deep$ 1;f:4 race_top:other.c 1;f:5 called_from_lib:libfoo "
			    "1;f:6 race:counter 1;f:7 id:R-12 1;f:8 mutex:x 0;");
	snag_suppressions_free(s);
	snag_suppressions_free(NULL);
}

static void test_errors(void **state)
{
	struct snag_suppressions *s = snag_suppressions_new();
	struct snag_error err = {0};
	(void)state;
	assert_int_equal(snag_suppressions_add(s, "f", "\nnonsense\n", 10, &err), SNAG_EINPUT);
	assert_string_equal(err.msg, "f:2: expected `type:pattern`");
	assert_int_equal(snag_suppressions_add(s, "f", "rice:x", 6, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "f:1: unknown type 'rice'"));
	assert_int_equal(snag_suppressions_add(s, "f", "race:\0x", 7, &err), SNAG_EINPUT);
	snag_suppressions_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_races),
		cmocka_unit_test(test_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
