/* SPDX-License-Identifier: Apache-2.0
 *
 * test_regions.c - names of addresses: against a plain list of blocks
 */
#include "record/convert/regions.h"
#include "report/source/symbols.h"
#include "runtime/channel/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *name_at(struct snag_regions *r, uint64_t addr)
{
	static char name[SNAG_REGION_NAME];
	size_t len = snag_regions_name(r, addr, name, NULL);
	assert_int_equal(len, strlen(name));
	return name;
}

static void kinds(void **unused)
{
	struct snag_symbols *symbols = snag_symbols_new();
	struct snag_regions *r = snag_regions_new(symbols);
	assert_string_equal(snag_regions_module(r, 0x1000, 0x2000, "/bin/prog"), "prog");
	assert_string_equal(snag_regions_module(r, 0x9000, 0x1000, "/other/prog"), "prog~2");
	assert_null(snag_regions_module(r, 0x1000, 0x2000, "/bin/prog"));
	snag_regions_stack(r, 3, 0x20000, 0x30000);
	snag_regions_alloc(r, 0x40010, 24, 1, 5);
	assert_string_equal(name_at(r, 0x1234), "prog+0x234");
	assert_string_equal(name_at(r, 0x9001), "prog~2+0x1");
	assert_string_equal(name_at(r, 0x2fff8), "T3-0x8");
	assert_string_equal(name_at(r, 0x40018), "heap#0:24@5,T1+0x8");
	assert_string_equal(name_at(r, 0x40028), "0x40028");
	assert_string_equal(name_at(r, 0x12000), "0x12000");
	assert_string_equal(name_at(r, RT_DESCRIPTOR_AT(7)), "descriptor:7");
	uint64_t offset, nbytes, *mark = snag_regions_mark(r, 0x40018, &offset, &nbytes);
	assert_true(mark && *mark == 0 && offset == 8 && nbytes == 16);
	*mark = 7;
	mark = snag_regions_mark(r, 0x40027, &offset, &nbytes);
	assert_true(mark && *mark == 7 && offset == 23 && nbytes == 1);
	assert_null(snag_regions_mark(r, 0x40028, &offset, &nbytes));
	assert_null(snag_regions_mark(r, 0x2fff8, &offset, &nbytes));
	assert_int_equal(snag_regions_dealloc(r, 0x40010, 1, 7), 24);
	assert_int_equal(snag_regions_dealloc(r, 0x50000, 1, 7), 0);
	snag_regions_alloc(r, 0x1f000, 0x12000, 1, 5); /* a stack lies in it */
	assert_true(snag_regions_mark(r, 0x1f800, &offset, &nbytes) && nbytes == 0x800);
	assert_true(snag_regions_mark(r, 0x30000, &offset, &nbytes) && nbytes == 0x1000);
	snag_regions_free(r);
	snag_regions_free(NULL);
	snag_symbols_free(symbols);
}

enum { BLOCKS = 400 };

static uint64_t state = 3;

static uint64_t below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

/* Blocks come and go in a small space, small and large ones; each live one must be found. */
static void random_blocks(void **unused)
{
	struct snag_symbols *symbols = snag_symbols_new();
	struct snag_regions *r = snag_regions_new(symbols);
	static struct {
		uint64_t addr, nbytes;
		bool is_live;
	} block[BLOCKS];
	for (unsigned n = 0; n < BLOCKS; n++) {
		uint64_t nbytes = below(8) ? 16 * (1 + below(20)) : 16 * below(20000) + 16;
		uint64_t addr = 0x100000 + 16 * below(100000);
		for (unsigned k = 0; k < n; k++) { /* an allocator reuses only what was freed */
			if (!block[k].is_live || block[k].addr >= addr + nbytes ||
			    addr >= block[k].addr + block[k].nbytes)
				continue;
			assert_int_equal(snag_regions_dealloc(r, block[k].addr, 1, 7),
					 block[k].nbytes);
			block[k].is_live = false;
		}
		snag_regions_alloc(r, addr, nbytes, 2, 7);
		block[n].addr = addr;
		block[n].nbytes = nbytes;
		block[n].is_live = true;
		for (unsigned k = 0; k <= n; k++) {
			char expected[64];
			uint64_t offset = below(block[k].nbytes);
			if (!block[k].is_live)
				continue;
			int len = snprintf(expected, sizeof(expected), "heap#%u:%llu@7,T2", k,
					   (unsigned long long)block[k].nbytes);
			if (offset)
				snprintf(expected + len, sizeof(expected) - (size_t)len, "+0x%llx",
					 (unsigned long long)offset);
			assert_string_equal(name_at(r, block[k].addr + offset), expected);
		}
	}
	snag_regions_free(r);
	snag_symbols_free(symbols);
}

/* What an address was named after is gone for good once another block has been there: one
 * that came first is forgotten, whether it was freed or not.
 */
static void no_way_back(void **unused)
{
	enum { UNITS = 20000, LOW = 0x100000 };
	static unsigned owner[UNITS]; /* of 16 bytes: number of the last block there, + 1 */
	struct snag_symbols *symbols = snag_symbols_new();
	struct snag_regions *r = snag_regions_new(symbols);
	for (unsigned n = 0; n < 1000; n++) {
		uint64_t units = below(4) ? 1 + below(700) : 4096 + below(4000);
		uint64_t first = below(UNITS - units);
		snag_regions_alloc(r, LOW + 16 * first, 16 * units, 2, 7);
		for (uint64_t i = first; i < first + units; i++)
			owner[i] = n + 1;
		assert_true(strstr(name_at(r, LOW + 16 * (first + below(units))), "heap#"));
		if (below(2))
			assert_int_equal(snag_regions_dealloc(r, LOW + 16 * first, 1, 7),
					 16 * units);
		for (unsigned k = 0; k < 100; k++) {
			uint64_t unit = below(UNITS);
			unsigned number;
			if (sscanf(name_at(r, LOW + 16 * unit), "heap#%u", &number) == 1)
				assert_int_equal(number + 1, owner[unit]);
		}
	}
	snag_regions_free(r);
	snag_symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(random_blocks),
		cmocka_unit_test(no_way_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
