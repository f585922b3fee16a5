/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.h - maps memory accesses to variables: accesses share a variable if they overlap
 *
 * Idea.   Memory is divided into cells of 8 bytes.  A cell begins without variables; an access
 *         makes one of the bytes it touches.  An access to part of a variable splits it into the
 *         bytes it touches and the rest.  The part with the first byte keeps the variable, the
 *         other part becomes a new one.  So a variable keeps its first byte, and with it its name.
 *         Two accesses have a variable in common iff they overlap, with one exception: the
 *         accesses before a split are not accesses to the new variable.  Splits are reported to
 *         `make`, for consumers that need those accesses (splits.h).
 * State.  cell: up to two variables with their bytes; or, where that is not enough, a row of 8,
 *         the variable of each byte.  owner, shared: whether two threads were there.
 *         page: 2048 cells; or one entry, if all of them are whole variables with consecutive
 *         ids that one thread made at once, as a memset does.
 *         walk: a cache of evenly spaced accesses that were found to have the expected
 *         variables. A repeated loop finds the same variables, unless a variable was split or
 *         memory was reused in the meantime.
 * Cost.   O(1) per access, and many repeated ones at once; 12 bytes for 8 bytes of touched
 *         memory, or 24 for a page that is one entry.
 */
#ifndef SNAG_RECORD_CELLS_H
#define SNAG_RECORD_CELLS_H

#include "base/slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_cells_hooks {
	/* Makes a variable whose first byte is at addr and returns its id.  from: NULL, or the
	 * variable from which it is split. */
	uint32_t (*make)(void *ctx, uint64_t addr, const uint32_t *from);
	/* Makes up to n variables with consecutive ids, `step` bytes apart, the first at addr; n
	 * > 0. Returns the id of the first; *ret_n is their number, at least 1. */
	uint32_t (*make_some)(void *ctx, uint64_t addr, unsigned step, uint32_t n, uint32_t *ret_n);
	/* Reports variables that were split from others in a cell that several threads may have
	 * accessed.  Each variable is reported once. */
	void (*shared_split)(void *ctx, const uint32_t *variable, unsigned n);
	/* The same for a cell that only one thread has accessed, when its memory is reused. */
	void (*lost_split)(void *ctx, const uint32_t *variable, unsigned n);
	/* Reports the first access to a cell of memory that has ended. */
	void (*freed)(void *ctx, uint64_t addr);
	void *ctx;
};

enum {
	SNAG_CELL = 8,
	SNAG_CELLS_PAGE_LOG = 14,
	SNAG_CELLS_PAGE = 1 << SNAG_CELLS_PAGE_LOG, /* bytes of memory */
	SNAG_CELLS_RECENT = 4096,
	SNAG_CELLS_SHARED = 2, /* flags */
	SNAG_CELLS_FREED = 8,
	SNAG_CELLS_WALKS_LOG = 14,
};

struct snag_cell {
	uint32_t variable[2]; /* id + 1, 0: none; when split the first is the number of a row */
	uint8_t mask[2];      /* the bytes of each; 0 when split */
	uint8_t owner;	      /* the thread that was here first, its low bits */
	uint8_t flags;
};

_Static_assert(sizeof(struct snag_cell) == 12, "a cell is small");

struct snag_cells_page {
	uint64_t number;	/* address / SNAG_CELLS_PAGE */
	struct snag_cell *cell; /* NULL: it is one entry: */
	uint32_t variable;	/* of the first cell, + 1; 0: no cell has any */
	uint8_t owner, flags;	/* as of each cell */
};

/* Adjacent cells that each have k variables, 1 or 2, which cover the cell.  From cell to cell, the
 * number of each variable grows by a stride. */
struct snag_cells_stretch {
	uint32_t n, k;
	uint32_t variable[2], stride[2]; /* of the first cell, in the order of their bytes */
};

/* The structure is public because the look-up is inlined. */
struct snag_cells {
	struct snag_cells_recent {
		uint64_t number;
		struct snag_cell *cell;
	} recent[SNAG_CELLS_RECENT]; /* pages used lately that have cells, by number */
	struct snag_cells_hooks hooks;
	bool has_namesakes; /* some threads have the same low bits, so the owner is ambiguous */
	struct snag_cells_page *page;
	size_t npages, page_cap;
	struct snag_slots slots; /* of pages, by number */
	struct snag_cells_row *row;
	size_t nrows, row_cap;
	uint32_t free_row; /* number of a row to use again, its first entry is the next; 0: none */
	uint64_t nsplits;
	uint32_t version; /* of the variables: rises when they change */
	struct snag_cells_walk {
		uint64_t addr, stride;
		uint32_t variable, variable_stride, n;
		uint32_t version;
		uint8_t size, thread;
	} walk[1 << SNAG_CELLS_WALKS_LOG];
};

