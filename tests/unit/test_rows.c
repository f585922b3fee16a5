/* SPDX-License-Identifier: Apache-2.0
 *
 * test_rows.c - what must precede an event, against the definition
 *
 * Random traces with as many threads as make several groups of columns; the set of what must
 * precede an event is collected by looking at all events of the set until nothing is new.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "bench/generate.h"
#include "trace/trace.h"
#include "witness/decide/index.h"

enum { TRACES = 24 };

static void generate(unsigned seed, struct snag_trace *ret_trace)
{
	struct snag_generate_options o = snag_generate_defaults;
	struct snag_source *src;
	struct snag_error err;
	o.seed = seed;
	o.events = 1500;
	o.threads = 2 + seed % 8 * 7;
	o.variables = 5 + seed % 40;
	o.locks = 3;
	o.section = 2;
	o.turn = 1 + seed % 3;
	o.unprotected = 0.5;
	o.reads = 0.6;
	o.branches = seed % 2 ? 0.1 : 0;
	o.fork_join = seed % 3 != 0;
	o.life = seed % 3 == 1 ? 2 : 0;
	snag_trace_init(ret_trace);
	if (snag_generate_source(&o, &src, &err) < 0 || snag_trace_load(ret_trace, src, &err) < 0)
		fail_msg("%s", err.msg);
	snag_source_close(src);
}

/* The event is needed; with `keeps`, all reads up to it are causal. */
static bool need(const struct snag_index *ix, uint32_t *cut, uint32_t *keeps, uint32_t event,
		 bool is_causal)
{
	snag_tid t = snag_index_thread(ix, event);
	uint32_t n = ix->position[event] + 1;
	bool grew = cut[t] < n || (is_causal && keeps[t] < n);
	cut[t] = cut[t] < n ? n : cut[t];
	if (is_causal && keeps[t] < n)
		keeps[t] = n;
	return grew;
}

static bool is_root(enum snag_mode mode, uint8_t op)
{
	return mode == SNAG_MODE_M2 || op == SNAG_OP_BRANCH ||
	       (mode == SNAG_MODE_LITERAL && snag_op_writes(op));
}

/* By definition: all that must precede what is in the cut joins it. */
static void close_naively(const struct snag_index *ix, enum snag_mode mode, uint32_t *cut,
			  uint32_t *keeps)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t e = ix->nevents; e-- > 0;) {
			const struct snag_event *ev = &ix->trace->ev[e];
			snag_tid t = snag_index_thread(ix, e);
			if (ix->position[e] >= cut[t])
				continue;
			if (ix->fork[ev->thread] != SNAG_NO_EVENT)
				grew |= need(ix, cut, keeps, ix->fork[ev->thread], false);
			if (is_root(mode, ev->op))
				grew |= need(ix, cut, keeps, e, true);
			bool is_due = snag_op_reads(ev->op) && ix->position[e] < keeps[t];
			if ((is_due || ev->op == SNAG_OP_JOIN) && ix->link[e] != SNAG_NO_EVENT)
				grew |= need(ix, cut, keeps, ix->link[e], is_due);
		}
	}
}

static void assert_rows(const struct snag_index *ix, enum snag_mode mode, unsigned seed)
{
	const struct snag_rows *rows = &ix->rows[mode];
	uint32_t *cut = calloc(rows->width, sizeof(*cut));
	uint32_t *expected = calloc(rows->width, sizeof(*expected));
	uint32_t *keeps = expected + rows->width - ix->nthreads;
	struct snag_rows_walk walk;
	snag_walk_init(&walk, rows);
	for (uint32_t e = seed % 5; e < ix->nevents; e += 5) {
		snag_tid t = snag_index_thread(ix, e);
		memset(cut, 0, rows->width * sizeof(*cut));
		memset(expected, 0, rows->width * sizeof(*expected));
		expected[t] = ix->position[e] + 1;
		close_naively(ix, mode, expected, keeps);
		snag_rows_add(ix, rows, &walk, cut, t, ix->position[e] + 1);
		assert_memory_equal(cut, expected, rows->width * sizeof(*cut));
		struct snag_point point = snag_point_of(ix, rows, t, ix->position[e] + 1);
		for (uint32_t f = e % 3; f < e; f += 3)
			assert_int_equal(snag_rows_has(ix, rows, &walk, &point, f),
					 ix->position[f] < expected[snag_index_thread(ix, f)]);
	}
	snag_walk_done(&walk);
	free(expected);
	free(cut);
}

static void test_rows_are_right(void **state)
{
	for (unsigned seed = 0; seed < TRACES; seed++) {
		struct snag_trace trace;
		generate(seed, &trace);
		for (int mode = 0; mode < SNAG_MODES; mode++) {
			struct snag_index *ix = snag_index_new(&trace);
			snag_index_add_rows(ix, mode, seed / 2 % 3);
			assert_rows(ix, mode, seed);
			snag_index_free(ix);
		}
		snag_trace_done(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
