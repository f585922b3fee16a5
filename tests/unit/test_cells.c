/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cells.c - accesses to variables: against a table with one entry per byte
 *
 * The definition: two accesses of one lifetime have a variable in common only if they
 * overlap; and they do have one if they overlap, unless the later one touches only bytes
 * that were split off a variable of the earlier one in between.
 */
#include "record/convert/cells.h"

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

static uint32_t make_some(void *ctx, uint64_t addr, unsigned step, uint32_t n, uint32_t *ret_n)
{
	const uint32_t first = made;
	*ret_n = n > 3 && addr % 64 == 0 ? n - 1 : n; /* it may make fewer */
	for (uint32_t i = 0; i < *ret_n; i++)
		make(ctx, addr + (uint64_t)i * step, NULL);
	return first;
}

static void any_split(void *ctx, const uint32_t *variable, unsigned n)
{
}

static struct snag_cells *cells_new(void)
{
	return snag_cells_new(&(struct snag_cells_hooks){.make = make,
							 .make_some = make_some,
							 .shared_split = any_split,
							 .lost_split = any_split});
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

/* Ids of variables: two instances, one for whole ranges and one for their cells, count alike. */
static uint32_t count_make(void *ctx, uint64_t addr, const uint32_t *from)
{
	(void)addr, (void)from;
	return (*(uint32_t *)ctx)++;
}

static uint32_t count_some(void *ctx, uint64_t addr, unsigned step, uint32_t n, uint32_t *ret_n)
{
	uint32_t first = *(uint32_t *)ctx;
	(void)step;
	*ret_n = addr % 7 == 0 && n > 1 ? 1 + n / 2 : n; /* it may make fewer */
	*(uint32_t *)ctx += *ret_n;
	return first;
}

static struct snag_cells *counting_cells(uint32_t *count)
{
	*count = 0;
	return snag_cells_new(&(struct snag_cells_hooks){.make = count_make,
							 .make_some = count_some,
							 .shared_split = any_split,
							 .lost_split = any_split,
							 .ctx = count});
}

/* n whole cells, in elements of `size` bytes where they are new.  The variables go to `to`. */
static unsigned cells_one_by_one(struct snag_cells *cells, uint64_t addr, uint32_t n, unsigned size,
				 uint32_t thread, uint32_t *to)
{
	unsigned all = 0;
	for (uint32_t i = 0; i < n; i++, addr += SNAG_CELL) {
		unsigned by = snag_cells_is_fresh(cells, addr) ? size : SNAG_CELL;
		for (unsigned at = 0; at < SNAG_CELL; at += by)
			all += snag_cells_access(cells, addr + at, by, thread, to + all);
	}
	return all;
}

static unsigned cells_in_bulk(struct snag_cells *cells, uint64_t addr, uint32_t n, unsigned size,
			      uint32_t thread, uint32_t *to, unsigned *bulk)
{
	unsigned all = 0;
	for (uint32_t some; n > 0; n -= some, addr += (uint64_t)some * SNAG_CELL) {
		struct snag_cells_stretch s;
		uint32_t first;
		snag_cells_even(cells, addr, n, thread, &s);
		assert_true(s.n <= n);
		some = s.n;
		for (uint32_t i = 0; i < s.n; i++)
			for (uint32_t k = 0; k < s.k; k++)
				to[all++] = s.variable[k] + s.stride[k] * i;
		if (!some && (some = snag_cells_fill(cells, addr, n, size, thread, &first)) > 0)
			for (uint32_t i = 0; i < some * (SNAG_CELL / size); i++)
				to[all++] = first + i;
		*bulk += some > 1 ? some : 0;
		if (!some)
			all += cells_one_by_one(cells, addr, some = 1, size, thread, to + all);
	}
	return all;
}

/* A stretch ends where a page that is one entry does not go on with it, and goes on where it
 * does. */
static void pages_of_one_entry(void **unused)
{
	enum { PAGE_CELLS = SNAG_CELLS_PAGE / SNAG_CELL };
	const uint64_t page = 5 * SNAG_CELLS_PAGE;
	struct snag_cells_stretch s;
	uint32_t count, first, variable[SNAG_CELL];
	struct snag_cells *cells = counting_cells(&count);
	(void)unused;
	snag_cells_access(cells, page - 8, 8, 1, variable); /* 0 */
	snag_cells_access(cells, page - 64, 8, 1, variable);
	for (int i = 0; i < 2; i++) { /* 2 and on */
		uint64_t addr = page + (uint64_t)i * SNAG_CELLS_PAGE;
		assert_int_equal(snag_cells_fill(cells, addr, 9999, 8, 1, &first), PAGE_CELLS);
		assert_int_equal(first, 2 + i * PAGE_CELLS);
	}
	snag_cells_even(cells, page - 8, 9999, 2, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(snag_cells_shared(cells, page + 8, 1, variable), 0);
	snag_cells_even(cells, page, 9999, 1, &s);
	assert_int_equal(s.n, 2 * PAGE_CELLS);
	assert_true(s.k == 1 && s.variable[0] == 2 && s.stride[0] == 1);
	snag_cells_even(cells, page + SNAG_CELLS_PAGE, 9, 2, &s); /* a part, by another thread */
	assert_int_equal(s.n, 9);
	assert_int_equal(s.variable[0], 2 + PAGE_CELLS);
	assert_int_equal(snag_cells_shared(cells, page + SNAG_CELLS_PAGE + 64, 1, variable), 1);
	assert_int_equal(snag_cells_shared(cells, page + SNAG_CELLS_PAGE + 72, 1, variable), 0);
	snag_cells_free(cells);
}

static void bulk_is_as_one_by_one(void **unused)
{
	enum { CELLS = 3 * SNAG_CELLS_PAGE / SNAG_CELL, STEPS = 120 };
	static uint32_t got[2][CELLS * SNAG_CELL];
	const uint64_t base = 0x7f0000000000;
	unsigned bulk = 0;
	(void)unused;
	for (int round = 0; round < 40; round++) {
		uint32_t count[2];
		struct snag_cells *a = counting_cells(&count[0]), *b = counting_cells(&count[1]);
		for (int i = 0; i < STEPS; i++) {
			uint32_t first = below(4) ? below(CELLS) : below(3) * (CELLS / 3);
			first -= first && below(4) == 0; /* the last cell of a page */
			uint32_t n = below(4) ? 1 + below(40) : CELLS;
			uint32_t thread = below(10) ? 1 : 2;
			uint64_t addr = base + (uint64_t)first * SNAG_CELL;
			n = n < CELLS - first ? n : CELLS - first;
			unsigned what = below(8), size = what == 1 ? 4 : 8, m[2];
			if (what < 5) {
				m[0] = cells_one_by_one(a, addr, n, size, thread, got[0]);
				m[1] = cells_in_bulk(b, addr, n, size, thread, got[1], &bulk);
			} else if (what < 7) { /* in part, or as another thread */
				unsigned at = below(8), bytes = 1 + below(8 - at);
				m[0] = snag_cells_access(a, addr + at, bytes, thread, got[0]);
				m[1] = snag_cells_access(b, addr + at, bytes, thread, got[1]);
			} else if (below(2)) {
				snag_cells_forget(a, addr, (uint64_t)n * SNAG_CELL);
				snag_cells_forget(b, addr, (uint64_t)n * SNAG_CELL);
				m[0] = m[1] = 0;
			} else {
				m[0] = snag_cells_shared(a, addr, thread, got[0]);
				m[1] = snag_cells_shared(b, addr, thread, got[1]);
			}
			assert_int_equal(m[0], m[1]);
			assert_memory_equal(got[0], got[1], m[0] * sizeof(**got));
			assert_int_equal(count[0], count[1]);
		}
		for (uint32_t i = 0; i < CELLS; i++) { /* and who has been where */
			uint64_t addr = base + (uint64_t)i * SNAG_CELL;
			unsigned n = snag_cells_shared(a, addr, 1, got[0]);
			assert_int_equal(snag_cells_shared(b, addr, 1, got[1]), n);
			assert_memory_equal(got[0], got[1], n * sizeof(**got));
		}
		snag_cells_free(a);
		snag_cells_free(b);
	}
	assert_true(bulk > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_accesses),
		cmocka_unit_test(whole_then_parts),
		cmocka_unit_test(forgotten_memory_is_new),
		cmocka_unit_test(shared_cells),
		cmocka_unit_test(known_walks),
		cmocka_unit_test(bulk_is_as_one_by_one),
		cmocka_unit_test(pages_of_one_entry),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
