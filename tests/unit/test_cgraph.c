/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cgraph.c - computation graphs, their tree, tours and closure on small examples
 *
 * Random ones are compared with the definition in tests/graphs/.
 */
#include "order/cgraph.h"
#include "order/closure.h"
#include "order/maxima.h"
#include "order/tour.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every edge as "from>to" with the letter of its kind. */
static void edges_text(const struct snag_cgraph *g, char *to, size_t size)
{
	size_t n = 0;
	to[0] = '\0';
	for (uint32_t b = 0; b < g->nnodes; b++)
		for (uint32_t e = g->node[b].preds; e < snag_cgraph_preds_end(g, b); e++)
			n += (size_t)snprintf(to + n, size - n, "%s%u%c%u", n ? " " : "",
					      g->pred[e].from, "cfjpi"[g->pred[e].kind], b);
}

static void assert_edges(const struct snag_cgraph *g, const char *expected)
{
	char text[512];
	edges_text(g, text, sizeof(text));
	assert_string_equal(text, expected);
}

/* The steps of a tour, with ( for fork, | for turn and ) for join. */
static void assert_tour(const struct snag_cgraph *g, enum snag_tour_direction direction,
			const char *expected)
{
	struct snag_tour tour;
	enum snag_tour_kind kind;
	uint32_t step;
	char text[256];
	size_t n = 0;
	snag_tour_init(&tour, g, direction);
	while (snag_tour_next(&tour, &kind, &step))
		text[n++] = kind == SNAG_TOUR_STEP ? (char)('0' + step) : " (|)"[kind];
	text[n] = '\0';
	assert_string_equal(text, expected);
}

/* finish { async { } } : 0 begin, 1 inside, 2 the task, 3 beside it, 4 after */
static void test_finish(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_finish_begin(&g, 0);
	snag_cgraph_async(&g, 0, 1);
	snag_cgraph_task_end(&g, 1);
	snag_cgraph_finish_end(&g, 0);
	assert_edges(&g, "0c1 1f2 1c3 3c4 2j4");
	assert_true(g.is_sp);
	assert_tour(&g, SNAG_TOUR_DOWN, "(01(2|3)4|)");
	assert_tour(&g, SNAG_TOUR_UP, "(4(2|3)10|)");
	snag_cgraph_done(&g);
}

/* A task that outlives its creator: async { async { } } inside one finish. */
static void test_escape(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_finish_begin(&g, 0);
	snag_cgraph_async(&g, 0, 1); /* 2, 3 */
	snag_cgraph_async(&g, 1, 2); /* 4, 5 */
	snag_cgraph_finish_end(&g, 0);
	assert_edges(&g, "0c1 1f2 1c3 2f4 2c5 3c6 4j6 5j6");
	assert_true(g.is_sp);
	assert_tour(&g, SNAG_TOUR_DOWN, "(01(2(4|5)|3)6|)");
	assert_tour(&g, SNAG_TOUR_UP, "(6((4|5)2|3)10|)");
	struct snag_sporder *order = snag_sporder_new(&g);
	assert_true(snag_sporder_is_exact(&g, order));
	assert_true(snag_sporder_precedes(order[2], order[6]));
	assert_false(snag_sporder_precedes(order[4], order[3]));
	assert_false(snag_sporder_precedes(order[4], order[5]));
	free(order);
	snag_cgraph_done(&g);
}

/* spawn { } sync: the sync joins, and the graph is series-parallel. */
static void test_sync(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_spawn(&g, 0, 1);
	snag_cgraph_sync(&g, 0);
	assert_edges(&g, "0f1 0c2 2c3 1j3");
	assert_true(g.is_sp);
	assert_tour(&g, SNAG_TOUR_DOWN, "(0(1|2)3|)");
	snag_cgraph_done(&g);
}

/* spawn { async { } } sync: the async outlives the sync, which no tree can tell. */
static void test_not_sp(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_spawn(&g, 0, 1);
	snag_cgraph_async(&g, 1, 2);
	snag_cgraph_sync(&g, 0);
	assert_edges(&g, "0f1 0c2 1f3 1c4 2c5 4j5");
	assert_false(g.is_sp);
	snag_cgraph_done(&g);
}

/* A frame syncs for itself only; the spawn outside is joined by the outer sync. */
static void test_frames(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_spawn(&g, 0, 1); /* 1, 2 */
	snag_cgraph_frame_begin(&g, 0);
	snag_cgraph_spawn(&g, 0, 2); /* 3, 4 */
	snag_cgraph_sync(&g, 0);     /* 5 */
	snag_cgraph_frame_end(&g, 0);
	snag_cgraph_sync(&g, 0); /* 6 */
	assert_edges(&g, "0f1 0c2 2f3 2c4 4c5 3j5 5c6 1j6");
	assert_true(g.is_sp);
	assert_tour(&g, SNAG_TOUR_DOWN, "(0(1|2(3|4)5)6|)");
	snag_cgraph_done(&g);
}

/* A promise that orders what the tree does not; one that adds nothing. */
static void test_promises(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_set(&g, 0, 0);
	snag_cgraph_get(&g, 0, 0);
	assert_edges(&g, "0c1 1c2 0p2");
	struct snag_sporder *order = snag_sporder_new(&g);
	assert_true(snag_sporder_is_exact(&g, order));
	free(order);
	snag_cgraph_async(&g, 0, 1); /* 3, 4 */
	snag_cgraph_set(&g, 1, 1);   /* 5 */
	snag_cgraph_get(&g, 0, 1);   /* 6 */
	assert_edges(&g, "0c1 1c2 0p2 2f3 2c4 3c5 4c6 3p6");
	order = snag_sporder_new(&g);
	assert_false(snag_sporder_is_exact(&g, order));
	free(order);
	snag_cgraph_done(&g);
}

