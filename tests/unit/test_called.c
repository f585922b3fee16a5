/* SPDX-License-Identifier: Apache-2.0
 *
 * What a source calls a variable, by line and column: ^ below is where the column points to.
 */
#include "report/source/called.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *line, *column, *name; /* NULL: it does not tell */
} table[] = {
	{"\tt = x[i] * 0.5;", "\t  ^", "t"},
	{"\ty[i] = t * t;", "\t       ^", "t"},
	{"\tif (y[i] > worst)", "\t           ^", "worst"},
	{"work[i][j] = 1;", "           ^", "work"},
	{"work[ k[i] ] [j] += 1;", "                 ^", "work"},
	{"point.x.y = 1;", "          ^", "point"},
	{"a = point.x;", "          ^", "point"},
	{"node->size = 1;", "           ^", NULL},
	{"a = node->size;", "          ^", NULL},
	{"*p = 1;", "   ^", NULL},
	{"a = *p = 1;", "       ^", NULL},
	{"a * b = 1;", "      ^", "b"},
	{"count++;", "     ^", "count"},
	{"--count;", "^", "count"},
	{"mask <<= 2;", "     ^", "mask"},
	{"a = b < c;", "      ^", NULL},
	{"a == b;", "  ^", NULL},
	{"f(a);", "^", NULL},
	{"if (a)", "^", NULL},
	{"12;", "^", NULL},
	{"= 1;", "^", NULL},
	{"] = 1;", "  ^", NULL},
	{"#pragma omp parallel", "        ^", NULL},
	{"short", "       ^", NULL},
	{"", "^", NULL},
};

static void test_table(void **state)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *line = table[i].line, *want = table[i].name ? table[i].name : "";
		size_t at = 0;
		size_t n =
			snag_called_in(line, strlen(line), (uint32_t)strlen(table[i].column), &at);
		assert_int_equal(n, strlen(want));
		assert_memory_equal(line + at, want, n);
	}
	size_t at;
	assert_int_equal(snag_called_in("a", 1, 0, &at), 0);
}

static void test_file(void **state)
{
	char path[] = "/tmp/snag.called.XXXXXX.c"; /* .f... would be Fortran */
	int fd = mkstemps(path, 2);
	FILE *f = fdopen(fd, "w");
	assert_non_null(f);
	fputs("one[0] = 1;\ntwo = 2", f);
	fclose(f);
	struct snag_frame frame = {.file = path, .line = 2, .column = 5};
	char *name = snag_called_at(&frame, false);
	assert_string_equal(name, "two");
	free(name);
	assert_null(snag_called_at(&frame, true));
	frame.line = 1;
	frame.column = 1;
	name = snag_called_at(&frame, true);
	assert_string_equal(name, "one");
	free(name);
	frame.line = 3;
	assert_null(snag_called_at(&frame, false));
	remove(path);
	assert_null(snag_called_at(&frame, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
