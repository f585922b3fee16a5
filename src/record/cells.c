/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.c - memory accesses to variables
 */
#include "record/cells.h"

#include "base/memory.h"
#include "base/slots.h"

#include <string.h>

enum { PAGE_LOG = 14, PAGE = 1 << PAGE_LOG, PAGE_CELLS = PAGE / SNAG_CELL, NONE = 0 };
enum { RECENT = 4096 };
enum { SPLIT = 1, SHARED = 2 }; /* flags */

struct cell {
	uint32_t variable[2]; /* id + 1, NONE: none; with SPLIT the first is the number of a row */
	uint8_t mask[2];      /* the bytes of each; 0 with SPLIT */
	uint8_t owner;	      /* the thread that was here first, its low bits */
	uint8_t flags;
};

_Static_assert(sizeof(struct cell) == 12, "a cell is small");

struct page {
	uint64_t number;
	struct cell *cell; /* PAGE_CELLS of them */
};

struct row {
	uint32_t variable[SNAG_CELL]; /* id + 1 of each byte */
};

struct snag_cells {
	snag_cells_new_variable *make;
	void *ctx;
	struct page *page;
	size_t npages, page_cap;
	struct snag_slots slots;    /* of pages, by number */
	struct page recent[RECENT]; /* pages used lately, by number mod RECENT */
	struct row *row;
	size_t nrows, row_cap;
	uint32_t free_row; /* number of a row to use again, its first entry is the next; 0: none */
};

struct snag_cells *snag_cells_new(snag_cells_new_variable *make, void *ctx)
{
	struct snag_cells *c = snag_calloc(1, sizeof(*c));
	c->make = make;
	c->ctx = ctx;
	c->nrows = 1; /* row 0 is none */
	c->row = snag_grow(c->row, &c->row_cap, 1, sizeof(*c->row));
	return c;
}

void snag_cells_free(struct snag_cells *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->npages; i++)
		free(c->page[i].cell);
	free(c->page);
	snag_slots_done(&c->slots);
	free(c->row);
	free(c);
}

static uint64_t page_hash(const void *pages, uint32_t i)
{
	return snag_hash(((const struct page *)pages)[i].number, 0);
}

static bool page_equals(const void *pages, uint32_t i, const void *number)
{
	return ((const struct page *)pages)[i].number == *(const uint64_t *)number;
}

static struct cell *page_find(const struct snag_cells *c, uint64_t number)
{
	uint32_t i =
		snag_slots_find(&c->slots, snag_hash(number, 0), page_equals, c->page, &number);
	return i == SNAG_SLOTS_NONE ? NULL : c->page[i].cell;
}

static struct cell *page_new(struct snag_cells *c, uint64_t number)
{
	c->page = snag_grow(c->page, &c->page_cap, c->npages + 1, sizeof(*c->page));
	c->page[c->npages] = (struct page){number, snag_calloc(PAGE_CELLS, sizeof(struct cell))};
	snag_slots_add(&c->slots, (uint32_t)c->npages, page_hash, c->page);
	return c->page[c->npages++].cell;
}

static inline struct cell *cell_at(struct snag_cells *c, uint64_t addr)
{
	uint64_t number = addr >> PAGE_LOG;
	struct page *recent = &c->recent[number % RECENT];
	if (!recent->cell || recent->number != number) {
		struct cell *page = page_find(c, number);
		*recent = (struct page){number, page ? page : page_new(c, number)};
	}
	return &recent->cell[addr % PAGE / SNAG_CELL];
}

static uint32_t row_new(struct snag_cells *c)
{
	uint32_t number = c->free_row;
	if (number) {
		c->free_row = c->row[number].variable[0];
	} else {
		c->row = snag_grow(c->row, &c->row_cap, c->nrows + 1, sizeof(*c->row));
		number = (uint32_t)c->nrows++;
	}
	memset(&c->row[number], 0, sizeof(c->row[number]));
	return number;
}

static void cell_forget(struct snag_cells *c, struct cell *cell)
{
	if (cell->flags & SPLIT) {
		c->row[cell->variable[0]].variable[0] = c->free_row;
		c->free_row = cell->variable[0];
	}
	memset(cell, 0, sizeof(*cell));
}

/* The variables become a row. */
static void cell_split(struct snag_cells *c, struct cell *cell)
{
	uint32_t number = row_new(c);
	for (unsigned i = 0; i < SNAG_CELL; i++)
		for (unsigned k = 0; k < 2; k++)
			if (cell->mask[k] >> i & 1)
				c->row[number].variable[i] = cell->variable[k];
	*cell = (struct cell){
		.variable = {number}, .owner = cell->owner, .flags = cell->flags | SPLIT};
}

/* A variable of the row meets the access in part: the rest of it becomes a new one. */
static void rest_separate(struct snag_cells *c, uint32_t number, uint32_t variable, uint8_t mask,
			  uint64_t base)
{
	uint32_t rest = NONE;
	for (unsigned i = 0; i < SNAG_CELL; i++) {
		if (c->row[number].variable[i] != variable || mask >> i & 1)
			continue;
		if (!rest)
			rest = c->make(c->ctx, base + i, false) + 1;
		c->row[number].variable[i] = rest;
	}
}

