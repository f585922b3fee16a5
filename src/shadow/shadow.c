/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.c - the variables of memory: maps the bytes at an address to dense numbers
 */
#include "shadow/shadow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = SHADOW_PAGE,
	LINE = SHADOW_LINE,
	LINES = PAGE / LINE,
	LEAF = 1 << SHADOW_LEAF_LOG,
	BRANCH = 1 << 12,
	PART_LOG = SHADOW_PART_LOG,
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
	s->recent[key % SHADOW_RECENT] = (struct shadow_recent){key + 1, *leaf};
	return *leaf;
}

static uint32_t numbers_take(struct shadow *s, uint32_t n)
{
	uint32_t first = s->nvariables ? s->nvariables : 1;
	if (n > 1) /* a line's begin with a line of the detector's */
		first = (first + 7) & ~7u;
	s->nvariables = first + n;
	s->more(s->ctx);
	return first;
}

static uint32_t parts_of_line(const struct shadow_page *page)
{
	return LINE >> page->part_log;
}

static uint32_t line_first(const struct shadow_page *page, uint32_t line)
{
	return page->first + line * parts_of_line(page);
}

static void parts_take(struct shadow *s, struct shadow_page *page, uint32_t part_log)
{
	page->part_log = (uint16_t)part_log;
	page->first = numbers_take(s, PAGE >> part_log);
}

/* Of a page without grains, parts of 8 bytes become parts of 4. */
static void parts_halve(struct shadow *s, struct shadow_page *page)
{
	uint32_t old = page->first, n = PAGE >> PART_LOG;
	parts_take(s, page, PART_LOG - 1);
	for (uint32_t part = 0; part < n; part++)
		s->spread(s->ctx, old + part, page->first + 2 * part, 2);
	s->forget(s->ctx, old, n);
}

static void whole_open(struct shadow *s, struct shadow_page *page)
{
	s->spread(s->ctx, page->whole, page->lines, LINES);
	s->forget(s->ctx, page->whole, 1);
	page->is_whole = false;
	page->solid = ~UINT64_C(0);
}

/* The page is made of lines. */
static void lines_open(struct shadow *s, struct shadow_page *page, uint64_t address)
{
	if (!page->lines)
		page->lines = numbers_take(s, LINES);
	if (page->is_whole)
		whole_open(s, page);
	shadow_touch(shadow_leaf(s, address), address);
}

void shadow_lines(struct shadow *s, struct shadow_page *page, uint64_t address, uint64_t lines)
{
	lines_open(s, page, address);
	page->solid |= lines & ~(page->ready | page->broken);
}

/* A line that is solid becomes ready. */
static void line_open(struct shadow *s, struct shadow_page *page, uint64_t bit)
{
	uint32_t line = (uint32_t)__builtin_ctzll(bit);
	if (!page->first)
		parts_take(s, page, PART_LOG);
	s->spread(s->ctx, page->lines + line, line_first(page, line), parts_of_line(page));
	s->forget(s->ctx, page->lines + line, 1);
	page->solid &= ~bit;
	page->ready |= bit;
}

void shadow_open_slow(struct shadow *s, struct shadow_page *page, uint64_t address,
		      unsigned size) /* [open] */
{
	uint64_t bit = shadow_line_bit(address);
	uint32_t part_log = (address | size) % 8 == 4 ? PART_LOG - 1 : PART_LOG;
	if (!page->first)
		parts_take(s, page, part_log);
	else if (part_log < page->part_log && !page->grains)
		parts_halve(s, page);
	lines_open(s, page, address);
	if (page->solid & bit)
		line_open(s, page, bit);
	if (!(page->broken & bit))
		page->ready |= bit;
}

static uint64_t line_of_part(const struct shadow_page *page, uint32_t part)
{
	return UINT64_C(1) << part / parts_of_line(page);
}

