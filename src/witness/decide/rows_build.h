/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_build.h - what rows_build.c and rows_fill.c share
 */
#ifndef SNAG_WITNESS_DECIDE_ROWS_BUILD_H
#define SNAG_WITNESS_DECIDE_ROWS_BUILD_H

#include "witness/decide/conflict_edges.h"
#include "witness/decide/index.h"
#include "witness/decide/row_joins.h"

struct snag_rows_builder {
	struct snag_rows *rows;
	const struct snag_index *ix;
	struct snag_rows_thread *now;
	struct snag_rows_fact *heard; /* HEARD for each thread, by the other thread modulo HEARD */
	struct snag_row_joins joins;  /* join[i] is of rows->step[i]; count = 0: no edge */
	bool has_conflicts;	      /* mode DC */
	struct snag_conflict_edges conflicts;
	uint32_t access; /* the one that snag_conflict_edges_access() is asked for */
};

/* Once all crossings are there, in this order (rows_fill.c): leaves out crossings that are not
 * new; */
void snag_rows_filter(struct snag_rows_builder *b);
/* sorts the edges by thread, and counts those up to each event; */
void snag_rows_sort_edges(struct snag_rows_builder *b);
/* keeps the row of every rows->stride-th edge; */
void snag_rows_fill(struct snag_rows_builder *b);
/* and drops the joins that make no edge. */
void snag_rows_close_up(struct snag_rows *rows, uint32_t nevents);

#endif
