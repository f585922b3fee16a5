/* SPDX-License-Identifier: Apache-2.0
 *
 * The expressions of a source line that name memory; also of lines that end anywhere.
 */
#include "report/source/lvalue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 64 };

static const struct {
	const char *line, *found; /* separated by blanks */
} table[] = {
	{"x = 1;", "x"},
	{"pool->exit = y;", "pool pool->exit y"},
	{"q->items[i].next++;", "q q->items q->items[i] q->items[i].next i"},
	{"*p = 1;", "p *p"},
	{"(*p).x = 1;", "p (*p) (*p).x"},
	{"a*b;", "a b"},
	{"f(a, \"s.t\", 'c'); // x.y", "a"},
	{"q->size() + 1;", "q"},
	{"/* a.b */ c", "c"},
	{"#define a b", ""},
	{"a[b", "a b"},
	{"a->", "a"},
	{"12 . 3", ""},
	{"", ""},
};

static void test_found(void **state)
{
	struct snag_lvalue v[ROOM];
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *line = table[i].line;
		size_t n = snag_lvalues_in(line, strlen(line), v, ROOM), at = 0;
		char found[400] = "";
		for (size_t k = 0; k < n; k++)
			at += (size_t)snprintf(found + at, sizeof(found) - at, "%s%.*s",
					       k ? " " : "", (int)(v[k].end - v[k].start),
					       line + v[k].start);
		assert_string_equal(found, table[i].found);
	}
}

/* A line in memory of just its size: ASan sees what is read beyond. */
static void test_cut(void **state)
{
	static const char line[] = "(*p)->a[i[\"]\"]].b = 'c' /* * */ + \"\\\" -> // x ++";
	struct snag_lvalue v[ROOM];
	(void)state;
	for (size_t from = 0; from < sizeof(line); from++)
		for (size_t n = 0; from + n < sizeof(line); n++) {
			char *cut = malloc(n ? n : 1);
			memcpy(cut, line + from, n);
			size_t found = snag_lvalues_in(cut, n, v, ROOM);
			for (size_t k = 0; k < found; k++) {
				assert_true(v[k].start < v[k].end && v[k].end <= n);
				for (uint32_t column = 0; column < n + 3; column++)
					snag_lvalue_is_at(&v[k], cut, n, column);
			}
			free(cut);
		}
}

static void test_column(void **state)
{
	static const char line[] = "++a->n; b = a->n;";
	struct snag_lvalue v[ROOM];
	(void)state;
	size_t n = snag_lvalues_in(line, strlen(line), v, ROOM);
	assert_int_equal(n, 5);					       /* a, a->n, b, a, a->n */
	assert_true(snag_lvalue_is_at(&v[1], line, strlen(line), 1));  /* ++ */
	assert_true(snag_lvalue_is_at(&v[1], line, strlen(line), 6));  /* n */
	assert_true(snag_lvalue_is_at(&v[2], line, strlen(line), 11)); /* = */
	assert_true(v[2].is_assigned);
	assert_false(v[4].is_assigned);
	assert_false(snag_lvalue_is_at(&v[1], line, strlen(line), 13));
	assert_true(snag_lvalue_is_at(&v[4], line, strlen(line), 13));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_column),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
