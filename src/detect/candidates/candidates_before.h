/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates_before.h - looks up what must precede many accesses at once
 *
 * Idea.   The path from an access to the row of what must precede it has four links, each
 *         elsewhere in memory.  Many accesses follow it together, link by link, so that their
 *         cache misses overlap.  For a variable with many candidates, the rows of all its
 *         accesses are laid out by thread.  Whether an access must follow one of thread t is
 *         asked along a lane, and then memory is read sequentially too.
 *
 * State.  event[i]          the i-th access of the variable, lane after lane
 *         column[t][i]      how many events of t must precede it; SNAG_NOT_KEPT: ask
 *                           decide/rows.h
 */
#ifndef SNAG_DETECT_CANDIDATES_BEFORE_H
#define SNAG_DETECT_CANDIDATES_BEFORE_H

#include "witness/decide/index.h"

struct snag_asked {
	snag_tid thread;
	uint32_t position;
	bool is_write;
	/* The answer. */
	struct snag_point before;
	const uint32_t *row; /* of that; NULL: not kept */
};

void snag_before_ask(const struct snag_index *ix, const struct snag_rows *rows,
		     struct snag_asked *asked, uint32_t n);

enum { SNAG_NOT_KEPT = UINT32_MAX };

struct snag_columns {
	uint32_t begin, n; /* in the lanes; n = 0: not laid out */
	uint32_t *event;
	uint32_t *column; /* of t from t x n on */
	size_t event_cap, column_cap;
};

void snag_columns_done(struct snag_columns *c); /* accepts zeroed ones */
/* Lays out the lanes of variable x, unless they are too long. */
void snag_columns_fill(struct snag_columns *c, const struct snag_index *ix,
		       const struct snag_rows *rows, const struct snag_lanes *lanes, uint32_t x);

#endif
