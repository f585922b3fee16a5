/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.c - maps memory accesses to variables, one access at a time
 */
#include "record/convert/cells_state.h"

#include "base/memory.h"

#include <string.h>

struct snag_cells *snag_cells_new(const struct snag_cells_hooks *hooks)
{
	struct snag_cells *c = snag_calloc(1, sizeof(*c));
	c->hooks = *hooks;
	for (size_t i = 0; i < SNAG_CELLS_RECENT; i++)
		c->recent[i].number = UINT64_MAX; /* no page has it */
	c->nrows = 1;				  /* row 0 is none */
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
	return snag_hash(((const struct snag_cells_page *)pages)[i].number, 0);
}

static bool page_equals(const void *pages, uint32_t i, const void *number)
{
	return ((const struct snag_cells_page *)pages)[i].number == *(const uint64_t *)number;
}

struct snag_cells_page *snag_cells_page_find(const struct snag_cells *c, uint64_t number)
{
	uint32_t i =
		snag_slots_find(&c->slots, snag_hash(number, 0), page_equals, c->page, &number);
	return i == SNAG_SLOTS_NONE ? NULL : &c->page[i];
}

/* One entry, without variables. */
static struct snag_cells_page *page_new(struct snag_cells *c, uint64_t number)
{
	c->page = snag_grow(c->page, &c->page_cap, c->npages + 1, sizeof(*c->page));
	c->page[c->npages] = (struct snag_cells_page){.number = number};
	snag_slots_add(&c->slots, (uint32_t)c->npages, page_hash, c->page);
	return &c->page[c->npages++];
}

struct snag_cells_page *snag_cells_page_at(struct snag_cells *c, uint64_t number)
{
	struct snag_cells_page *page = snag_cells_page_find(c, number);
	return page ? page : page_new(c, number);
}

