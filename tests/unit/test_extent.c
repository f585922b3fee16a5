/* SPDX-License-Identifier: Apache-2.0
 *
 * test_extent.c - ranges of arrays and blocks, and the edge that two tasks miss
 */
#include "unit.h"

#include "report/incident/extent.h"
#include "report/incident/missing_edge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The range of the last of these variables among all, for accesses of `size`. */
static void expect_range(const char *variables, unsigned size, const char *expected)
{
	struct snag_names names;
	struct snag_variables all = {0};
	char copy[512], text[400] = "none";
	uint32_t last = 0;
	snag_names_init(&names);
	snprintf(copy, sizeof(copy), "%s", variables);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		last = snag_strtab_intern(&names.space[SNAG_SPACE_VARIABLE], word, strlen(word));
		snag_variables_add(&all, last);
	}
	snag_variables_sort(&all);
	struct snag_extent x = snag_extent_of(&names, &all, last, size);
	if (x.places > 1)
		snag_extent_text(&x, &names, last, text, sizeof(text));
	assert_string_equal(text, expected);
	free(all.at);
	snag_names_done(&names);
}

static void test_ranges(void **state)
{
	expect_range("a a+0x4 a+0x8", 4, "a[0..2] (3 elements of 4 bytes)");
	expect_range("b a+0x10 b+0x8 a+0x8", 8, "a[1..2] (2 elements of 8 bytes)");
	expect_range("a+0x4 a+0xc a+0x14", 4, "bytes 4..23 of a (3 places, 8 bytes apart)");
	expect_range("a+0x1 a+0x5", 4, "bytes 1..8 of a (2 places, 4 bytes apart)");
	expect_range("a a+0x4#17 a+0x8", 4, "a[0..2] (3 elements of 4 bytes)");
	expect_range("ab+0x4 a+0x4", 4, "none");
	expect_range("heap#3:40@7,T0 heap#3:40@7,T0+0x8 heap#31:40@7,T0 heap#3:40@7,T0+0x10", 8,
		     "block[0..2] (3 elements of 8 bytes)");
	expect_range("T1-0x20 T1-0x10 T11-0x8 T1-0x18", 8,
		     "bytes -32..-9 of the stack (3 places, 8 bytes apart)");
	expect_range("0x1000 0x1008", 8, "none");
	expect_range("a", 4, "none");
	expect_range("a a+0x4", 0, "bytes 0..4 of a (2 places, 4 bytes apart)");
	expect_range("+ +0x4 a+ a-", 4, "none");
}

static void test_variables(void **state)
{
	struct snag_variables v = {0};
	for (uint32_t round = 0; round < 50; round++)
		for (uint32_t i = 0; i < 100; i++)
			snag_variables_add(&v, (i * 37 + round) % 100);
	assert_true(v.cap <= 512); /* repetition costs no memory */
	snag_variables_sort(&v);
	assert_int_equal(v.n, 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(v.at[i], i);
	free(v.at);
}

/* 1 and 2 are threads of a team; the latter did an iteration, 4. */
static enum snag_label_kind team_label(void *ctx, snag_tid task, char *buf, size_t room)
{
	static const enum snag_label_kind kind[9] = {
		[1] = SNAG_LABEL_THREAD, [2] = SNAG_LABEL_THREAD, [4] = SNAG_LABEL_SHARE};
	snprintf(buf, room, kind[task] == SNAG_LABEL_SHARE ? "iteration 9" : "thread %u", task);
	return kind[task];
}

/* 0 created 1 and 2, 1 created 3, 2 created 4; 5 and 6 created each other, which cannot be. */
static void test_missing_edges(void **state)
{
	static const struct {
		snag_tid first, second;
		enum snag_tongue tongue;
		const char *expected;
	} table[] = {
		{1, 2, SNAG_TONGUE_SNAG,
		 "task 0 created tasks 1 and 2 with no finish or sync between, and no promise "
		 "orders "
		 "these two tasks"},
		{3, 4, SNAG_TONGUE_OPENMP,
		 "task 0 created tasks 1 and 2 with no taskwait, taskgroup or barrier between, and "
		 "no "
		 "depend clause orders these two tasks"},
		{3, 0, SNAG_TONGUE_SNAG,
		 "task 0 goes on beside task 1, which it created: no finish or sync waits for "
		 "that, and "
		 "no promise orders the two accesses"},
		{2, 4, SNAG_TONGUE_SNAG,
		 "task 2 goes on beside task 4, which it created: no finish or sync waits for "
		 "that, and "
		 "no promise orders the two accesses"},
		{7, 8, SNAG_TONGUE_SNAG, "no finish or sync and no promise orders these two tasks"},
	};
	static const struct {
		snag_tid first, second;
		const char *expected;
	} of_team[] = {
		{1, 2,
		 "thread 1 (task 1) and thread 2 (task 2) may run at the same time: no barrier "
		 "comes between them"},
		{1, 4,
		 "thread 1 (task 1) and iteration 9 (task 4) may run at the same time: no barrier "
		 "comes between them"},
		{3, 4,
		 "thread 1 (task 1) and iteration 9 (task 4), which created these tasks, may run "
		 "at the same time: no barrier comes between them"},
	};
	struct snag_origin origin[] = {{.thread = SNAG_NO_ID}, {.thread = 0}, {.thread = 0},
				       {.thread = 1},	       {.thread = 2}, {.thread = 6},
				       {.thread = 5}};
	struct snag_origins origins = {origin, 7};
	struct snag_names names;
	struct snag_missing_edge_facts facts = {.origins = &origins, .names = &names};
	char text[400], name[8];
	snag_names_init(&names);
	for (unsigned i = 0; i < 9; i++)
		snag_strtab_intern(&names.space[SNAG_SPACE_THREAD], name,
				   (size_t)snprintf(name, sizeof(name), "T%u", i));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct snag_race race = {.first.thread = table[i].first,
					 .second.thread = table[i].second};
		facts.tongue = table[i].tongue;
		snag_missing_edge(&race, &facts, text, sizeof(text));
		assert_string_equal(text, table[i].expected);
	}
	struct snag_race circle = {.first.thread = 5, .second.thread = 3};
	snag_missing_edge(&circle, &facts, text, sizeof(text));
	facts.label = team_label;
	for (size_t i = 0; i < sizeof(of_team) / sizeof(of_team[0]); i++) {
		struct snag_race race = {.first.thread = of_team[i].first,
					 .second.thread = of_team[i].second};
		snag_missing_edge(&race, &facts, text, sizeof(text));
		assert_string_equal(text, of_team[i].expected);
	}
	snag_names_done(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_missing_edges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