/* Whether the variable is among those found: its bytes need not be neighbours. */
static bool is_among(const uint32_t *variable, unsigned n, uint32_t which)
{
	while (n > 0 && variable[n - 1] != which)
		n--;
	return n > 0;
}

static unsigned row_access(struct snag_cells *c, uint32_t number, uint8_t mask, uint64_t base,
			   uint32_t ret_variable[SNAG_CELL])
{
	uint32_t fresh = NONE;
	unsigned n = 0;
	for (unsigned i = 0; i < SNAG_CELL; i++) {
		if (!(mask >> i & 1))
			continue;
		uint32_t variable = c->row[number].variable[i];
		if (!variable) {
			if (!fresh)
				fresh = c->make(c->ctx, base + i, true) + 1;
			variable = c->row[number].variable[i] = fresh;
		}
		if (is_among(ret_variable, n, variable - 1))
			continue;
		rest_separate(c, number, variable, mask, base);
		ret_variable[n++] = variable - 1;
	}
	return n;
}

static inline void cell_visit(struct cell *cell, uint32_t thread)
{
	if (cell->variable[0] == NONE)
		cell->owner = (uint8_t)thread;
	else if (cell->owner != (uint8_t)thread)
		cell->flags |= SHARED;
}

/* An access that is neither that of a variable there is, nor leaves room for another. */
static unsigned split_access(struct snag_cells *c, struct cell *cell, uint64_t addr, uint8_t mask,
			     uint32_t ret_variable[SNAG_CELL])
{
	if (!(cell->flags & SPLIT))
		cell_split(c, cell);
	return row_access(c, cell->variable[0], mask, addr - addr % SNAG_CELL, ret_variable);
}

/* The bytes of a cell that an access touches. */
static inline uint8_t mask_of(uint64_t addr, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << addr % SNAG_CELL);
}

unsigned snag_cells_access(struct snag_cells *c, uint64_t addr, unsigned size, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct cell *cell = cell_at(c, addr);
	uint8_t mask = mask_of(addr, size);
	cell_visit(cell, thread);
	unsigned k = cell->mask[0] != mask;
	if (cell->mask[k] == mask) {
		ret_variable[0] = cell->variable[k] - 1;
		return 1;
	}
	k = cell->variable[0] != NONE;
	if (cell->flags & SPLIT || cell->variable[k] != NONE || cell->mask[0] & mask)
		return split_access(c, cell, addr, mask, ret_variable);
	cell->variable[k] = c->make(c->ctx, addr, true) + 1;
	cell->mask[k] = mask;
	ret_variable[0] = cell->variable[k] - 1;
	return 1;
}

void snag_cells_prefetch(const struct snag_cells *c, uint64_t addr)
{
	const struct page *recent = &c->recent[(addr >> PAGE_LOG) % RECENT];
	if (recent->cell && recent->number == addr >> PAGE_LOG)
		__builtin_prefetch(&recent->cell[addr % PAGE / SNAG_CELL], 1);
}

uint32_t snag_cells_known(struct snag_cells *c, uint64_t addr, uint64_t stride, unsigned size,
			  uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n)
{
	uint32_t i = 0;
	for (; i < n; i++, addr += stride, variable += variable_stride) {
		struct cell *cell = cell_at(c, addr);
		uint8_t mask = mask_of(addr, size);
		unsigned k = cell->mask[0] != mask;
		if (mask == 0 || cell->mask[k] != mask || cell->variable[k] != variable + 1)
			break;
		cell_visit(cell, thread);
	}
	return i;
}

unsigned snag_cells_shared(struct snag_cells *c, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct cell *page = page_find(c, addr >> PAGE_LOG);
	struct cell *cell = page ? &page[addr % PAGE / SNAG_CELL] : NULL;
	unsigned n = 0;
	if (!cell || cell->variable[0] == NONE ||
	    (cell->owner == (uint8_t)thread && !(cell->flags & SHARED)))
		return 0;
	if (!(cell->flags & SPLIT)) {
		for (; n < 2 && cell->variable[n] != NONE; n++)
			ret_variable[n] = cell->variable[n] - 1;
		return n;
	}
	const struct row *row = &c->row[cell->variable[0]];
	for (unsigned i = 0; i < SNAG_CELL; i++)
		if (row->variable[i] && !is_among(ret_variable, n, row->variable[i] - 1))
			ret_variable[n++] = row->variable[i] - 1;
	return n;
}

void snag_cells_forget(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	uint64_t end = addr + nbytes;
	for (uint64_t number = addr >> PAGE_LOG; number << PAGE_LOG < end; number++) {
		struct cell *page = page_find(c, number);
		uint64_t from = number << PAGE_LOG, to = from + PAGE;
		if (!page)
			continue;
		from = addr > from ? addr : from;
		to = end < to ? end : to;
		for (uint64_t at = from - from % SNAG_CELL; at < to; at += SNAG_CELL)
			cell_forget(c, &page[at % PAGE / SNAG_CELL]);
	}
}
