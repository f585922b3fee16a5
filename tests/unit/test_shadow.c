/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shadow.c - the variables of memory: random accesses and new memory, with the past of each byte kept
 * once by variables, as the shadow numbers them, and once by bytes.
 */
#include "unit.h"

#include "base/memory.h"
#include "inside/shadow.h"

#include <string.h>

enum { PLACES = 3, SPAN = 3 * 4096, STEPS = 20000 };

/* Across pages, leaves and branches. */
static const uint64_t place[PLACES] = {0x5555aaaa1000, 0x7fff00fff000 - 4096,
				       0x7ffffffff000 - SPAN};

/* The number of the last access, by variable and by byte; 0: none. */
static uint32_t *last;
static size_t last_cap;
static uint32_t of_byte[PLACES][SPAN];

static void on_more(void *ctx)
{
	const struct shadow *s = ctx;
	last = snag_grow(last, &last_cap, s->nvariables, sizeof(*last));
}

static void on_forget(void *ctx, uint32_t first, uint32_t n)
{
	memset(last + first, 0, n * sizeof(*last));
}

static void on_split(void *ctx, uint32_t first, uint32_t n, uint32_t to, uint32_t parts)
{
	for (uint32_t i = 0; i < n * parts; i++)
		last[to + i] = last[first + i / parts];
	on_forget(ctx, first, n);
}

static void word_write(struct shadow *s, uint64_t address, unsigned size, uint32_t now)
{
	struct shadow_page *page = shadow_touch(s, address);
	if (!shadow_fits(page, address, size))
		shadow_divide(s, page, address, size);
	for (uint32_t i = 0; i < size >> page->part_log; i++)
		last[shadow_variable(page, address) + i] = now;
}

/* Every byte that was accessed since it was new has the variable that was written then, alone or
 * with bytes written at the same time. */
static void all_agree(struct shadow *s)
{
	for (int p = 0; p < PLACES; p++)
		for (uint32_t at = 0; at < SPAN; at++) {
			uint64_t address = place[p] + at;
			if (!of_byte[p][at]) {
				if (shadow_is_touched(s, address))
					assert_int_equal(
						last[shadow_variable(shadow_touch(s, address),
								     address)],
						0);
				continue;
			}
			assert_true(shadow_is_touched(s, address));
			assert_int_equal(last[shadow_variable(shadow_touch(s, address), address)],
					 of_byte[p][at]);
		}
}

static void bytes_and_variables_agree(void **state)
{
	(void)state;
	static struct shadow s = {.last_key = UINT64_MAX};
	s.forget = on_forget;
	s.split = on_split;
	s.more = on_more;
	s.ctx = &s;
	uint32_t random = 1;
	for (uint32_t now = 1; now <= STEPS; now++) {
		random = random * 1664525 + 1013904223;
		unsigned p = random >> 8 & 0xff, k = random >> 16 & 3;
		uint32_t at = (random >> 20) * 37 % SPAN;
		p %= PLACES;
		if (now % 8 == 0) { /* new memory begins and ends with a word */
			uint32_t n = (random >> 10 & 0x3ff) * 8;
			at &= ~7u;
			n = n < SPAN - at ? n : SPAN - at;
			shadow_forget(&s, place[p] + at, n);
			memset(&of_byte[p][at], 0, n * sizeof(of_byte[p][0]));
		} else {
			/* mostly words, so that pages are divided late */
			unsigned size = now < STEPS / 2 || now % 64 ? 8 : 1u << k;
			at &= ~(size - 1);
			word_write(&s, place[p] + at, size, now);
			for (unsigned i = 0; i < size; i++)
				of_byte[p][at + i] = now;
		}
		if (now % 100 == 0)
			all_agree(&s);
	}
	free(last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_and_variables_agree)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