/* A part without grains gets some of 2^log bytes. */
static void grains_take(struct shadow *s, struct shadow_page *page, uint32_t part, uint32_t log)
{
	if (!page->grains)
		page->grains = snag_calloc(PAGE >> page->part_log, sizeof(*page->grains));
	uint32_t first = s->nspare ? s->spare[--s->nspare] : numbers_take(s, SHADOW_GRAINS);
	page->grains[part] = first | log;
	page->nbroken++;
	s->spread(s->ctx, page->first + part, first, shadow_ngrains(page, part));
	s->forget(s->ctx, page->first + part, 1);
	page->ready &= ~line_of_part(page, part);
	page->broken |= line_of_part(page, part);
}

/* Each grain becomes two, which lie where no other one is left: the last ones go first. */
static void grains_halve(struct shadow *s, struct shadow_page *page, uint32_t part)
{
	const uint32_t first = shadow_grains(page, part);
	for (uint32_t i = shadow_ngrains(page, part) - 1; i > 0; i--) {
		s->spread(s->ctx, first + i, first + 2 * i, 2);
		s->forget(s->ctx, first + i, 1);
	}
	s->spread(s->ctx, first, first + 1, 1);
	page->grains[part]--;
}

uint32_t shadow_break(struct shadow *s, struct shadow_page *page, uint32_t part,
		      uint32_t log) /* [break] */
{
	if (!shadow_grains(page, part))
		grains_take(s, page, part, log);
	while (shadow_grain_log(page, part) > log)
		grains_halve(s, page, part);
	return shadow_grains(page, part);
}

/* The grains of a part, which have no past, go. */
static void grains_give(struct shadow *s, struct shadow_page *page, uint32_t part)
{
	s->spare = snag_grow(s->spare, &s->spare_cap, s->nspare + 1, sizeof(*s->spare));
	s->spare[s->nspare++] = shadow_grains(page, part);
	page->grains[part] = 0;
	page->nbroken--;
	uint32_t n = parts_of_line(page), first = part / n * n;
	for (uint32_t i = 0; i < n; i++)
		if (page->grains[first + i])
			return;
	page->broken &= ~line_of_part(page, part);
	page->ready |= line_of_part(page, part);
}

void shadow_unite_grains(struct shadow *s, struct shadow_page *page, uint32_t part) /* [unite] */
{
	const uint32_t first = shadow_grains(page, part), n = shadow_ngrains(page, part);
	if (!s->is_same(s->ctx, first, n))
		return;
	s->spread(s->ctx, first, page->first + part, 1);
	s->forget(s->ctx, first, n);
	grains_give(s, page, part);
}

void shadow_unite_line(struct shadow *s, struct shadow_page *page, uint32_t line) /* [unite] */
{
	uint64_t bit = UINT64_C(1) << line;
	uint32_t first = line_first(page, line), n = parts_of_line(page);
	if (!(page->ready & bit) || !s->is_same(s->ctx, first, n))
		return;
	s->spread(s->ctx, first, page->lines + line, 1);
	s->forget(s->ctx, first, n);
	page->ready &= ~bit;
	page->solid |= bit;
}

void shadow_unite_page(struct shadow *s, struct shadow_page *page) /* [unite] */
{
	if (~page->solid || !s->is_same(s->ctx, page->lines, LINES))
		return;
	if (!page->whole)
		page->whole = numbers_take(s, 1);
	s->spread(s->ctx, page->lines, page->whole, 1);
	s->forget(s->ctx, page->lines, LINES);
	page->solid = 0;
	page->is_whole = true;
}

uint32_t shadow_whole(struct shadow *s, struct shadow_page *page, uint64_t address)
{
	if (page->is_whole)
		return page->whole;
	if (shadow_touched(page))
		return 0;
	if (!page->whole)
		page->whole = numbers_take(s, 1);
	page->is_whole = true;
	shadow_touch(shadow_leaf(s, address), address);
	return page->whole;
}

/* Forgets, of ready or new lines, the bytes from `low` up to `high`, which begin or end inside
 * one. If some parts of a line now have no past, the line becomes new only if none has any. */
