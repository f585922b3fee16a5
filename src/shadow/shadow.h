/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.h - the variables of memory: maps the bytes at an address to dense numbers
 *
 * Idea.   Detectors know variables by dense numbers.  Bytes that were always accessed together
 *         have the same past, so they are one variable: a page of 4096 bytes, a line of 64, a
 *         part of 8 (or 4, depending on the first access of the page), or a grain of a part: 4,
 *         2 or 1 bytes.  An access to some of the bytes of a variable first divides it.
 *         Variables that have become alike are united again.
 *
 * State.  root[]  by the upper bits of the address: leaves of 16 MB, made when needed
 *         leaf    its pages, and which of them may have been accessed since they were new
 *         page    is_whole: one variable.  Otherwise each of its lines is in one of four states:
 *                   new      not accessed since it was new
 *                   solid    one variable; those of the lines of a page are side by side
 *                   ready    a variable for each part: the state for single accesses
 *                   broken   likewise, but some parts are divided into grains
 *
 * Rules.  [open]   before an access to less: a whole page becomes solid lines; a solid line
 *                  becomes ready, perhaps with parts of 4 bytes
 *         [break]  before an access to some bytes of a part: a variable for each grain.  The user
 *                  of the map chooses their size; all grains of a part have the same
 *         [unite]  after an access: grains of one past become a part, parts a line, lines a page
 *         A variable that no memory maps to at the time has no past.
 * Cost.   56 bytes per page within 16 MB of an accessed one.  Forgetting costs what was
 *         accessed, not the size of the forgotten memory: the stack of a task is a megabyte, of
 *         which it uses a few lines.
 */
#ifndef SNAG_SHADOW_SHADOW_H
#define SNAG_SHADOW_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHADOW_PAGE_LOG = 12,
	SHADOW_LINE_LOG = 6,
	SHADOW_LEAF_LOG = 12,
	SHADOW_PAGE = 1 << SHADOW_PAGE_LOG,
	SHADOW_LINE = 1 << SHADOW_LINE_LOG,
	SHADOW_PART_LOG = 3,		      /* of parts, unless the first access is to 4 bytes */
	SHADOW_GRAINS = 1 << SHADOW_PART_LOG, /* of a part, at most */
	SHADOW_RECENT = 16,
	SHADOW_ROOT = 1 << (48 - SHADOW_PAGE_LOG - SHADOW_LEAF_LOG - 12),
};

/* Of a page: some of it was reused; it contains the end of a stack, where hardly anything is
 * part of a range. */
enum shadow_reuse { SHADOW_AGAIN = 1, SHADOW_STACK = 2, SHADOW_USER = 4 /* the user's own */ };

struct shadow_page {
	uint32_t first;		       /* the variable of its first part; 0: parts have none */
	uint32_t lines;		       /* the variable of its first line; 0: lines have none */
	uint32_t whole;		       /* the variable of the page; 0: it has none */
	uint8_t part_log;	       /* of the bytes of a part: 3 or 2 */
	uint8_t reuse;		       /* enum shadow_reuse, by bit */
	uint8_t is_whole;	       /* then none of its lines is in a state */
	uint8_t has_lasting;	       /* reads of it may be left out: [lasting] of access.h */
	uint64_t ready, solid, broken; /* lines, by state */
	uint32_t *grains;	       /* by part: the variable of its first grain, a multiple of
					* GRAINS, and the log2 of the bytes of a grain; 0: it has
					* no grains.  NULL: no part has */
	uint32_t nbroken;	       /* parts that are divided into grains */
};

struct shadow_leaf {
	/* A bit for each page: it may have memory that is not new. */
	uint64_t pages[(1 << SHADOW_LEAF_LOG) / 64];
	struct shadow_page page[1 << SHADOW_LEAF_LOG];
};

struct shadow {
	struct shadow_recent { /* leaves that were used, by their numbers: a cache */
		uint64_t key;  /* 1 + the number; 0: none */
		struct shadow_leaf *leaf;
	} recent[SHADOW_RECENT];
	struct shadow_leaf **root[SHADOW_ROOT];
	uint32_t nvariables; /* numbers in use; 0 is never used */
	uint32_t *spare;     /* blocks of SHADOW_GRAINS that are no longer used */
	size_t nspare, spare_cap;
	uint64_t nforgotten; /* pages that had something lasting, when some of them became new */
	/* Ends the past of these variables. */
	void (*forget)(void *ctx, uint32_t first, uint32_t n);
	/* Gives these variables, which have no past, that of `from`. */
	void (*spread)(void *ctx, uint32_t from, uint32_t first, uint32_t n);
	/* Returns whether n variables have one past. */
	bool (*is_same)(void *ctx, uint32_t first, uint32_t n);
	void (*more)(void *ctx); /* numbers were given out */
	void *ctx;
};

