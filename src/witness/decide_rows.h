/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_rows.h - the weakest order that every witness keeps, as rows of counts
 *
 * Idea.   If an event is in a witness, then so is, and comes earlier, what its thread
 *         did before; the fork of its thread; for a join all that the joined thread did;
 *         and, for reads that must keep their writer, that writer.  The set of what must
 *         precede an event is a count per thread: a *row*.  Along a thread rows change
 *         only where something of another thread comes in, so an event has the number of
 *         a row, and many events share one.
 *
 * Modes.  In mode M2 every read keeps its writer.  In mode DEP only causal reads do: those that
 *         a write of their thread in the witness follows, or a branch that depends on
 *         them.  An event alone makes causal only the reads before the last write or branch
 *         up to it: that is its row `alone`.  If something after it is known to be in
 *         the witness, all reads up to it may be causal: `causal`, a larger row.  In mode M2
 *         both are the same.
 *         A branch that names variables (trace/event.h) makes causal only their reads, and those
 *         from before the thread named any.
 *
 * State.  row r is counts[r x threads] ..; the entry of an event's own thread is of no
 *         interest.  Row 0 is all zeros.
 *         dependent[e] (mode DEP)  1 + the position of the last write or branch of its thread up
 *                      to e that makes all earlier reads causal
 *         named[r]     of a read: the position of the first branch that depends on it, but not on
 *                      all reads; UINT32_MAX: none does
 * Cost.   4 bytes an event (DEP: 12, with DEPENDS events 16) and threads x 4 bytes for each change.
 */
#ifndef SNAG_WITNESS_DECIDE_ROWS_H
#define SNAG_WITNESS_DECIDE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum snag_mode {
	SNAG_MODE_M2,  /* every read keeps its writer (SNAG_RULES_READS) */
	SNAG_MODE_DEP, /* only causal reads do (SNAG_RULES_DEPENDENCE) */
	SNAG_MODES
};

struct snag_rows {
	uint32_t *causal, *alone; /* by event: row numbers; one array in mode M2 */
	uint32_t *start;	  /* by thread: the row before its first event */
	uint32_t *dependent;	  /* by event; NULL in mode M2 */
	uint32_t *named;	  /* by event; NULL: branches depend on all reads */
	uint32_t *counts;
	size_t nrows, cap;
};

struct snag_index;
void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode);
void snag_rows_done(struct snag_rows *rows); /* accepts zeroed ones */

/* The counts of a row. */
static inline const uint32_t *snag_rows_at(const struct snag_rows *rows, uint32_t nthreads,
					   uint32_t row)
{
	return rows->counts + (size_t)row * nthreads;
}

#endif