static void test_isolated_and_closure(void **state)
{
	struct snag_cgraph g;
	struct snag_closure c;
	snag_cgraph_init(&g);
	snag_cgraph_async(&g, 0, 1);	   /* 1, 2 */
	snag_cgraph_isolated_begin(&g, 1); /* 3 */
	snag_cgraph_isolated_end(&g, 1);   /* 4 */
	snag_cgraph_isolated_begin(&g, 0); /* 5 */
	snag_cgraph_isolated_end(&g, 0);   /* 6 */
	assert_edges(&g, "0f1 0c2 1c3 3c4 2c5 3i5 5c6");
	assert_int_equal(g.node[5].isolated, 2);
	snag_closure_init(&c, &g, true);
	assert_true(snag_closure_next(&c));
	assert_true(snag_closure_precedes(&c, 1, 6));
	assert_false(snag_closure_precedes(&c, 4, 6));
	assert_false(snag_closure_precedes(&c, 6, 6));
	assert_false(snag_closure_next(&c));
	snag_closure_done(&c);
	snag_closure_init(&c, &g, false);
	assert_true(snag_closure_next(&c));
	assert_false(snag_closure_precedes(&c, 1, 6));
	snag_closure_done(&c);
	snag_cgraph_done(&g);
}

/* A long graph goes through the closure in several strips. */
static void test_closure_strips(void **state)
{
	enum { STEPS = 40000 };
	struct snag_cgraph g;
	struct snag_closure c;
	unsigned nstrips = 0;
	snag_cgraph_init(&g);
	snag_cgraph_async(&g, 0, 1); /* 1, 2 */
	for (uint32_t i = 0; i < STEPS; i++)
		snag_cgraph_set(&g, i % 2, i);
	snag_closure_init(&c, &g, true);
	while (snag_closure_next(&c)) {
		uint32_t a = c.first, last = (uint32_t)g.nnodes - 1;
		nstrips++;
		for (uint32_t b = a + 1; b < a + 100 && b < last && a > 2; b++)
			assert_int_equal(snag_closure_precedes(&c, a, b), (b - a) % 2 == 0);
		assert_int_equal(snag_closure_precedes(&c, a, last),
				 a == 0 || g.node[a].task == g.node[last].task);
	}
	assert_true(nstrips > 1);
	snag_closure_done(&c);
	snag_cgraph_done(&g);
}

static void test_accesses(void **state)
{
	struct snag_cgraph g;
	uint32_t *begin, *index;
	snag_cgraph_init(&g);
	snag_cgraph_access(&g, 0, 1, false, 7, 10);
	snag_cgraph_access(&g, 0, 1, false, 8, 11); /* the same again */
	snag_cgraph_access(&g, 0, 1, true, 8, 12);
	snag_cgraph_access(&g, 0, 0, true, 8, 13);
	snag_cgraph_set(&g, 0, 0);
	snag_cgraph_access(&g, 0, 1, true, 9, 15);
	assert_int_equal(g.naccesses, 4);
	snag_cgraph_by_variable(&g, &begin, &index);
	assert_int_equal(begin[1], 1);
	assert_int_equal(begin[2], 4);
	assert_int_equal(g.access[index[0]].event, 13);
	assert_int_equal(g.access[index[3]].event, 15);
	free(begin);
	free(index);
	snag_cgraph_by_node(&g, &begin, &index);
	assert_int_equal(begin[1], 3);
	assert_int_equal(g.access[index[3]].node, 1);
	free(begin);
	free(index);
	snag_cgraph_done(&g);
}

/* What no run can produce is ignored. */
static void test_nonsense(void **state)
{
	struct snag_cgraph g;
	snag_cgraph_init(&g);
	snag_cgraph_finish_end(&g, 3);
	snag_cgraph_frame_end(&g, 3);
	snag_cgraph_sync(&g, 3);
	snag_cgraph_async(&g, 3, 3);
	snag_cgraph_async(&g, 3, 4);
	snag_cgraph_spawn(&g, 5, 4);
	snag_cgraph_get(&g, 4, 9);
	snag_cgraph_frame_begin(&g, 4);
	snag_cgraph_finish_end(&g, 4);
	snag_cgraph_finish_begin(&g, 4);
	snag_cgraph_frame_end(&g, 4);
	assert_edges(&g, "0f1 0c2 1c4 4c5");
	snag_cgraph_done(&g);
}

static void test_empty(void **state)
{
	struct snag_cgraph g;
	struct snag_closure c;
	snag_cgraph_init(&g);
	assert_tour(&g, SNAG_TOUR_DOWN, "");
	assert_tour(&g, SNAG_TOUR_UP, "");
	snag_closure_init(&c, &g, true);
	assert_false(snag_closure_next(&c));
	snag_closure_done(&c);
	snag_cgraph_done(&g);
	snag_cgraph_done(NULL);
}

static void test_maxima(void **state)
{
	static const uint32_t value[] = {5, 9, 3, 7};
	static const uint32_t key[] = {0, 1, 1, 3};
	uint32_t cell[5];
	struct snag_maxima m;
	snag_maxima_init(&m, cell, 4, value);
	assert_int_equal(snag_maxima_above(&m, 0), 0);
	for (uint32_t i = 0; i < 4; i++)
		snag_maxima_add(&m, key[i], i);
	assert_int_equal(snag_maxima_above(&m, 0), 1 + 1);
	assert_int_equal(snag_maxima_above(&m, 1), 3 + 1);
	assert_int_equal(snag_maxima_above(&m, 2), 3 + 1);
	assert_int_equal(snag_maxima_above(&m, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_not_sp),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_isolated_and_closure),
		cmocka_unit_test(test_closure_strips),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_maxima),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
