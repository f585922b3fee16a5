/* SPDX-License-Identifier: Apache-2.0
 *
 * test_program.c - what the parser of the task language refuses, with its words
 */
#include "unit.h"

#include "lang/program.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *text, *error;
} refused[] = {
	{"", "t:1:1: expected a declaration, 'proc' or 'main', not the end of the text"},
	{"main {", "t:1:7: expected a statement or '}', not the end of the text"},
	{"main { } main { }", "t:1:10: expected nothing behind main, not 'main'"},
	{"main { x = 1; }", "t:1:8: 'x' is not declared"},
	{"var x; main { x = y; }", "t:1:19: 'y' is not declared"},
	{"var x;\nmain {\n\tx = ;\n}", "t:3:6: expected an expression, not ';'"},
	{"var x, x; main { }", "t:1:8: 'x' is declared already, at 1:5"},
	{"var x; promise x; main { }", "t:1:16: 'x' is declared already, at 1:5"},
	{"var f; proc f() { } main { }", "t:1:13: 'f' is declared already, at 1:5"},
	{"proc f() { } proc f() { } main { }", "t:1:19: 'f' is declared already, at 1:6"},
	{"main { f(); }", "t:1:8: procedure 'f' is not declared"},
	{"proc f(a) { } main { f(); }", "t:1:22: 'f' takes 1 argument, not 0"},
	{"proc f(a, b) { } main { async f(1); }", "t:1:31: 'f' takes 2 arguments, not 1"},
	{"proc f(a, a) { } main { }", "t:1:11: 'a' has a value in this block, from 1:8"},
	{"proc f(a) { let a = 1; } main { }", NULL},
	{"main { let a = 1; let a = 2; }", "t:1:23: 'a' has a value in this block, from 1:12"},
	{"main { let a = 1; if (a) { let a = 2; } }", NULL},
	{"main { let a = 1; a = 2; }", "t:1:19: 'a' is a local, which never changes"},
	{"main { if (1) { let a = 1; } let b = a; }", "t:1:38: 'a' is not declared"},
	{"promise p; main { p = new; }", "t:1:19: 'p' is a promise, which never changes"},
	{"var a[3]; main { a = 1; }", "t:1:18: 'a' is an array and needs an index"},
	{"var a[3]; main { let b = a; }", "t:1:26: 'a' is an array and needs an index"},
	{"var a; main { a[0] = 1; }", "t:1:15: 'a' is not an array"},
	{"var a[0]; main { }", "t:1:7: an array has 1 to 16777216 elements"},
	{"var a[16777216], b; main { }",
	 "t:1:18: more than 16777216 shared variables and elements"},
	{"var a[3; main { }", "t:1:8: expected ']', not ';'"},
	{"var x = 9223372036854775808; main { }",
	 "t:1:9: more than 63 bits in the number '9223372036854775808'"},
	{"var x = 9223372036854775807; main { }", NULL},
	{"main { let a = 1x; }", "t:1:16: a letter in the number '1x'"},
	{"main { let a = 1 $ 2; }", "t:1:18: unexpected character '$'"},
	{"var main; main { }", "t:1:5: expected a name, not 'main'"},
	{"proc f() { } main { let a = f(); }", "t:1:29: a call has no value"},
	{"main { if 1 { } }", "t:1:11: expected '(', not '1'"},
	{"main { async skip; }", "t:1:14: expected '{' or a call, not 'skip'"},
	{"main { isolated { async { } } }", "t:1:19: an isolated block cannot contain 'async'"},
	{"main { isolated { finish { } } }", "t:1:19: an isolated block cannot contain 'finish'"},
	{"promise p; main { isolated { if (1) { set p; } } }",
	 "t:1:39: an isolated block cannot contain 'set'"},
	{"promise p; main { isolated { get p; } }",
	 "t:1:30: an isolated block cannot contain 'get'"},
	{"main { isolated { spawn { } } }", "t:1:19: an isolated block cannot contain 'spawn'"},
	{"main { isolated { sync; } }", "t:1:19: an isolated block cannot contain 'sync'"},
	{"main { isolated { isolated { } } async { isolated { } } }", NULL},
	{"proc f() { g(); } proc g() { f(); if (0) { sync; } } main { isolated { f(); } }",
	 "t:1:72: an isolated block cannot contain 'sync', which 'f' leads to at 1:44"},
	{"proc f() { isolated { h(); } async { } } proc h() { } main { f(); }", NULL},
};