static __attribute__((noinline)) void some_forget(struct shadow *s, struct shadow_page *page,
						  uint32_t low, uint32_t high)
{
	const uint32_t log = page->part_log, n = parts_of_line(page);
	uint32_t part = low >> log, line = low / LINE, end = (high - 1) / LINE + 1;
	s->forget(s->ctx, page->first + part, ((high - 1) >> log) + 1 - part);
	if (low % LINE && !s->is_same(s->ctx, line_first(page, line), n))
		line++;
	if (high % LINE && line < end && !s->is_same(s->ctx, line_first(page, end - 1), n))
		end--;
	page->ready &= ~shadow_lines_between(line * LINE, end * LINE);
}

static void ready_forget(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high)
{
	if ((low | high) % LINE) {
		some_forget(s, page, low, high);
		return;
	}
	page->ready &= ~shadow_lines_between(low, high);
	s->forget(s->ctx, page->first + (low >> page->part_log), (high - low) >> page->part_log);
}

/* Bytes of a line that is broken. */
static void broken_forget(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high)
{
	const uint32_t log = page->part_log;
	for (uint32_t part = low >> log; part << log < high; part++) {
		const uint32_t at = part << log, end = at + (1u << log);
		const uint32_t from = at < low ? low : at, to = end < high ? end : high;
		if (!shadow_grains(page, part)) {
			s->forget(s->ctx, page->first + part, 1);
			continue;
		}
		if ((from | to) & ((1u << shadow_grain_log(page, part)) - 1))
			shadow_break(s, page, part, 0);
		const uint32_t grain_log = shadow_grain_log(page, part);
		s->forget(s->ctx, shadow_grains(page, part) + ((from - at) >> grain_log),
			  (to - from) >> grain_log);
		if (to - from == end - at)
			grains_give(s, page, part);
	}
	if (high - low == LINE) /* then it is ready */
		page->ready &= ~shadow_line_bit(low);
}

/* Bytes of a line that is solid. */
static void solid_forget(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high)
{
	uint64_t bit = shadow_line_bit(low);
	if (high - low < LINE) {
		line_open(s, page, bit);
		ready_forget(s, page, low, high);
		return;
	}
	s->forget(s->ctx, page->lines + low / LINE, 1);
	page->solid &= ~bit;
}

static __attribute__((noinline)) void lines_forget(struct shadow *s, struct shadow_page *page,
						   uint64_t lines, uint32_t low, uint32_t high)
{
	for (; lines; lines &= lines - 1) {
		const uint32_t line = (uint32_t)__builtin_ctzll(lines), begin = line * LINE;
		const uint32_t from = begin < low ? low : begin;
		const uint32_t to = begin + LINE < high ? begin + LINE : high;
		if (page->ready >> line & 1)
			ready_forget(s, page, from, to);
		else if (page->solid >> line & 1)
			solid_forget(s, page, from, to);
		else
			broken_forget(s, page, from, to);
	}
}

void shadow_forget_lines(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high)
{
	const uint64_t lines = shadow_touched(page) & shadow_lines_of(low, high - 1);
	s->nforgotten += page->has_lasting;
	page->has_lasting = false;
	page->reuse |= SHADOW_AGAIN;
	if (!lines)
		return;
	if (lines & ~page->ready) {
		lines_forget(s, page, lines, low, high);
		return;
	}
	const uint32_t begin = (uint32_t)__builtin_ctzll(lines) * LINE;
	const uint32_t end = PAGE - (uint32_t)__builtin_clzll(lines) * LINE;
	ready_forget(s, page, begin < low ? low : begin, end < high ? end : high);
}

/* Of one page at `start`, the bytes from `low` up to `high`. */
static void page_forget(struct shadow *s, struct shadow_page *page, uint64_t start, uint32_t low,
			uint32_t high)
{
	if (page->is_whole && high - low == PAGE) {
		s->forget(s->ctx, page->whole, 1);
		page->is_whole = false;
	} else if (page->is_whole) {
		lines_open(s, page, start);
	}
	shadow_forget_lines(s, page, low, high);
}

