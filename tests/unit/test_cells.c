/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cells.c - accesses to variables: against a table with one entry per byte
 *
 * The definition: two accesses of one lifetime have a variable in common only if they
 * overlap; and they do have one if they overlap, unless the later one touches only bytes
 * that were split off a variable of the earlier one in between.
 */
#include "record/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 32, MAX_ACCESSES = 200, MAX_VARIABLES = 1 << 16 };

static uint32_t made;
static uint64_t made_at[MAX_VARIABLES];

static uint32_t make(void *ctx, uint64_t addr, const uint32_t *from)
{
	assert_true(made < MAX_VARIABLES);
	assert_true(!from || (*from < made && made_at[*from] < addr)); /* its first byte stays */
	made_at[made] = addr;
	return made++;
}

static void any_split(void *ctx, const uint32_t *variable, unsigned n)
{
}

static struct snag_cells *cells_new(void)
{
	return snag_cells_new(&(struct snag_cells_hooks){
		.make = make, .shared_split = any_split, .lost_split = any_split});
}

static uint64_t state = 7;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

struct access {
	uint64_t bytes; /* a bit each */
	uint32_t variable[SNAG_CELL];
	unsigned n;
};

static bool share(const struct access *a, const struct access *b)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned j = 0; j < b->n; j++)
			if (a->variable[i] == b->variable[j])
				return true;
	return false;
}

/* The bytes each variable stands for now, by the definition of splitting. */
struct model {
	uint64_t bytes[MAX_ACCESSES * SNAG_CELL];
	unsigned n;
};

/* How many variables an access must have. */
static unsigned model_access(struct model *m, uint64_t bytes)
{
	uint64_t fresh = bytes;
	unsigned hit = 0, n = m->n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t both = m->bytes[i] & bytes, rest = m->bytes[i] & ~bytes;
		fresh &= ~m->bytes[i];
		if (!both)
			continue;
		hit++;
		m->bytes[i] = both;
		if (rest)
			m->bytes[m->n++] = rest;
	}
	if (fresh)
		m->bytes[m->n++] = fresh;
	return hit + (fresh != 0);
}

static void random_accesses(void **unused)
{
	for (int round = 0; round < 300; round++) {
		struct snag_cells *cells = cells_new();
		static struct access done[MAX_ACCESSES];
		static struct model model;
		const uint64_t base = 0x7f0000001000 - 16; /* over the end of a page */
		model.n = 0;
		for (int i = 0; i < MAX_ACCESSES; i++) {
			struct access *a = &done[i];
			unsigned at = below(BYTES), size = 1 + below(SNAG_CELL - at % SNAG_CELL);
			if (below(3) == 0) {
				size = 4;
				at = at / 4 * 4;
			}
			a->bytes = ((1ull << size) - 1) << at;
			a->n = snag_cells_access(cells, base + at, size, below(3), a->variable);
			assert_int_equal(a->n, model_access(&model, a->bytes));
			for (int k = 0; k < i; k++)
				if (share(a, &done[k]))
					assert_true(a->bytes & done[k].bytes);
			for (int k = 0; k < i; k++) /* the same access finds the same */
				if (done[k].bytes == a->bytes)
					assert_true(share(a, &done[k]));
		}
		snag_cells_free(cells);
		made = 0;
	}
}

static void whole_then_parts(void **unused)
{
	struct snag_cells *cells = cells_new();
	uint32_t whole[SNAG_CELL], part[SNAG_CELL], again[SNAG_CELL];
	assert_int_equal(snag_cells_access(cells, 64, 8, 0, whole), 1);
	assert_int_equal(snag_cells_access(cells, 68, 4, 1, part), 1);
	assert_int_not_equal(part[0], whole[0]); /* it has not the first byte */
	assert_int_equal(snag_cells_access(cells, 64, 8, 0, again), 2);
	assert_int_equal(again[0], whole[0]);
	assert_int_equal(again[1], part[0]);
	snag_cells_free(cells);
	made = 0;
}

