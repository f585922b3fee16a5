/* SPDX-License-Identifier: Apache-2.0
 *
 * cells.h - memory accesses to variables: overlapping accesses share one, others do not
 *
 * Idea.   Memory is cut into cells of 8 bytes.  A cell begins without variables; an
 *         access makes one of the bytes it touches.  An access that meets part of a
 *         variable splits it: the part it touches keeps the variable, with its past, the
 *         rest becomes a new one.  So two accesses have a variable in common iff they
 *         overlap, but for this: an access to the rest does not see the accesses made
 *         before the split.
 * State.  cell: up to two variables with their bytes; or, where that is not enough, a row
 *         of 8, the variable of each byte.  owner, shared: whether two threads were there.
 * Cost.   O(1) an access; 12 bytes for 8 bytes of touched memory.
 */
#ifndef SNAG_RECORD_CELLS_H
#define SNAG_RECORD_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_cells;

/* Makes a variable for the bytes from addr on and returns its id.  is_first: none of
 * them belonged to one before. */
typedef uint32_t snag_cells_new_variable(void *ctx, uint64_t addr, bool is_first);

struct snag_cells *snag_cells_new(snag_cells_new_variable *make, void *ctx);
void snag_cells_free(struct snag_cells *cells); /* accepts NULL */

enum { SNAG_CELL = 8 };

/* The variables that an access of 1 to 8 bytes inside one cell has, at most 8; returns how
 * many. */
unsigned snag_cells_access(struct snag_cells *cells, uint64_t addr, unsigned size, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL]);
/* The same for up to `n` accesses, `stride` bytes apart, whose one variable is the given one and
 * goes on by `variable_stride`: how many of them, from the first, have that. */
uint32_t snag_cells_known(struct snag_cells *cells, uint64_t addr, uint64_t stride, unsigned size,
			  uint32_t thread, uint32_t variable, uint32_t variable_stride, uint32_t n);
/* The variables of the cell at addr, if another thread than this one has been there. */
unsigned snag_cells_shared(struct snag_cells *cells, uint64_t addr, uint32_t thread,
			   uint32_t ret_variable[SNAG_CELL]);
/* The memory begins anew. */
void snag_cells_forget(struct snag_cells *cells, uint64_t addr, uint64_t nbytes);

#endif
