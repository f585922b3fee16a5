/* SPDX-License-Identifier: Apache-2.0
 *
 * cells_state.h - the inside of cells.h: pages, their cells, and split cells
 */
#ifndef SNAG_RECORD_CELLS_STATE_H
#define SNAG_RECORD_CELLS_STATE_H

#include "record/convert/cells.h"

enum { PAGE_LOG = SNAG_CELLS_PAGE_LOG, PAGE = SNAG_CELLS_PAGE, PAGE_CELLS = PAGE / SNAG_CELL };
enum { NONE = 0, WHOLE = 0xff };
enum { /* flags */
       SPLIT = 1,
       SHARED = SNAG_CELLS_SHARED,
       UNREPORTED = 4, /* a split of the cell was not reported yet */
       FREED = SNAG_CELLS_FREED
};

struct snag_cells_row {
	uint32_t variable[SNAG_CELL]; /* id + 1 of each byte */
	uint8_t bytes[SNAG_CELL];     /* those of this variable; 0: there is none */
	uint8_t unreported; /* bytes of variables split off since the last split_report() */
};

/* Returns the page with this number, or NULL. */
struct snag_cells_page *snag_cells_page_find(const struct snag_cells *c, uint64_t number);
/* The same; makes a page without variables if there is none. */
struct snag_cells_page *snag_cells_page_at(struct snag_cells *c, uint64_t number);
/* Returns the cells of the page; makes them if the page is one entry. */
struct snag_cell *snag_cells_page_open(struct snag_cells *c, struct snag_cells_page *page);

static inline struct snag_cell *cell_at(struct snag_cells *c, uint64_t addr)
{
	struct snag_cell *cell = snag_cells_recent(c, addr);
	if (!cell)
		cell = snag_cells_page_open(c, snag_cells_page_at(c, addr >> PAGE_LOG)) +
		       addr % PAGE / SNAG_CELL;
	return cell;
}

/* Those of the cell's variables that an access touches, in the order of their first bytes. */
static inline unsigned cell_touched(const struct snag_cell *cell, uint8_t mask,
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

#endif