static void texts_are_refused_where_they_are_wrong(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const char *text = refused[i].text;
		struct snag_program *program = NULL;
		struct snag_error err = {0};
		int rc = snag_program_parse("t", text, strlen(text), &program, &err);
		if (refused[i].error)
			assert_string_equal(err.msg, refused[i].error);
		else if (rc < 0)
			fail_msg("%s: %s", text, err.msg);
		snag_program_free(program);
	}
}

/* `before`, n times `again`, `behind`. */
static int parse_repeated(const char *before, const char *again, size_t n, const char *behind,
			  struct snag_error *err)
{
	size_t cap = strlen(before) + n * strlen(again) + strlen(behind) + 1;
	char *text = malloc(cap), *at = text + sprintf(text, "%s", before);
	struct snag_program *program = NULL;
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s", again);
	at += sprintf(at, "%s", behind);
	int rc = snag_program_parse("t", text, (size_t)(at - text), &program, err);
	snag_program_free(program);
	free(text);
	return rc;
}

static void nesting_is_limited(void **state)
{
	static const char *const deep[] = {"(", "-", "!", "*", "1+(", "a[", "1&&("};
	struct snag_error err;
	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
		assert_true(parse_repeated("var a[2]; main { let x = ", deep[i], 100000, "", &err) <
			    0);
		assert_non_null(strstr(err.msg, "more than 500 levels of nesting"));
	}
	assert_true(parse_repeated("main { ", "if (1) {", 100000, "", &err) < 0);
	assert_non_null(strstr(err.msg, "more than 500 levels of nesting"));
	assert_true(parse_repeated("main { ", "async {", 100000, "", &err) < 0);
	assert_non_null(strstr(err.msg, "more than 500 levels of nesting"));
}

static void long_texts_are_fine(void **state)
{
	struct snag_error err;
	assert_int_equal(parse_repeated("main { let x = 1", "+1", 100000, ";}", &err), 0);
	assert_int_equal(parse_repeated("main { let x = 1", "||1", 100000, ";}", &err), 0);
	assert_int_equal(parse_repeated("main { ", "if (1) { let x = 1; }", 100000, "}", &err), 0);
}

static void first_places_are_known(void **state)
{
	static const char text[] = "var x; promise p;\n"
				   "proc f() {\n\tspawn { x = 1; }\n}\n"
				   "main {\n\tfinish { }\n\tf();\n\tset p;\n}\n";
	struct snag_program *program;
	struct snag_error err;
	assert_int_equal(snag_program_parse("t", text, strlen(text), &program, &err), 0);
	assert_int_equal(snag_program_first(program, SNAG_OP_FINISH_BEGIN).line, 6);
	assert_int_equal(snag_program_first(program, SNAG_OP_FINISH_BEGIN).column, 2);
	assert_int_equal(snag_program_first(program, SNAG_OP_FRAME_BEGIN).line, 7);
	assert_int_equal(snag_program_first(program, SNAG_OP_PROMISE_SET).line, 8);
	assert_int_equal(snag_program_first(program, SNAG_OP_PROMISE_GET).line, 0);
	assert_int_equal(snag_program_first(program, SNAG_OP_TASK_SPAWN).line, 3);
	assert_int_equal(snag_program_first(program, SNAG_OP_SYNC).line, 4);
	snag_program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_refused_where_they_are_wrong),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(long_texts_are_fine),
		cmocka_unit_test(first_places_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