struct shadow_leaf *shadow_leaf_slow(struct shadow *s, uint64_t address);

/* Returns whether the leaf of an address was used lately; if so, also which it is. */
static inline bool shadow_is_recent(const struct shadow *s, uint64_t address,
				    struct shadow_leaf **ret_leaf)
{
	uint64_t number = address >> (SHADOW_PAGE_LOG + SHADOW_LEAF_LOG);
	const struct shadow_recent *r = &s->recent[number % SHADOW_RECENT];
	*ret_leaf = r->leaf;
	return __builtin_expect(r->key == number + 1, 1);
}

static inline struct shadow_leaf *shadow_leaf(struct shadow *s, uint64_t address)
{
	struct shadow_leaf *leaf;
	return shadow_is_recent(s, address, &leaf) ? leaf : shadow_leaf_slow(s, address);
}

static inline struct shadow_page *shadow_page_in(struct shadow_leaf *leaf, uint64_t address)
{
	return &leaf->page[address >> SHADOW_PAGE_LOG & ((1 << SHADOW_LEAF_LOG) - 1)];
}

static inline struct shadow_page *shadow_page(struct shadow *s, uint64_t address)
{
	return shadow_page_in(shadow_leaf(s, address), address);
}

/* NULL: its leaf was not used lately. */
static inline struct shadow_page *shadow_page_recent(const struct shadow *s, uint64_t address)
{
	struct shadow_leaf *leaf;
	return shadow_is_recent(s, address, &leaf) ? shadow_page_in(leaf, address) : NULL;
}

static inline uint64_t shadow_line_bit(uint64_t address)
{
	return UINT64_C(1) << (address >> SHADOW_LINE_LOG & 63);
}

/* The lines from `low` up to `high`, addresses within a page. */
static inline uint64_t shadow_lines_between(uint64_t low, uint64_t high)
{
	uint64_t first = low >> SHADOW_LINE_LOG, n = (high >> SHADOW_LINE_LOG) - first;
	return n >= 64 ? ~UINT64_C(0) : ((UINT64_C(1) << n) - 1) << (first & 63);
}

/* Those of the bytes from `first` to `last`, addresses within a page. */
static inline uint64_t shadow_lines_of(uint64_t first, uint64_t last)
{
	return (shadow_line_bit(last) << 1) - shadow_line_bit(first);
}

/* Of a page that is not whole, the lines that are not new. */
static inline uint64_t shadow_touched(const struct shadow_page *page)
{
	return page->ready | page->solid | page->broken;
}

/* Notes that the page of an address is not all new. */
static inline void shadow_touch(struct shadow_leaf *leaf, uint64_t address)
{
	uint64_t number = address >> SHADOW_PAGE_LOG & ((1 << SHADOW_LEAF_LOG) - 1);
	leaf->pages[number / 64] |= UINT64_C(1) << number % 64;
}

/* [open] Makes a new line ready, if the parts of the page have variables; otherwise returns
 * false. */
static inline bool shadow_open_new(struct shadow_leaf *leaf, struct shadow_page *page,
				   uint64_t address)
{
	uint64_t bit = shadow_line_bit(address);
	if (page->is_whole || !page->first || ((page->solid | page->broken) & bit))
		return false;
	page->ready |= bit;
	shadow_touch(leaf, address);
	return true;
}

/* Returns whether an access of `size` bytes, inside a line, touches whole variables, or will do
 * so on a new line: those from shadow_variable() on, one for each part. */
static inline bool shadow_is_ready(struct shadow *s, struct shadow_page *page, uint64_t address,
				   unsigned size)
{
	if ((address | size) & ((1u << page->part_log) - 1))
		return false;
	return (page->ready & shadow_line_bit(address)) ||
	       shadow_open_new(shadow_leaf(s, address), page, address);
}

static inline uint32_t shadow_variable(const struct shadow_page *page, uint64_t address)
{
	return page->first + (uint32_t)((address & (SHADOW_PAGE - 1)) >> page->part_log);
}

void shadow_open_slow(struct shadow *s, struct shadow_page *page, uint64_t address, unsigned size);

/* [open] Makes the line of an access ready, or broken.  On a new page, or on one that was never
 * divided into grains, the parts get the size of the access, unless it is one of bytes. */