struct snag_cell *snag_cells_page_open(struct snag_cells *c, struct snag_cells_page *page)
{
	if (!page->cell) {
		page->cell = snag_calloc(PAGE_CELLS, sizeof(struct snag_cell));
		for (uint32_t i = 0; page->variable && i < PAGE_CELLS; i++)
			page->cell[i] = (struct snag_cell){.variable = {page->variable + i},
							   .mask = {WHOLE},
							   .owner = page->owner,
							   .flags = page->flags};
	}
	c->recent[page->number % SNAG_CELLS_RECENT] =
		(struct snag_cells_recent){page->number, page->cell};
	return page->cell;
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

/* The variables of the row have changed. */
static void row_settle(struct snag_cells_row *row)
{
	for (unsigned i = 0; i < SNAG_CELL; i++) {
		row->bytes[i] = 0;
		for (unsigned k = 0; k < SNAG_CELL && row->variable[i]; k++)
			row->bytes[i] |= (uint8_t)((row->variable[k] == row->variable[i]) << k);
	}
}

/* Returns how many variables of a row the access covers, if it covers each of them as a whole;
 * otherwise 0. */
static inline unsigned row_quick(const struct snag_cells_row *row, uint8_t mask,
				 uint32_t ret_variable[SNAG_CELL])
{
	unsigned n = 0;
	for (unsigned left = mask; left;) {
		const unsigned i = (unsigned)__builtin_ctz(left), bytes = row->bytes[i];
		if (!bytes || bytes & ~mask)
			return 0;
		ret_variable[n++] = row->variable[i] - 1;
		left &= ~bytes;
	}
	return n;
}

/* Whether the variable is among those found: its bytes need not be neighbours. */
static bool is_among(const uint32_t *variable, unsigned n, uint32_t which)
{
	while (n > 0 && variable[n - 1] != which)
		n--;
	return n > 0;
}

/* The variables of a row whose first byte is in the mask. */
static unsigned row_variables(const struct snag_cells_row *row, uint8_t mask,
			      uint32_t ret_variable[SNAG_CELL])
{
	unsigned n = 0;
	for (unsigned i = 0; i < SNAG_CELL; i++)
		if (mask >> i & 1 && row->bytes[i] && (unsigned)__builtin_ctz(row->bytes[i]) == i)
			ret_variable[n++] = row->variable[i] - 1;
	return n;
}

static void cell_forget(struct snag_cells *c, struct snag_cell *cell)
{
	if (cell->flags & UNREPORTED) {
		uint32_t variable[SNAG_CELL];
		unsigned n = row_variables(&c->row[cell->variable[0]], WHOLE, variable);
		c->hooks.lost_split(c->hooks.ctx, variable, n);
	}
	if (cell->flags & SPLIT) {
		c->row[cell->variable[0]].variable[0] = c->free_row;
		c->free_row = cell->variable[0];
	}
	c->version += cell->variable[0] != NONE;
	memset(cell, 0, sizeof(*cell));
}

/* Gives the cell a row, which takes its variables. */
static void cell_split(struct snag_cells *c, struct snag_cell *cell)
{
	uint32_t number = row_new(c);
	c->version++;
	for (unsigned i = 0; i < SNAG_CELL; i++)
		for (unsigned k = 0; k < 2; k++)
			if (cell->mask[k] >> i & 1)
				c->row[number].variable[i] = cell->variable[k];
	*cell = (struct snag_cell){
		.variable = {number}, .owner = cell->owner, .flags = cell->flags | SPLIT};
}

/* Splits a variable of the row that the access covers in part.  The part with its first byte keeps
 * the variable. */
static void part_separate(struct snag_cells *c, uint32_t number, uint32_t variable, uint8_t mask,
			  uint64_t base)
{
	unsigned met = 0, rest = 0; /* its bytes */
	for (unsigned i = 0; i < SNAG_CELL; i++)
		if (c->row[number].variable[i] == variable)
			*(mask >> i & 1 ? &met : &rest) |= 1u << i;
	if (!rest)
		return;
	const unsigned other = __builtin_ctz(met) < __builtin_ctz(rest) ? rest : met;
	const uint32_t from = variable - 1;
	uint32_t made = c->hooks.make(c->hooks.ctx, base + (unsigned)__builtin_ctz(other), &from);
	for (unsigned i = 0; i < SNAG_CELL; i++)
		if (other >> i & 1)
			c->row[number].variable[i] = made + 1;
	c->row[number].unreported |= (uint8_t)other;
	c->nsplits++;
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
				fresh = c->hooks.make(c->hooks.ctx, base + i, NULL) + 1;
			variable = c->row[number].variable[i] = fresh;
		}
		if (is_among(ret_variable, n, variable - 1))
			continue;
		part_separate(c, number, variable, mask, base);
		ret_variable[n++] = c->row[number].variable[i] - 1;
	}
	return n;
}

static void split_report(struct snag_cells *c, struct snag_cell *cell)
{
	struct snag_cells_row *row = &c->row[cell->variable[0]];
	uint32_t variable[SNAG_CELL];
	unsigned n = row_variables(row, row->unreported, variable);
	c->hooks.shared_split(c->hooks.ctx, variable, n);
	row->unreported = 0;
	cell->flags &= (uint8_t)~UNREPORTED;
}

static inline void cell_visit(struct snag_cell *cell, uint32_t thread)
{
	if (cell->variable[0] == NONE)
		cell->owner = (uint8_t)thread;
	else if (cell->owner != (uint8_t)thread)
		cell->flags |= SHARED;
}

/* An access that equals no variable of the cell, in a cell without room for another variable. */
static unsigned split_access(struct snag_cells *c, struct snag_cell *cell, uint64_t addr,
			     uint8_t mask, uint32_t ret_variable[SNAG_CELL])
{
	if (!(cell->flags & SPLIT))
		cell_split(c, cell);
	uint64_t before = c->nsplits;
	unsigned n = row_access(c, cell->variable[0], mask, addr - addr % SNAG_CELL, ret_variable);
	row_settle(&c->row[cell->variable[0]]);
	if (c->nsplits > before)
		cell->flags |= UNREPORTED;
	if (cell->flags & UNREPORTED && (cell->flags & SHARED || c->has_namesakes))
		split_report(c, cell);
	return n;
}

/* Returns whether an access covers only a part of a variable. */
static inline bool is_part(uint8_t mask, uint8_t variable)
{
	return mask & variable && variable & ~mask;
}

