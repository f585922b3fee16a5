/* SPDX-License-Identifier: Apache-2.0
 *
 * row_joins.h - the rows of all threads at all times, a few columns at once
 *
 * Idea.   When a thread learns something about another one, its row becomes the join of two
 *         rows: its own, and the row that the other thread had at that time.  With numbered
 *         rows, this is a straight-line program of joins, the same for every column.  It runs
 *         once for each SNAG_COLUMNS columns, on slots of one cache line.  Few rows are still to
 *         be read at any time, so they stay in the caches, whatever the number of threads and
 *         the length of the trace.
 *
 * State.  join[i]     joins the rows `before` and `from` to row i + 1; row 0 is empty.  Once
 *                     placed, these are slots instead of rows, and slots are reused
 * Cost.   12 bytes per join, 64 bytes per slot.  A run: a few nanoseconds per join.
 */
#ifndef SNAG_WITNESS_DECIDE_ROW_JOINS_H
#define SNAG_WITNESS_DECIDE_ROW_JOINS_H

#include <stddef.h>
#include <stdint.h>

enum { SNAG_COLUMNS = 16 };

/* As vectors that every processor has; counts are below 2^31. */
typedef int32_t snag_four __attribute__((vector_size(16)));

union snag_row_part {
	int32_t count[SNAG_COLUMNS];
	snag_four four[SNAG_COLUMNS / 4];
};

struct snag_row_join {
	uint32_t before : 31, is_last_before : 1; /* nothing reads the row later */
	uint32_t from : 31, is_last_from : 1;
	uint32_t into : 31, is_unread : 1;
};

struct snag_row_joins {
	struct snag_row_join *join;
	union snag_row_part *slot;
	size_t n, join_cap, nslots;
};

/* Adds a join.  Returns the number of the new row. */
uint32_t snag_row_joins_add(struct snag_row_joins *joins, uint32_t before, uint32_t from);
/* Assigns slots to the rows; no join can be added afterwards. */
void snag_row_joins_place(struct snag_row_joins *joins);
/* Empties all rows; call it before a run. */
void snag_row_joins_clear(struct snag_row_joins *joins);
void snag_row_joins_done(struct snag_row_joins *joins); /* accepts zeroed ones */

/* Runs a join for some columns and returns them. */
static inline union snag_row_part *snag_row_join_run(const struct snag_row_joins *joins,
						     const struct snag_row_join *join)
{
	union snag_row_part *into = &joins->slot[join->into];
	for (int i = 0; i < SNAG_COLUMNS / 4; i++) {
		snag_four a = joins->slot[join->before].four[i];
		snag_four b = joins->slot[join->from].four[i];
		snag_four is_more = a > b;
		into->four[i] = (a & is_more) | (b & ~is_more);
	}
	return into;
}

#endif