static void forgotten_memory_is_new(void **unused)
{
	struct snag_cells *cells = cells_new();
	uint32_t before[SNAG_CELL], after[SNAG_CELL];
	for (uint64_t at = 4096 - 32; at < 4096 + 32; at += 8)
		snag_cells_access(cells, at, 8, 0, before);
	snag_cells_access(cells, 4100, 2, 0, before);
	uint32_t n = made;
	snag_cells_forget(cells, 4096, 16);
	snag_cells_access(cells, 4100, 2, 0, after);
	assert_int_equal(after[0], n);
	snag_cells_access(cells, 4096 - 8, 8, 0, after);
	assert_true(after[0] < n);
	snag_cells_access(cells, 4096 + 16, 8, 0, after);
	assert_true(after[0] < n);
	snag_cells_free(cells);
	made = 0;
}

static void shared_cells(void **unused)
{
	struct snag_cells *cells = cells_new();
	uint32_t variable[SNAG_CELL];
	assert_int_equal(snag_cells_shared(cells, 64, 1, variable), 0);
	snag_cells_access(cells, 64, 4, 1, variable);
	assert_int_equal(snag_cells_shared(cells, 64, 1, variable), 0);
	assert_int_equal(snag_cells_shared(cells, 64, 2, variable), 1);
	snag_cells_access(cells, 68, 1, 2, variable);
	snag_cells_access(cells, 69, 1, 2, variable);
	assert_int_equal(snag_cells_shared(cells, 64, 1, variable), 3);
	snag_cells_free(cells);
	snag_cells_free(NULL);
	made = 0;
}

static bool is_quick(struct snag_cells *cells, uint64_t addr, uint32_t *ret_variable)
{
	return snag_cells_quick(snag_cells_recent(cells, addr), addr, 4, 1, ret_variable);
}

/* A walk over memory touched in order, and here and there in another way, finds the variables that
 * go on evenly as far as going step by step does. */
static void known_walks(void **unused)
{
	enum { LOW = 3 * SNAG_CELLS_PAGE - 512, SPAN = 1024, WALKS = 2000 };
	struct snag_cells *cells = cells_new();
	uint32_t variable[SNAG_CELL];
	made = 0;
	for (unsigned at = 0; at < SPAN; at += 4)
		snag_cells_access(cells, LOW + at, 4, 1, variable);
	for (unsigned i = 0; i < 8; i++)
		snag_cells_access(cells, LOW + below(SPAN / 8) * 8, 8, 1, variable);
	for (unsigned i = 0; i < WALKS; i++) {
		uint64_t addr = LOW + SPAN / 2 + 4 * (uint64_t)below(64);
		unsigned n = 1 + below(60);
		int stride = 4 * ((int)below(9) - 4);
		uint32_t alone = 0, first, walked = 0, quick = 0, all[60];
		if (i % 16 == 0) { /* other variables than before */
			uint64_t at = LOW + below(SPAN / 8) * 8;
			if (i % 32 == 0)
				snag_cells_forget(cells, at, 8);
			snag_cells_access(cells, at + 4 * (uint64_t)below(2), 4, 1, variable);
		}
		if (!is_quick(cells, addr, &first))
			continue;
		while (walked < n &&
		       is_quick(cells, addr + (uint64_t)(stride * (int)walked), &alone) &&
		       alone == first + (uint32_t)(stride / 4 * (int)walked))
			walked++;
		assert_int_equal(snag_cells_known(cells, addr, (uint64_t)stride, 4, 1, first,
						  (uint32_t)(stride / 4), n),
				 walked);
		for (; quick < n && is_quick(cells, addr + (uint64_t)(stride * (int)quick), &alone);
		     quick++)
			all[quick] = alone;
		uint32_t got[60];
		assert_int_equal(snag_cells_variables(cells, addr, (uint64_t)stride, 4, 1, n, got),
				 quick);
		assert_memory_equal(got, all, quick * sizeof(*got));
	}
	assert_int_equal(snag_cells_known(cells, LOW, 4, 0, 1, 0, 1, 9), 0);
	snag_cells_free(cells);
	made = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_accesses),
		cmocka_unit_test(whole_then_parts),
		cmocka_unit_test(forgotten_memory_is_new),
		cmocka_unit_test(shared_cells),
		cmocka_unit_test(known_walks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
