/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.c - the variables of memory: which dense numbers the bytes at an address have
 */
#include "inside/shadow.h"

#include "base/memory.h"

enum {
	PAGE = 1 << SHADOW_PAGE_LOG,
	LINE = 1 << SHADOW_LINE_LOG,
	LEAF = 1 << SHADOW_LEAF_LOG,
	BRANCH = 1 << 12
};

struct shadow_leaf *shadow_leaf_slow(struct shadow *s, uint64_t address)
{
	uint64_t key = address >> (SHADOW_PAGE_LOG + SHADOW_LEAF_LOG);
	struct shadow_leaf ***branch = &s->root[key / BRANCH % SHADOW_ROOT];
	if (!*branch)
		*branch = snag_calloc(BRANCH, sizeof(**branch));
	struct shadow_leaf **leaf = &(*branch)[key % BRANCH];
	if (!*leaf)
		*leaf = snag_calloc(1, sizeof(**leaf));
	s->last_key = key;
	return s->last = *leaf;
}

static uint32_t numbers_take(struct shadow *s, uint32_t n)
{
	uint32_t first = s->nvariables ? s->nvariables : 1;
	s->nvariables = first + n;
	s->more(s->ctx);
	return first;
}

void shadow_touch_slow(struct shadow *s, struct shadow_leaf *leaf, uint64_t address)
{
	uint64_t number = address >> SHADOW_PAGE_LOG & (LEAF - 1);
	struct shadow_page *page = &leaf->page[number];
	if (!page->first) {
		page->part_log = SHADOW_PART_LOG;
		page->first = numbers_take(s, PAGE >> SHADOW_PART_LOG);
	}
	page->lines |= UINT64_C(1) << (address >> SHADOW_LINE_LOG & 63);
	leaf->pages[number / 64] |= UINT64_C(1) << number % 64;
}

void shadow_divide(struct shadow *s, struct shadow_page *page, uint64_t address, unsigned size)
{
	uint32_t log = (address | size) % 4 == 0 ? 2 : 0, n = PAGE >> page->part_log;
	uint32_t to = numbers_take(s, PAGE >> log);
	s->split(s->ctx, page->first, n, to, 1u << (page->part_log - log));
	page->first = to;
	page->part_log = log;
}

/* Of one page, the bytes from `low` up to `high`; parts that reach beyond go too: they belong to
 * what ends or begins there. */
static void page_forget(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high)
{
	const uint32_t log = page->part_log;
	for (uint32_t at = low; at < high;) {
		uint32_t line = at >> SHADOW_LINE_LOG;
		uint64_t rest = page->lines >> line;
		if (!rest)
			break;
		if (!(rest & 1)) {
			at = (line + (uint32_t)__builtin_ctzll(rest)) << SHADOW_LINE_LOG;
			continue;
		}
		uint32_t end = (line + 1) << SHADOW_LINE_LOG;
		if (at % LINE == 0 && end <= high)
			page->lines &= ~(UINT64_C(1) << line);
		end = end < high ? end : high;
		uint32_t from = at >> log, to = (end + (1u << log) - 1) >> log;
		s->forget(s->ctx, page->first + from, to - from);
		at = end;
	}
}

/* Of one leaf; addresses within it. */
static void leaf_forget(struct shadow *s, struct shadow_leaf *leaf, uint64_t low, uint64_t high)
{
	uint64_t last = (high - 1) >> SHADOW_PAGE_LOG;
	for (uint64_t number = low >> SHADOW_PAGE_LOG; number <= last;) {
		uint64_t rest = leaf->pages[number / 64] >> number % 64;
		if (!(rest & 1)) {
			number = rest ? number + (uint64_t)__builtin_ctzll(rest)
				      : (number / 64 + 1) * 64;
			continue;
		}
		struct shadow_page *page = &leaf->page[number];
		uint64_t start = number << SHADOW_PAGE_LOG;
		page_forget(s, page, low > start ? (uint32_t)(low - start) : 0,
			    high - start < PAGE ? (uint32_t)(high - start) : PAGE);
		if (!page->lines)
			leaf->pages[number / 64] &= ~(UINT64_C(1) << number % 64);
		number++;
	}
}

void shadow_forget(struct shadow *s, uint64_t address, uint64_t nbytes)
{
	const uint64_t leaf_bytes = (uint64_t)LEAF * PAGE;
	uint64_t end = address + nbytes;
	while (address < end) {
		uint64_t key = address / leaf_bytes, start = key * leaf_bytes;
		uint64_t here = end - start < leaf_bytes ? end - start : leaf_bytes;
		struct shadow_leaf **branch = s->root[key / BRANCH % SHADOW_ROOT];
		struct shadow_leaf *leaf = branch ? branch[key % BRANCH] : NULL;
		if (leaf)
			leaf_forget(s, leaf, address - start, here);
		address = start + here;
	}
}