unsigned snag_cells_access(struct snag_cells *c, uint64_t addr, unsigned size, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct snag_cell *cell = cell_at(c, addr);
	const uint8_t mask = snag_cells_mask(addr, size),
		      fresh = mask & ~(cell->mask[0] | cell->mask[1]);
	unsigned n;
	if (cell->flags & FREED) {
		cell->flags &= (uint8_t)~FREED;
		c->hooks.freed(c->hooks.ctx, addr);
	}
	cell_visit(cell, thread);
	const bool is_unreported =
		cell->flags & UNREPORTED && (cell->flags & SHARED || c->has_namesakes);
	if (cell->flags & SPLIT && !is_unreported &&
	    (n = row_quick(&c->row[cell->variable[0]], mask, ret_variable)) > 0)
		return n;
	if (cell->flags & SPLIT || (fresh && cell->variable[1] != NONE) ||
	    is_part(mask, cell->mask[0]) || is_part(mask, cell->mask[1]))
		return split_access(c, cell, addr, mask, ret_variable);
	if (fresh) {
		const unsigned k = cell->variable[0] != NONE;
		const uint64_t at = addr - addr % SNAG_CELL + (unsigned)__builtin_ctz(fresh);
		ret_variable[0] = c->hooks.make(c->hooks.ctx, at, NULL);
		cell->variable[k] = ret_variable[0] + 1;
		cell->mask[k] = fresh;
	}
	return fresh == mask ? 1 : cell_touched(cell, mask, ret_variable);
}

bool snag_cells_is_fresh(struct snag_cells *c, uint64_t addr)
{
	return cell_at(c, addr)->variable[0] == NONE;
}

unsigned snag_cells_shared(struct snag_cells *c, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct snag_cells_page *page = snag_cells_page_find(c, addr >> PAGE_LOG);
	if (!page || (!page->cell && !page->variable))
		return 0;
	const struct snag_cell *cell = &snag_cells_page_open(c, page)[addr % PAGE / SNAG_CELL];
	unsigned n = 0;
	if (cell->variable[0] == NONE ||
	    (cell->owner == (uint8_t)thread && !(cell->flags & SHARED)))
		return 0;
	if (!(cell->flags & SPLIT)) {
		for (; n < 2 && cell->variable[n] != NONE; n++)
			ret_variable[n] = cell->variable[n] - 1;
		return n;
	}
	return row_variables(&c->row[cell->variable[0]], WHOLE, ret_variable);
}

/* [from, to) lies in the page. */
static void page_end(struct snag_cells *c, struct snag_cells_page *page, uint64_t from, uint64_t to)
{
	if (!page->cell && !page->variable)
		return;
	if (!page->cell && to - from == PAGE) {
		page->flags |= FREED;
		return;
	}
	struct snag_cell *cell = snag_cells_page_open(c, page);
	for (uint64_t at = from - from % SNAG_CELL; at < to; at += SNAG_CELL)
		cell[at % PAGE / SNAG_CELL].flags |= FREED;
}

static void page_forget(struct snag_cells *c, struct snag_cells_page *page, uint64_t from,
			uint64_t to)
{
	if (!page->cell && (!page->variable || to - from == PAGE)) {
		c->version += page->variable != NONE;
		page->variable = NONE;
		return;
	}
	struct snag_cell *cell = snag_cells_page_open(c, page);
	for (uint64_t at = from - from % SNAG_CELL; at < to; at += SNAG_CELL)
		cell_forget(c, &cell[at % PAGE / SNAG_CELL]);
}

/* Applies f to each existing page in the range, with the part of the range in that page. */
static void pages_each(struct snag_cells *c, uint64_t addr, uint64_t nbytes,
		       void (*f)(struct snag_cells *c, struct snag_cells_page *page, uint64_t from,
				 uint64_t to))
{
	uint64_t end = addr + nbytes;
	for (uint64_t number = addr >> PAGE_LOG; number << PAGE_LOG < end; number++) {
		struct snag_cells_page *page = snag_cells_page_find(c, number);
		uint64_t from = number << PAGE_LOG, to = from + PAGE;
		if (page)
			f(c, page, addr > from ? addr : from, end < to ? end : to);
	}
}

void snag_cells_end(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	c->version++; /* cached walks are no longer valid */
	pages_each(c, addr, nbytes, page_end);
}

void snag_cells_forget(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	pages_each(c, addr, nbytes, page_forget);
}
