/* SPDX-License-Identifier: Apache-2.0
 *
 * cells_runs.c - memory accesses to variables, many at once: runs of loops, and ranges
 */
#include "record/convert/cells_state.h"

#include "base/memory.h"

#include <string.h>

/* As snag_cells_known(), for accesses in one page: it steps through the cells without a look-up. */
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
	if (step < PAGE && step * most <= room) /* the common case needs no division */
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
		if (known < some) /* they may also be the second variables of their cells */
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

/* Returns the variables of a cell, in order, if one or two of them cover all its bytes; otherwise
 * 0. */
static inline unsigned cell_whole(const struct snag_cell *cell, uint32_t ret_variable[SNAG_CELL])
{
	ret_variable[0] = cell->variable[0] - 1;
	if (cell->mask[0] == WHOLE)
		return 1;
	return (cell->mask[0] ^ cell->mask[1]) == WHOLE ? cell_touched(cell, WHOLE, ret_variable)
							: 0;
}

/* Adds a cell to a stretch.  Returns false if the cell does not continue it. */
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

/* Returns how many of n cells, from the first, continue the stretch. */
static uint32_t cells_go_on(struct snag_cell *cell, uint32_t n, uint32_t thread,
			    struct snag_cells_stretch *s)
{
	const uint32_t before = s->n;
	uint32_t variable[SNAG_CELL];
	for (uint32_t i = 0; i < n && !(cell[i].flags & FREED); i++, s->n++) {
		if (s->n >= 2 && s->k == 1) { /* the common case */
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
		struct snag_cells_page *page =
			cell ? NULL : snag_cells_page_find(c, addr >> PAGE_LOG);
		if (!cell && (!page || (!page->cell && !page->variable)))
			break;
		/* One entry is enough if the page is visited as a whole, or by no new thread. */
		if (!cell && !page->cell && !(page->flags & FREED) &&
		    (some == PAGE_CELLS || page->owner == (uint8_t)thread ||
		     page->flags & SHARED)) {
			done = page_goes_on(page, first, some, thread, &s);
		} else {
			cell = cell ? cell : snag_cells_page_open(c, page) + first;
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
	struct snag_cells_page *page = snag_cells_page_at(c, addr >> PAGE_LOG);
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
	struct snag_cell *cell = snag_cells_page_open(c, page) + first;
	for (uint32_t i = 0; i < made; i++) {
		struct snag_cell *at = &cell[i / per];
		const unsigned k = i % per;
		at->variable[k] = id + i + 1;
		at->mask[k] = (uint8_t)(per == 1 ? WHOLE : 0x0f << 4 * k);
		at->owner = (uint8_t)thread;
	}
	return made / per;
}
