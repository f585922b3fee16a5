/* SPDX-License-Identifier: Apache-2.0
 *
 * test_convert_ranges.c - accesses to ranges against the same accesses one by one
 *
 * Random programs access some pages of memory, in ranges and in words.  The same records, but with
 * a record for each cell of a range, or for each element where nobody has been, must have the
 * same events: with runs and without, and whether names are places or not.
 */
#include "unit.h"

#include "base/memory.h"

#include "record/convert/convert.h"
#include "trace/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 8, CELLS = 5000, STEPS = 60, RECORDS = STEPS * (2 * CELLS + 4), EVENTS = 1 << 20 };
enum { BASE = 0x7f00000 };

static struct rt_record record[2][RECORDS]; /* in ranges, and one by one */
static int nrecords[2];
static bool is_touched[CELLS];

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void put(int which, enum rt_op op, unsigned size, uint64_t addr, uint32_t arg)
{
	assert_true(nrecords[which] < RECORDS);
	record[which][nrecords[which]++] = (struct rt_record){
		.what = addr | (uint64_t)op << RT_OP_SHIFT | (uint64_t)size << RT_SIZE_SHIFT,
		.loc = 1,
		.arg = arg};
}

static void put_both(enum rt_op op, unsigned size, uint64_t addr, uint32_t arg)
{
	put(0, op, size, addr, arg);
	put(1, op, size, addr, arg);
}

static void range_make(void)
{
	static const unsigned elements[] = {0, 0, 0, 8, 4, 2};
	bool is_write = below(2);
	unsigned element = elements[below(6)];
	uint32_t at = below(4) ? below(CELLS * CELL) : below(CELLS) * CELL;
	uint32_t n = below(3) ? 1 + below(300) : 1 + below(CELLS * CELL);
	n = n < CELLS * CELL - at ? n : CELLS * CELL - at;
	put(0, is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, BASE + at, n);
	for (uint32_t next, end = at + n; at < end; at = next) {
		uint32_t cell = at / CELL, stop = (cell + 1) * CELL < end ? (cell + 1) * CELL : end;
		unsigned by = element && !is_touched[cell] ? element : CELL;
		for (; at < stop; at = next) {
			next = at - at % by + by < stop ? at - at % by + by : stop;
			put(1, is_write ? RT_WRITE : RT_READ, next - at, BASE + at, 0);
		}
		is_touched[cell] = true;
		next = stop;
	}
}

static void program_make(uint64_t seed)
{
	state = seed;
	nrecords[0] = nrecords[1] = 0;
	memset(is_touched, 0, sizeof(is_touched));
	put_both(RT_NODE, 0, 0x1001, 1);
	put_both(RT_SWITCH, 0, 0, 0);
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned what = below(10);
		if (what == 0) {
			put_both(RT_SWITCH, 0, 0, below(3));
		} else if (what == 1) { /* whole pages, or blocks */
			uint32_t cell = below(CELLS), n = 1 + below(CELLS - cell);
			put_both(below(2) ? RT_ALLOC : RT_FORGET, 1, BASE + cell * CELL, n * CELL);
			memset(is_touched + cell, 0, n);
		} else if (what < 5) {
			uint32_t cell = below(CELLS), size = 1u << below(4),
				 at = below(CELL / size);
			put_both(below(2) ? RT_READ : RT_WRITE, size,
				 BASE + cell * CELL + at * size, 0);
			is_touched[cell] = true;
		} else {
			range_make();
		}
	}
}

struct got {
	struct snag_event *ev;
	size_t n, in_runs;
	char *names; /* of all variables, one after another */
	size_t names_n, names_cap;
};

static void on_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct got *g = ctx;
	assert_int_equal(number, g->n);
	assert_true(g->n < EVENTS);
	g->ev[g->n++] = *ev;
}

static void on_run(void *ctx, const struct snag_steps *given, uint32_t n, uint64_t number)
{
	struct got *g = ctx;
	struct snag_steps steps = *given;
	for (uint32_t i = 0; i < n; i++) {
		struct snag_event ev = snag_steps_next(&steps);
		on_event(ctx, &ev, number + i);
	}
	g->in_runs += n;
}

enum { RUNS = 1, SINK = 2, STEPS_KEPT = 4 };

static void program_convert(int which, unsigned how, struct got *g)
{
	struct snag_convert *c = snag_convert_new(&(struct snag_convert_options){
		.is_for_sink = how & SINK, .keep_steps = how & STEPS_KEPT});
	struct snag_walk walk = {0};
	struct snag_batch batch;
	g->n = g->in_runs = 0;
	if (how & RUNS)
		snag_convert_take_runs(c);
	for (int at = 0; at < nrecords[which] || !snag_convert_is_done(c);) {
		at += snag_convert_records(c, record[which] + at, nrecords[which] - at);
		if (snag_convert_take(c, &batch)) {
			assert_true(batch.n <= SNAG_BATCH_EVENTS);
			snag_walk_batch(&walk, &batch, on_event, on_run, g);
		}
	}
	const struct snag_strtab *words = &snag_convert_names(c)->space[SNAG_SPACE_VARIABLE];
	g->names_n = 0;
	for (uint32_t i = 0; i < words->n && !(how & SINK); i++) {
		size_t len = snag_strtab_len(words, i) + 1;
		g->names = snag_grow(g->names, &g->names_cap, g->names_n + len, 1);
		memcpy(g->names + g->names_n, snag_strtab_get(words, i), len);
		g->names_n += len;
	}
	snag_convert_free(c);
}

static void ranges_are_as_their_cells(void **unused)
{
	static const unsigned how[] = {0, RUNS, RUNS | SINK, STEPS_KEPT};
	struct got one = {.ev = calloc(EVENTS, sizeof(*one.ev))},
		   all = {.ev = calloc(EVENTS, sizeof(*all.ev))};
	size_t in_runs = 0;
	(void)unused;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		program_make(seed);
		program_convert(1, 0, &one);
		for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
			program_convert(0, how[i], &all);
			assert_int_equal(all.n, one.n);
			assert_memory_equal(all.ev, one.ev, all.n * sizeof(*all.ev));
			in_runs += all.in_runs;
			if (how[i] & SINK)
				continue;
			assert_int_equal(all.names_n, one.names_n);
			assert_memory_equal(all.names, one.names, all.names_n);
		}
	}
	assert_true(in_runs > 1000000);
	free(one.ev);
	free(one.names);
	free(all.ev);
	free(all.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_as_their_cells),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