/* The first page of a leaf, from this one on, that may be not all new. */
static uint64_t page_next(const struct shadow_leaf *leaf, uint64_t number)
{
	while (number < LEAF) {
		uint64_t rest = leaf->pages[number / 64] >> number % 64;
		if (rest)
			return number + (uint64_t)__builtin_ctzll(rest);
		number = (number / 64 + 1) * 64;
	}
	return LEAF;
}

/* Of one leaf at `base`; addresses within it. */
static void leaf_forget(struct shadow *s, struct shadow_leaf *leaf, uint64_t base, uint64_t low,
			uint64_t high)
{
	uint64_t last = (high - 1) >> SHADOW_PAGE_LOG;
	for (uint64_t number = low >> SHADOW_PAGE_LOG;;) {
		number = page_next(leaf, number);
		if (number > last)
			break;
		struct shadow_page *page = &leaf->page[number];
		uint64_t start = number << SHADOW_PAGE_LOG;
		page_forget(s, page, base + start, low > start ? (uint32_t)(low - start) : 0,
			    high - start < PAGE ? (uint32_t)(high - start) : PAGE);
		if (!page->is_whole && !shadow_touched(page))
			leaf->pages[number / 64] &= ~(UINT64_C(1) << number % 64);
		number++;
	}
}

void shadow_forget_slow(struct shadow *s, uint64_t address, uint64_t nbytes, bool is_stack)
{
	const uint64_t leaf_bytes = (uint64_t)LEAF * PAGE;
	uint64_t end = address + nbytes;
	if (is_stack)
		shadow_page(s, end - 1)->reuse |= SHADOW_STACK;
	while (address < end) {
		uint64_t key = address / leaf_bytes, start = key * leaf_bytes;
		uint64_t here = end - start < leaf_bytes ? end - start : leaf_bytes;
		struct shadow_leaf **branch = s->root[key / BRANCH % SHADOW_ROOT];
		struct shadow_leaf *leaf = branch ? branch[key % BRANCH] : NULL;
		if (leaf)
			leaf_forget(s, leaf, start, address - start, here);
		address = start + here;
	}
}

uint32_t shadow_number_new(struct shadow *s)
{
	return numbers_take(s, 1);
}

void shadow_visit(struct shadow *s, uint64_t address, uint64_t nbytes,
		  void (*visit)(void *ctx, struct shadow_page *page, uint64_t start), void *ctx)
{
	const uint64_t leaf_log = SHADOW_PAGE_LOG + SHADOW_LEAF_LOG, last = address + nbytes - 1;
	for (uint64_t key = address >> leaf_log; key <= last >> leaf_log; key++) {
		struct shadow_leaf **branch = s->root[key / BRANCH % SHADOW_ROOT];
		struct shadow_leaf *leaf = branch ? branch[key % BRANCH] : NULL;
		uint64_t base = key << leaf_log;
		if (!branch)
			key |= BRANCH - 1;
		if (!leaf)
			continue;
		uint64_t low = address > base ? (address - base) >> SHADOW_PAGE_LOG : 0;
		uint64_t high = last - base < (UINT64_C(1) << leaf_log)
					? (last - base) >> SHADOW_PAGE_LOG
					: LEAF - 1;
		for (uint64_t n = page_next(leaf, low); n <= high; n = page_next(leaf, n + 1))
			visit(ctx, &leaf->page[n], base + (n << SHADOW_PAGE_LOG));
	}
}

static void leaf_free(struct shadow_leaf *leaf)
{
	for (size_t i = 0; leaf && i < LEAF; i++)
		free(leaf->page[i].grains);
	free(leaf);
}

void shadow_done(struct shadow *s)
{
	for (size_t i = 0; i < SHADOW_ROOT; i++) {
		for (size_t k = 0; s->root[i] && k < BRANCH; k++)
			leaf_free(s->root[i][k]);
		free(s->root[i]);
		s->root[i] = NULL;
	}
	free(s->spare);
	memset(s->recent, 0, sizeof(s->recent));
	s->spare = NULL;
	s->nspare = s->spare_cap = 0;
}
