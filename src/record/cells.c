/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.c - memory accesses to variables
 */
#include "record/cells.h"

#include "base/memory.h"

#include <string.h>

enum { PAGE_LOG = SNAG_CELLS_PAGE_LOG, PAGE = SNAG_CELLS_PAGE, PAGE_CELLS = PAGE / SNAG_CELL };
enum { NONE = 0, WHOLE = 0xff };
enum { /* flags */
       SPLIT = 1,
       SHARED = SNAG_CELLS_SHARED,
       UNTOLD = 4, /* a split is */
       FREED = SNAG_CELLS_FREED
};

struct snag_cells_row {
	uint32_t variable[SNAG_CELL]; /* id + 1 of each byte */
	uint8_t bytes[SNAG_CELL];     /* those of this variable; 0: there is none */
	uint8_t untold;		      /* bytes of variables split off since the last split_tell() */
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

static struct snag_cells_page *page_find(const struct snag_cells *c, uint64_t number)
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

static struct snag_cells_page *page_at(struct snag_cells *c, uint64_t number)
{
	struct snag_cells_page *page = page_find(c, number);
	return page ? page : page_new(c, number);
}

/* The page as cells. */
static struct snag_cell *page_cells(struct snag_cells *c, struct snag_cells_page *page)
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

static inline struct snag_cell *cell_at(struct snag_cells *c, uint64_t addr)
{
	struct snag_cell *cell = snag_cells_recent(c, addr);
	if (!cell)
		cell = page_cells(c, page_at(c, addr >> PAGE_LOG)) + addr % PAGE / SNAG_CELL;
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

/* The variables of the row have changed. */
static void row_settle(struct snag_cells_row *row)
{
	for (unsigned i = 0; i < SNAG_CELL; i++) {
		row->bytes[i] = 0;
		for (unsigned k = 0; k < SNAG_CELL && row->variable[i]; k++)
			row->bytes[i] |= (uint8_t)((row->variable[k] == row->variable[i]) << k);
	}
}

/* The variables of an access to a row that all of them meet as a whole; 0: not all do. */
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
	if (cell->flags & UNTOLD) {
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
	c->row[number].untold |= (uint8_t)other;
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
	struct snag_cells_row *row = &c->row[cell->variable[0]];
	uint32_t variable[SNAG_CELL];
	unsigned n = row_variables(row, row->untold, variable);
	c->hooks.shared_split(c->hooks.ctx, variable, n);
	row->untold = 0;
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
	row_settle(&c->row[cell->variable[0]]);
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
	unsigned n;
	if (cell->flags & FREED) {
		cell->flags &= (uint8_t)~FREED;
		c->hooks.freed(c->hooks.ctx, addr);
	}
	cell_visit(cell, thread);
	const bool is_untold = cell->flags & UNTOLD && (cell->flags & SHARED || c->has_namesakes);
	if (cell->flags & SPLIT && !is_untold &&
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

/* [addr, ...) lies in one page: cells and masks are gone through without looking up anything. */
static uint32_t page_known(struct snag_cell *page, uint64_t addr, uint64_t stride, unsigned size,
			   uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n)
{
	uint32_t i = 0;
	for (; i < n; i++, addr += stride, variable += variable_stride) {
		struct snag_cell *cell = &page[addr % PAGE / SNAG_CELL];
		uint8_t mask = snag_cells_mask(addr, size);
		unsigned k = cell->mask[0] != mask;
		if (cell->mask[k] != mask || cell->variable[k] != variable + 1 ||
		    cell->flags & FREED)
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
	for (; i < n && cell->mask[k] == mask && cell->variable[k] == variable + 1 &&
	       !(cell->flags & FREED);
	     i++) {
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

/* The variables of a cell that are all of its bytes, in their order; 0: there are more than two, or
 * some bytes have none. */
static inline unsigned cell_whole(const struct snag_cell *cell, uint32_t ret_variable[SNAG_CELL])
{
	ret_variable[0] = cell->variable[0] - 1;
	if (cell->mask[0] == WHOLE)
		return 1;
	return (cell->mask[0] ^ cell->mask[1]) == WHOLE ? cell_touched(cell, WHOLE, ret_variable)
							: 0;
}

/* The first cell of a stretch, or the second, or whether another one goes on. */
static inline bool stretch_takes(struct snag_cells_stretch *s, const uint32_t *variable, unsigned k)
{
	if (s->n == 0) {
		s->k = k;
		memcpy(s->variable, variable, k * sizeof(*variable));
		return k > 0;
	}
	for (unsigned i = 0; i < k && s->n == 1; i++)
		s->stride[i] = variable[i] - s->variable[i];
	bool goes_on = k == s->k;
	for (unsigned i = 0; i < k && goes_on; i++)
		goes_on = variable[i] == s->variable[i] + s->stride[i] * s->n;
	return goes_on;
}

/* Those of n cells that go on with the stretch, from the first. */
static uint32_t cells_go_on(struct snag_cell *cell, uint32_t n, uint32_t thread,
			    struct snag_cells_stretch *s)
{
	const uint32_t before = s->n;
	uint32_t variable[SNAG_CELL];
	for (uint32_t i = 0; i < n && !(cell[i].flags & FREED); i++, s->n++) {
		if (s->n >= 2 && s->k == 1) { /* mostly */
			if (cell[i].mask[0] != WHOLE ||
			    cell[i].variable[0] - 1 != s->variable[0] + s->stride[0] * s->n)
				break;
		} else if (!stretch_takes(s, variable, cell_whole(&cell[i], variable))) {
			break;
		}
		if (cell[i].owner != (uint8_t)thread)
			cell[i].flags |= SHARED;
	}
	return s->n - before;
}

/* The same of a page that is one entry. */
static uint32_t page_goes_on(struct snag_cells_page *page, uint32_t first, uint32_t n,
			     uint32_t thread, struct snag_cells_stretch *s)
{
	const uint32_t variable = page->variable - 1 + first;
	if (!stretch_takes(s, &variable, 1))
		return 0;
	if (s->n == 0)
		s->stride[0] = 1;
	if (s->stride[0] != 1)
		return 0;
	s->n += n;
	if (page->owner != (uint8_t)thread)
		page->flags |= SHARED;
	return n;
}

void snag_cells_even(struct snag_cells *c, uint64_t addr, uint32_t most, uint32_t thread,
		     struct snag_cells_stretch *ret_stretch)
{
	struct snag_cells_stretch s = {0};
	uint32_t some, done;
	do {
		uint32_t first = addr % PAGE / SNAG_CELL;
		some = PAGE_CELLS - first < most - s.n ? PAGE_CELLS - first : most - s.n;
		struct snag_cell *cell = snag_cells_recent(c, addr);
		struct snag_cells_page *page = cell ? NULL : page_find(c, addr >> PAGE_LOG);
		if (!cell && (!page || (!page->cell && !page->variable)))
			break;
		/* One entry is enough if the page is visited as a whole, or by no new thread. */
		if (!cell && !page->cell && !(page->flags & FREED) &&
		    (some == PAGE_CELLS || page->owner == (uint8_t)thread ||
		     page->flags & SHARED)) {
			done = page_goes_on(page, first, some, thread, &s);
		} else {
			cell = cell ? cell : page_cells(c, page) + first;
			done = cells_go_on(cell, some, thread, &s);
		}
		addr += (uint64_t)some * SNAG_CELL;
	} while (done == some && s.n < most);
	*ret_stretch = s;
}

/* Returns how many of n cells, from the first, were never accessed. */
static uint32_t cells_fresh(const struct snag_cell *cell, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && cell[i].variable[0] == NONE && !(cell[i].flags & FREED))
		i++;
	return i;
}

uint32_t snag_cells_fill(struct snag_cells *c, uint64_t addr, uint32_t most, unsigned size,
			 uint32_t thread, uint32_t *ret_first)
{
	const struct snag_cell *recent = snag_cells_recent(c, addr);
	const unsigned per = SNAG_CELL / size; /* elements in a cell */
	if (recent && (recent->variable[0] != NONE || recent->flags & FREED))
		return 0;
	const uint32_t first = addr % PAGE / SNAG_CELL;
	struct snag_cells_page *page = page_at(c, addr >> PAGE_LOG);
	uint32_t n = PAGE_CELLS - first < most ? PAGE_CELLS - first : most, made;
	if (page->cell)
		n = cells_fresh(page->cell + first, n);
	else if (page->variable)
		n = 0;
	if (n == 0)
		return 0;
	const uint32_t id = c->hooks.make_some(c->hooks.ctx, addr, size, n * per, &made);
	*ret_first = id;
	for (; made % per; made++) /* whole cells */
		c->hooks.make(c->hooks.ctx, addr + (uint64_t)made * size, NULL);
	if (made == PAGE_CELLS && !page->cell && per == 1) {
		page->variable = id + 1;
		page->owner = (uint8_t)thread;
		page->flags = 0;
		return made;
	}
	struct snag_cell *cell = page_cells(c, page) + first;
	for (uint32_t i = 0; i < made; i++) {
		struct snag_cell *at = &cell[i / per];
		const unsigned k = i % per;
		at->variable[k] = id + i + 1;
		at->mask[k] = (uint8_t)(per == 1 ? WHOLE : 0x0f << 4 * k);
		at->owner = (uint8_t)thread;
	}
	return made / per;
}

unsigned snag_cells_shared(struct snag_cells *c, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL])
{
	struct snag_cells_page *page = page_find(c, addr >> PAGE_LOG);
	if (!page || (!page->cell && !page->variable))
		return 0;
	const struct snag_cell *cell = &page_cells(c, page)[addr % PAGE / SNAG_CELL];
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
	struct snag_cell *cell = page_cells(c, page);
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
	struct snag_cell *cell = page_cells(c, page);
	for (uint64_t at = from - from % SNAG_CELL; at < to; at += SNAG_CELL)
		cell_forget(c, &cell[at % PAGE / SNAG_CELL]);
}

/* Applies f to the part of each page in the range that there is. */
static void pages_each(struct snag_cells *c, uint64_t addr, uint64_t nbytes,
		       void (*f)(struct snag_cells *c, struct snag_cells_page *page, uint64_t from,
				 uint64_t to))
{
	uint64_t end = addr + nbytes;
	for (uint64_t number = addr >> PAGE_LOG; number << PAGE_LOG < end; number++) {
		struct snag_cells_page *page = page_find(c, number);
		uint64_t from = number << PAGE_LOG, to = from + PAGE;
		if (page)
			f(c, page, addr > from ? addr : from, end < to ? end : to);
	}
}

void snag_cells_end(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	c->version++; /* walks look again */
	pages_each(c, addr, nbytes, page_end);
}

void snag_cells_forget(struct snag_cells *c, uint64_t addr, uint64_t nbytes)
{
	pages_each(c, addr, nbytes, page_forget);
}
