/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.c - memory accesses to variables
 */
#include "record/cells.h"

#include "base/memory.h"

#include <string.h>

enum { PAGE_LOG = SNAG_CELLS_PAGE_LOG, PAGE = SNAG_CELLS_PAGE, PAGE_CELLS = PAGE / SNAG_CELL };
enum { NONE = 0 };
enum { SPLIT = 1, SHARED = SNAG_CELLS_SHARED, UNTOLD = 4 /* a split is */ }; /* flags */

struct snag_cells_row {
	uint32_t variable[SNAG_CELL]; /* id + 1 of each byte */
};

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

static struct snag_cell *page_find(const struct snag_cells *c, uint64_t number)
{
	uint32_t i =
		snag_slots_find(&c->slots, snag_hash(number, 0), page_equals, c->page, &number);
	return i == SNAG_SLOTS_NONE ? NULL : c->page[i].cell;
}

static struct snag_cell *page_new(struct snag_cells *c, uint64_t number)
{
	c->page = snag_grow(c->page, &c->page_cap, c->npages + 1, sizeof(*c->page));
	c->page[c->npages] =
		(struct snag_cells_page){number, snag_calloc(PAGE_CELLS, sizeof(struct snag_cell))};
	snag_slots_add(&c->slots, (uint32_t)c->npages, page_hash, c->page);
	return c->page[c->npages++].cell;
}

