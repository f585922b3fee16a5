/* SPDX-License-Identifier: Apache-2.0
 *
 * test_callstack.c - frames in the names of locations, written and read again
 */
#include "unit.h"

#include "trace/callstack.h"

#include <stdio.h>
#include <string.h>

static uint32_t intern(struct snag_names *names, const char *name)
{
	return snag_strtab_intern(&names->space[SNAG_SPACE_LOCATION], name, strlen(name));
}

static uint32_t add(struct snag_names *names, const struct snag_frame *f, uint32_t caller)
{
	char name[400];
	assert_in_range(snag_frame_name(f, caller, name, sizeof(name)), 1, sizeof(name) - 1);
	assert_null(strpbrk(name, " \t\n|"));
	return intern(names, name);
}

static void assert_text(const char *got, const char *expected)
{
	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got, expected);
}

static void assert_frame(const struct snag_frame *got, const struct snag_frame *expected)
{
	assert_text(got->function, expected->function);
	assert_text(got->file, expected->file);
	assert_text(got->module, expected->module);
	assert_int_equal(got->line, expected->line);
	assert_int_equal(got->column, expected->column);
	assert_int_equal(got->offset, expected->offset);
	assert_int_equal(got->is_inlined, expected->is_inlined);
}

static void test_round_trip(void **state)
{
	static const struct snag_frame frame[] = {
		{.function = "main",
		 .file = "a b/m~|%.c",
		 .line = 7,
		 .column = 3,
		 .module = "/bin/x+y",
		 .offset = 0x1234},
		{.function = "std::vector<int, a<b> >::f(char const*)", .file = "v:1:2", .line = 1},
		{.function = "in", .file = "x.c", .line = 2, .column = 9, .is_inlined = true},
		{.module = "/lib/l.so", .offset = 5},
		{.offset = 0xffffffffffffull},
		{.function = "only"},
	};
	enum { N = sizeof(frame) / sizeof(frame[0]) };
	struct snag_names names;
	struct snag_callstack stack;
	uint32_t at = SNAG_NO_ID;
	(void)state;
	snag_names_init(&names);
	for (int i = 0; i < N; i++)
		at = add(&names, &frame[i], at);
	snag_callstack_read(&names, at, &stack);
	assert_int_equal(stack.n, N);
	for (int i = 0; i < N; i++)
		assert_frame(&stack.frame[i], &frame[N - 1 - i]);
	snag_callstack_done(&stack);
	for (int i = 0; i < N; i++) { /* and alone */
		if (frame[i].is_inlined)
			continue;
		snag_callstack_read(&names, add(&names, &frame[i], SNAG_NO_ID), &stack);
		assert_int_equal(stack.n, 1);
		assert_frame(&stack.frame[0], &frame[i]);
		snag_callstack_done(&stack);
	}
	snag_names_done(&names);
}

/* Names of C++ functions can be longer than any buffer; the caller must not be lost with them. */
static void test_long_function(void **state)
{
	struct snag_names names;
	struct snag_callstack stack;
	char function[1000];
	memset(function, ' ', sizeof(function) - 1); /* each takes three bytes */
	function[sizeof(function) - 1] = 0;
	snag_names_init(&names);
	uint32_t outer = add(&names, &(struct snag_frame){.function = "main"}, SNAG_NO_ID);
	uint32_t inner = add(&names,
			     &(struct snag_frame){.function = function,
						  .file = "a.cpp",
						  .line = 7,
						  .module = "/bin/a b",
						  .offset = UINT64_MAX,
						  .is_inlined = true},
			     outer);
	snag_callstack_read(&names, inner, &stack);
	assert_int_equal(stack.n, 2);
	assert_string_equal(stack.frame[0].module, "/bin/a b");
	assert_true(stack.frame[0].is_inlined);
	assert_in_range(strlen(stack.frame[0].function), 50, sizeof(function) - 2);
	assert_string_equal(stack.frame[1].function, "main");
	snag_callstack_done(&stack);
	snag_names_done(&names);
}

static void test_other_names(void **state)
{
	static const struct {
		const char *name;
		struct snag_frame frame;
		const char *text;
	} cases[] = {
		{"12", {.file = "12"}, "12"},
		{"bank.c:17", {.file = "bank.c", .line = 17}, "bank.c:17"},
		{"bank.c:17:4", {.file = "bank.c", .line = 17, .column = 4}, "bank.c:17:4"},
		{":17", {.file = ":17"}, ":17"},
		{"x.c:17:0~f", {.file = "x.c", .line = 17, .function = "f"}, "x.c:17"},
		{"~f", {.function = "f"}, "f"},
		{"~~/l.so+0x10", {.module = "/l.so", .offset = 16}, "/l.so+0x10"},
		{"~~+0x10", {.offset = 16}, "0x10"},
		{"x%2~y%zz~%", {.file = "x%2", .function = "y%zz"}, "x%2"},
		{"~~~99", {0}, "?"},		    /* no such caller */
		{"~f~~10", {.function = "f"}, "f"}, /* itself, being number 10 */
	};
	struct snag_names names;
	struct snag_callstack stack;
	char text[100];
	(void)state;
	snag_names_init(&names);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t loc = intern(&names, cases[i].name);
		snag_callstack_read(&names, loc, &stack);
		assert_int_equal(stack.n, 1);
		assert_frame(&stack.frame[0], &cases[i].frame);
		snag_callstack_done(&stack);
		assert_int_equal(snag_location_text(&names, loc, text, sizeof(text)),
				 strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
	assert_int_equal(snag_location_text(&names, intern(&names, "abcdef"), text, 4), 6);
	assert_string_equal(text, "abc");
	snag_names_done(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_long_function),
		cmocka_unit_test(test_other_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
