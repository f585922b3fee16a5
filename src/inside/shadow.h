/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.h - the variables of memory: which dense numbers the bytes at an address have
 *
 * Idea.   Detectors know variables by dense numbers.  A page of 4096 bytes that is accessed gets
 *         as many in a row as it has parts of 8 bytes; when an access touches less than such a
 *         part, the page is divided into parts of 4 bytes, or of 1, so that neighbours are never
 *         taken for one.
 *
 * State.  root[]  by the upper bits of the address: leaves of 16 MB, made when needed
 *         leaf    a page each: its first number, the size of its parts, and which of its 64 lines
 *                 of 64 bytes were accessed since they were new; which pages have such a line
 * Cost.   16 bytes per page that lies within 16 MB of an accessed one.  Forgetting costs by
 *         what was accessed, not by the size of what is forgotten: the stack of a task is a megabyte,
 *         of which it uses a few lines.
 */
#ifndef SNAG_INSIDE_SHADOW_H
#define SNAG_INSIDE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHADOW_PAGE_LOG = 12,
	SHADOW_LINE_LOG = 6,
	SHADOW_LEAF_LOG = 12,
	SHADOW_PART_LOG = 3, /* of a page that was not divided */
	SHADOW_ROOT = 1 << (48 - SHADOW_PAGE_LOG - SHADOW_LEAF_LOG - 12),
};

struct shadow_page {
	uint32_t first;	   /* its first variable; 0: it has none yet */
	uint32_t part_log; /* of the bytes that are one variable: 3, 2 or 0 */
	uint64_t lines;	   /* accessed since they were forgotten */
};

struct shadow_leaf {
	uint64_t pages[(1 << SHADOW_LEAF_LOG) / 64]; /* that have lines */
	struct shadow_page page[1 << SHADOW_LEAF_LOG];
};

struct shadow {
	struct shadow_leaf **root[SHADOW_ROOT];
	uint64_t last_key; /* of the leaf used last */
	struct shadow_leaf *last;
	uint32_t nvariables; /* numbers given out; 0 is nobody's */
	/* The past of these variables is over; or each of n becomes `parts`, with its past. */
	void (*forget)(void *ctx, uint32_t first, uint32_t n);
	void (*split)(void *ctx, uint32_t first, uint32_t n, uint32_t to, uint32_t parts);
	void (*more)(void *ctx); /* numbers were given out */
	void *ctx;
};

struct shadow_leaf *shadow_leaf_slow(struct shadow *s, uint64_t address);
void shadow_touch_slow(struct shadow *s, struct shadow_leaf *leaf, uint64_t address);
/* Divides the page so that the access is one of whole variables. */
void shadow_divide(struct shadow *s, struct shadow_page *page, uint64_t address, unsigned size);

static inline struct shadow_leaf *shadow_leaf(struct shadow *s, uint64_t address)
{
	uint64_t key = address >> (SHADOW_PAGE_LOG + SHADOW_LEAF_LOG);
	return __builtin_expect(key == s->last_key, 1) ? s->last : shadow_leaf_slow(s, address);
}

/* The page of an address, with variables; the line of the address counts as accessed. */
static inline struct shadow_page *shadow_touch(struct shadow *s, uint64_t address)
{
	struct shadow_leaf *leaf = shadow_leaf(s, address);
	struct shadow_page *page =
		&leaf->page[address >> SHADOW_PAGE_LOG & ((1 << SHADOW_LEAF_LOG) - 1)];
	if (__builtin_expect(!(page->lines >> (address >> SHADOW_LINE_LOG & 63) & 1), 0))
		shadow_touch_slow(s, leaf, address);
	return page;
}

/* The same for all lines of a range within one page. */
static inline struct shadow_page *shadow_touch_range(struct shadow *s, uint64_t from, uint64_t to)
{
	struct shadow_page *page = shadow_touch(s, from);
	unsigned last = (unsigned)((to - 1) >> SHADOW_LINE_LOG & 63);
	page->lines |= ~UINT64_C(0) << (from >> SHADOW_LINE_LOG & 63) & ~UINT64_C(0) >> (63 - last);
	return page;
}

/* Whether the line of an address was accessed since it was new. */
static inline bool shadow_is_touched(struct shadow *s, uint64_t address)
{
	const struct shadow_leaf *leaf = shadow_leaf(s, address);
	return leaf->page[address >> SHADOW_PAGE_LOG & ((1 << SHADOW_LEAF_LOG) - 1)].lines >>
		       (address >> SHADOW_LINE_LOG & 63) &
	       1;
}

/* Whether an access of `size` bytes is one of whole variables of the page. */
static inline bool shadow_fits(const struct shadow_page *page, uint64_t address, unsigned size)
{
	return !((address | size) & ((1u << page->part_log) - 1));
}

static inline uint32_t shadow_variable(const struct shadow_page *page, uint64_t address)
{
	return page->first + (uint32_t)((address & ((1 << SHADOW_PAGE_LOG) - 1)) >> page->part_log);
}

/* The memory is new. */
void shadow_forget(struct shadow *s, uint64_t address, uint64_t nbytes);

#endif