static inline struct snag_cell *cell_at(struct snag_cells *c, uint64_t addr)
{
	struct snag_cell *cell = snag_cells_recent(c, addr);
	if (!cell) {
		uint64_t number = addr >> PAGE_LOG;
		struct snag_cell *page = page_find(c, number);
		page = page ? page : page_new(c, number);
		c->recent[number % SNAG_CELLS_RECENT] = (struct snag_cells_page){number, page};
		cell = &page[addr % PAGE / SNAG_CELL];
	}
	return cell;
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

/* Whether the variable is among those found: its bytes need not be neighbours. */
static bool is_among(const uint32_t *variable, unsigned n, uint32_t which)
{
	while (n > 0 && variable[n - 1] != which)
		n--;
	return n > 0;
}

/* The variables of a row, each once. */
static unsigned row_variables(const struct snag_cells_row *row, uint32_t ret_variable[SNAG_CELL])
{
	unsigned n = 0;
	for (unsigned i = 0; i < SNAG_CELL; i++)
		if (row->variable[i] && !is_among(ret_variable, n, row->variable[i] - 1))
			ret_variable[n++] = row->variable[i] - 1;
	return n;
}

static void cell_forget(struct snag_cells *c, struct snag_cell *cell)
{
	if (cell->flags & UNTOLD) {
		uint32_t variable[SNAG_CELL];
		unsigned n = row_variables(&c->row[cell->variable[0]], variable);
		c->hooks.lost_split(c->hooks.ctx, variable, n);
	}
	if (cell->flags & SPLIT) {
		c->row[cell->variable[0]].variable[0] = c->free_row;
		c->free_row = cell->variable[0];
	}
	c->version += cell->variable[0] != NONE;
	memset(cell, 0, sizeof(*cell));
}

/* The variables become a row. */
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

/* A variable of the row meets the access in part: it is split.  The part with its first byte keeps
 * it. */
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

static void split_tell(struct snag_cells *c, struct snag_cell *cell)
{
	uint32_t variable[SNAG_CELL];
	unsigned n = row_variables(&c->row[cell->variable[0]], variable);
	c->hooks.shared_split(c->hooks.ctx, variable, n);
	cell->flags &= (uint8_t)~UNTOLD;
}

static inline void cell_visit(struct snag_cell *cell, uint32_t thread)
{
	if (cell->variable[0] == NONE)
		cell->owner = (uint8_t)thread;
	else if (cell->owner != (uint8_t)thread)
		cell->flags |= SHARED;
}

/* An access that is neither that of a variable there is, nor leaves room for another. */
static unsigned split_access(struct snag_cells *c, struct snag_cell *cell, uint64_t addr,
			     uint8_t mask, uint32_t ret_variable[SNAG_CELL])
{
	if (!(cell->flags & SPLIT))
		cell_split(c, cell);
	uint64_t before = c->nsplits;
	unsigned n = row_access(c, cell->variable[0], mask, addr - addr % SNAG_CELL, ret_variable);
	if (c->nsplits > before)
		cell->flags |= UNTOLD;
	if (cell->flags & UNTOLD && (cell->flags & SHARED || c->has_namesakes))
		split_tell(c, cell);
	return n;
}

/* Whether an access meets a variable in part. */
static inline bool is_part(uint8_t mask, uint8_t variable)
{
	return mask & variable && variable & ~mask;
}

/* Those of the cell's variables that an access touches, in the order of their first bytes. */
static unsigned cell_touched(const struct snag_cell *cell, uint8_t mask,
			     uint32_t ret_variable[SNAG_CELL])
{
	const unsigned low =
		cell->mask[1] && __builtin_ctz(cell->mask[1]) < __builtin_ctz(cell->mask[0]);
	unsigned n = 0;
	for (unsigned i = 0; i < 2; i++)
		if (cell->mask[i ^ low] & mask)
			ret_variable[n++] = cell->variable[i ^ low] - 1;
	return n;
}

unsigned snag_cells_access(struct snag_cells *c, uint64_t addr, unsigned size, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct snag_cell *cell = cell_at(c, addr);
	const uint8_t mask = snag_cells_mask(addr, size),
		      fresh = mask & ~(cell->mask[0] | cell->mask[1]);
	cell_visit(cell, thread);
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

/* [addr, ...) lies in one page: cells and masks are gone through without looking up anything. */
static uint32_t page_known(struct snag_cell *page, uint64_t addr, uint64_t stride, unsigned size,
			   uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n)
{
	uint32_t i = 0;
	for (; i < n; i++, addr += stride, variable += variable_stride) {
		struct snag_cell *cell = &page[addr % PAGE / SNAG_CELL];
		uint8_t mask = snag_cells_mask(addr, size);
		unsigned k = cell->mask[0] != mask;
		if (cell->mask[k] != mask || cell->variable[k] != variable + 1)
			break;
		if (cell->owner != (uint8_t)thread)
			cell->flags |= SHARED;
	}
	return i;
}

/* How many accesses, `stride` bytes apart, begin in the page of the first; at most `most`. */
static uint32_t page_accesses(uint64_t addr, uint64_t stride, uint32_t most)
{
	int64_t distance = (int64_t)stride;
	uint64_t room = distance < 0 ? addr % PAGE : PAGE - 1 - addr % PAGE;
	uint64_t step = distance < 0 ? -stride : stride;
	if (step < PAGE && step * most <= room) /* as mostly, without a division */
		return most;
	return step == 0 || room / step >= most ? most : (uint32_t)(room / step) + 1;
}

/* The same where all accesses have the same place in their cells. */
static uint32_t page_known_aligned(struct snag_cell *page, uint64_t addr, int64_t cells,
				   unsigned size, uint32_t thread, uint32_t variable,
				   uint32_t variable_stride, uint32_t n)
{
	struct snag_cell *cell = &page[addr % PAGE / SNAG_CELL];
	const uint8_t mask = snag_cells_mask(addr, size);
	const unsigned k = cell->mask[0] != mask;
	uint32_t i = 0;
	for (; i < n && cell->mask[k] == mask && cell->variable[k] == variable + 1; i++) {
		if (cell->owner != (uint8_t)thread)
			cell->flags |= SHARED;
		if (cells == 0 && variable_stride == 0)
			return n;
		cell += cells;
		variable += variable_stride;
	}
	return i;
}

static uint32_t cells_walk(struct snag_cells *c, uint64_t addr, uint64_t stride, unsigned size,
			   uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n)
{
	uint32_t i = 0;
	while (i < n) {
		uint32_t some = page_accesses(addr, stride, n - i);
		struct snag_cell *page = cell_at(c, addr) - addr % PAGE / SNAG_CELL;
		uint32_t known = 0;
		if (stride % SNAG_CELL == 0)
			known = page_known_aligned(page, addr, (int64_t)stride / SNAG_CELL, size,
						   thread, variable, variable_stride, some);
		if (known < some) /* or they have that place, but are not the first there */
			known += page_known(page, addr + stride * known, stride, size, thread,
					    variable + variable_stride * known, variable_stride,
					    some - known);
		i += known;
		if (known < some)
			break;
		addr += stride * some;
		variable += variable_stride * some;
	}
	return i;
}

uint32_t snag_cells_known(struct snag_cells *c, uint64_t addr, uint64_t stride, unsigned size,
			  uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n)
{
	enum { FEW = 16 };
	const uint64_t key = (addr + (stride << 24) + size) * 0x9e3779b97f4a7c15u;
	struct snag_cells_walk *walk = &c->walk[key >> (64 - SNAG_CELLS_WALKS_LOG)];
	if (size == 0 || size > SNAG_CELL)
		return 0;
	if (n < FEW)
		return cells_walk(c, addr, stride, size, thread, variable, variable_stride, n);
	if (walk->addr == addr && walk->stride == stride && walk->size == size && n <= walk->n &&
	    walk->variable == variable && walk->variable_stride == variable_stride &&
	    walk->thread == (uint8_t)thread && walk->version == c->version)
		return n;
	n = cells_walk(c, addr, stride, size, thread, variable, variable_stride, n);
	if (n >= FEW)
		*walk = (struct snag_cells_walk){.addr = addr,
						 .stride = stride,
						 .variable = variable,
						 .variable_stride = variable_stride,
						 .n = n,
						 .version = c->version,
						 .size = (uint8_t)size,
						 .thread = (uint8_t)thread};
	return n;
}

uint32_t snag_cells_variables(struct snag_cells *c, uint64_t addr, uint64_t stride, unsigned size,
			      uint32_t thread, uint32_t n, uint32_t ret_variable[])
{
	uint32_t i = 0;
	if (size == 0 || size > SNAG_CELL)
		return 0;
	while (i < n) {
		uint32_t end = i + page_accesses(addr, stride, n - i);
		struct snag_cell *page = cell_at(c, addr) - addr % PAGE / SNAG_CELL;
		for (; i < end; i++, addr += stride)
			if (!snag_cells_quick(&page[addr % PAGE / SNAG_CELL], addr, size, thread,
					      &ret_variable[i]))
				return i;
	}
	return i;
}

unsigned snag_cells_shared(struct snag_cells *c, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct snag_cell *page = page_find(c, addr >> PAGE_LOG);
	struct snag_cell *cell = page ? &page[addr % PAGE / SNAG_CELL] : NULL;
	unsigned n = 0;
	if (!cell || cell->variable[0] == NONE ||
	    (cell->owner == (uint8_t)thread && !(cell->flags & SHARED)))
		return 0;
	if (!(cell->flags & SPLIT)) {
		for (; n < 2 && cell->variable[n] != NONE; n++)
			ret_variable[n] = cell->variable[n] - 1;
		return n;
	}
	return row_variables(&c->row[cell->variable[0]], ret_variable);
}

void snag_cells_forget(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	uint64_t end = addr + nbytes;
	for (uint64_t number = addr >> PAGE_LOG; number << PAGE_LOG < end; number++) {
		struct snag_cell *page = page_find(c, number);
		uint64_t from = number << PAGE_LOG, to = from + PAGE;
		if (!page)
			continue;
		from = addr > from ? addr : from;
		to = end < to ? end : to;
		for (uint64_t at = from - from % SNAG_CELL; at < to; at += SNAG_CELL)
			cell_forget(c, &page[at % PAGE / SNAG_CELL]);
	}
}