static inline void shadow_open(struct shadow *s, struct shadow_page *page, uint64_t address,
			       unsigned size)
{
	bool is_open = (page->ready | page->broken) & shadow_line_bit(address);
	if (!is_open || ((address | size) % 8 == 4 && page->part_log == 3 && !page->grains))
		shadow_open_slow(s, page, address, size);
}

/* Returns the variable that stands for more than the part at an address, or 0. */
static inline uint32_t shadow_above(const struct shadow_page *page, uint64_t address)
{
	if (page->is_whole)
		return page->whole;
	return page->solid & shadow_line_bit(address)
		       ? page->lines + (uint32_t)(address >> SHADOW_LINE_LOG & 63)
		       : 0;
}

/* Of a part of an open line: the variable of its first grain, or 0: it has no grains. */
static inline uint32_t shadow_grains(const struct shadow_page *page, uint32_t part)
{
	return page->grains ? page->grains[part] & -(uint32_t)SHADOW_GRAINS : 0;
}

/* Of a part with grains: log2 of the bytes of a grain. */
static inline uint32_t shadow_grain_log(const struct shadow_page *page, uint32_t part)
{
	return page->grains[part] & (SHADOW_GRAINS - 1);
}

/* Of a part with grains: how many. */
static inline uint32_t shadow_ngrains(const struct shadow_page *page, uint32_t part)
{
	return 1u << (page->part_log - shadow_grain_log(page, part));
}

/* [break] Gives a part grains of at most 2^log bytes, if it has none yet, or larger ones.  Returns
 * the variable of the first. */
uint32_t shadow_break(struct shadow *s, struct shadow_page *page, uint32_t part, uint32_t log);
/* [unite] If the variables concerned have one past. */
void shadow_unite_grains(struct shadow *s, struct shadow_page *page, uint32_t part);
void shadow_unite_line(struct shadow *s, struct shadow_page *page, uint32_t line);
void shadow_unite_page(struct shadow *s, struct shadow_page *page);

/* Returns the variable of a page, if it is whole or new; otherwise 0. */
uint32_t shadow_whole(struct shadow *s, struct shadow_page *page, uint64_t address);
/* [open] Makes a page one of lines, so that its new and solid lines can be accessed as such; the
 * new ones become solid. */
void shadow_lines(struct shadow *s, struct shadow_page *page, uint64_t address, uint64_t lines);

/* Whether the line of an address was accessed since it was new. */
static inline bool shadow_is_touched(struct shadow *s, uint64_t address)
{
	const struct shadow_page *page = shadow_page(s, address);
	return page->is_whole || (shadow_touched(page) & shadow_line_bit(address));
}

/* A number that no memory maps to. */
uint32_t shadow_number_new(struct shadow *s);

/* Calls visit() for every page of these bytes that may be not all new. */
void shadow_visit(struct shadow *s, uint64_t address, uint64_t nbytes,
		  void (*visit)(void *ctx, struct shadow_page *page, uint64_t start), void *ctx);

/* Returns all that this map allocated.  It is empty then. */
void shadow_done(struct shadow *s);

void shadow_forget_slow(struct shadow *s, uint64_t address, uint64_t nbytes, bool is_stack);
/* Of a page that is not whole, the bytes from `low` up to `high`. */
void shadow_forget_lines(struct shadow *s, struct shadow_page *page, uint32_t low, uint32_t high);

/* Starts the memory, a stack or not, afresh.  For parts that reach beyond it, their other bytes
 * too, unless they are divided.  Returns false if it was new already. */
static inline __attribute__((always_inline)) bool shadow_forget(struct shadow *s, uint64_t address,
								uint64_t nbytes, bool is_stack)
{
	const uint64_t last = address + nbytes - 1;
	struct shadow_leaf *leaf;
	if (!shadow_is_recent(s, address, &leaf) || (address ^ last) >> SHADOW_PAGE_LOG ||
	    shadow_page_in(leaf, address)->is_whole) {
		shadow_forget_slow(s, address, nbytes, is_stack);
		return true;
	}
	struct shadow_page *page = shadow_page_in(leaf, address);
	page->reuse |= is_stack ? SHADOW_STACK : 0;
	if (!shadow_touched(page) || !(shadow_touched(page) & shadow_lines_of(address, last)))
		return false;
	shadow_forget_lines(s, page, address % SHADOW_PAGE, (uint32_t)(last % SHADOW_PAGE) + 1);
	return true;
}

#endif
