/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates_before.h - looks up the events that must precede accesses, for many accesses at once
 *
 * Idea.   From an access to the row of the events that must precede it lead four pointers, to
 *         distant memory.  Many accesses follow theirs together, pointer by pointer, so that their
 *         cache misses overlap.  For a variable with many candidates, the rows of all its accesses
 *         are copied into one column per thread t.  Then the question whether accesses of a lane
 *         must follow one of t reads memory sequentially.
 *
 * State.  event[i]          the i-th access of the variable, lane after lane
 *         column[t][i]      how many events of t must precede it; SNAG_NOT_KEPT: only decide/rows.h
 *                           knows
 */
#ifndef SNAG_DETECT_CANDIDATES_BEFORE_H
#define SNAG_DETECT_CANDIDATES_BEFORE_H

#include "witness/decide/index.h"

struct snag_before_query {
	snag_tid thread;
	uint32_t position;
	bool is_write;
	/* The answer. */
	struct snag_point before;
	const uint32_t *row; /* the row of `before`; NULL: not kept */
};

void snag_before_find(const struct snag_index *ix, const struct snag_rows *rows,
		      struct snag_before_query *query, uint32_t n);

enum { SNAG_NOT_KEPT = UINT32_MAX };

struct snag_columns {
	uint32_t begin, n; /* the accesses in the lanes; n = 0: no columns */
	uint32_t *event;
	uint32_t *column; /* of t from t x n on */
	size_t event_cap, column_cap;
};

void snag_columns_done(struct snag_columns *c); /* accepts zeroed ones */
/* Lays out the lanes of variable x, unless they are too long. */
void snag_columns_fill(struct snag_columns *c, const struct snag_index *ix,
		       const struct snag_rows *rows, const struct snag_lanes *lanes, uint32_t x);

#endif