struct snag_cells *snag_cells_new(const struct snag_cells_hooks *hooks);
void snag_cells_free(struct snag_cells *cells); /* accepts NULL */

/* Finds the variables of an access of 1 to 8 bytes inside one cell, at most 8; returns their
 * number. */
unsigned snag_cells_access(struct snag_cells *cells, uint64_t addr, unsigned size, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL]);
/* Returns whether the cell of an address was never accessed. */
bool snag_cells_is_fresh(struct snag_cells *cells, uint64_t addr);
/* For up to `n` accesses, `stride` bytes apart, whose only variable is the given one and moves
 * by `variable_stride`: returns how many of them, from the first, fulfil this. */
uint32_t snag_cells_known(struct snag_cells *cells, uint64_t addr, uint64_t stride, unsigned size,
			  uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n);
/* Finds the only variable of each of n such accesses.  Stops at the first access without one, and
 * returns how many came before. */
uint32_t snag_cells_variables(struct snag_cells *cells, uint64_t addr, uint64_t stride,
			      unsigned size, uint32_t thread, uint32_t n, uint32_t ret_variable[]);
/* Finds the longest stretch of cells from addr on, at most `most` cells.  *ret_stretch has none if
 * the first cell begins no stretch. */
void snag_cells_even(struct snag_cells *cells, uint64_t addr, uint32_t most, uint32_t thread,
		     struct snag_cells_stretch *ret_stretch);
/* Makes the variables of accesses to whole untouched cells from addr on, at most `most` of them,
 * in elements of `size` bytes, 4 or 8.  Their ids are consecutive.  Returns the number of cells;
 * *ret_first is the first variable. */
uint32_t snag_cells_fill(struct snag_cells *cells, uint64_t addr, uint32_t most, unsigned size,
			 uint32_t thread, uint32_t *ret_first);
/* Returns the variables of the cell at addr, if another thread than this one has accessed it. */
unsigned snag_cells_shared(struct snag_cells *cells, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL]);
/* Marks the memory as freed: the next access to each cell is reported to `freed`, until
 * snag_cells_forget() makes it new memory.  Cells in pages that were never accessed are left
 * out. */
void snag_cells_end(struct snag_cells *cells, uint64_t addr, uint64_t nbytes);
/* Makes the memory new: its cells have no variables. */
void snag_cells_forget(struct snag_cells *cells, uint64_t addr, uint64_t nbytes);

/* The bytes of a cell that an access touches, of at most 8 bytes. */
static inline uint8_t snag_cells_mask(uint64_t addr, unsigned size)
{
	static const uint8_t ones[] = {0, 1, 3, 7, 15, 31, 63, 127, 255};
	return (uint8_t)(ones[size] << addr % SNAG_CELL);
}

/* Returns the cell of an address whose page was used lately; otherwise NULL. */
static inline struct snag_cell *snag_cells_recent(const struct snag_cells *cells, uint64_t addr)
{
	uint64_t number = addr >> SNAG_CELLS_PAGE_LOG;
	const struct snag_cells_recent *page = &cells->recent[number % SNAG_CELLS_RECENT];
	return page->number == number ? page->cell + addr % SNAG_CELLS_PAGE / SNAG_CELL : NULL;
}

/* Does the work of snag_cells_access() if that is quick, given snag_cells_recent().  Returns
 * false if nothing was done. */
static inline bool snag_cells_quick(struct snag_cell *cell, uint64_t addr, unsigned size,
				    uint32_t thread, uint32_t *ret_variable)
{
	uint8_t mask = snag_cells_mask(addr, size);
	if (!cell)
		return false;
	unsigned k = cell->mask[0] != mask;
	if (cell->mask[k] != mask || cell->flags & SNAG_CELLS_FREED)
		return false;
	if (cell->owner != (uint8_t)thread)
		cell->flags |= SNAG_CELLS_SHARED;
	*ret_variable = cell->variable[k] - 1;
	return true;
}

#endif
