/* SPDX-License-Identifier: Apache-2.0
 *
 * closed.h - two polynomial procedures for one pair: fixed events, fixed order
 *
 * Idea.   Both procedures take one set of events, S, the least closed one, and ask whether one
 *         particular kind of order of S is a valid trace.  So a pair needs no search.
 *
 *         PRESERVING  S has all that must precede the two accesses (rows.h), and the release of
 *                     each section that a competing section of S was observed after.  S in
 *                     observed order is the witness.
 *         OPTIMISTIC  S has all that must precede the two accesses, and every release that need
 *                     not follow one of them, with all that must precede the release.  Conflicting
 *                     accesses and sections that end in S keep the observed order.  A section that
 *                     does not end in S runs last of its lock (optimistic.h).
 *
 * Guarantee.  Sound, and exact for these two definitions.  Sections compete if they are of one
 *         lock, of different threads and not both shared.
 * Cost.   PRESERVING: O(threads) for each release that S gains.  OPTIMISTIC: the same, and where
 *         a section has to be delayed, the events of S that were observed after it.
 * Reference.  Mathur, Pavlogiannis and Viswanathan, POPL 2021 (sync-preserving races); Shi, Mathur
 *         and Pavlogiannis, ICSE 2024 (optimistic sync-reversal races).
 */
#ifndef SNAG_WITNESS_DECIDE_CLOSED_H
#define SNAG_WITNESS_DECIDE_CLOSED_H

#include "witness/decide/decide.h"

enum snag_closed_by {
	SNAG_PRESERVING,
	SNAG_OPTIMISTIC,
};

struct snag_closed;

/* The index must have the rows of mode M2, and outlive it.  For OPTIMISTIC its stacks must have all
 * locks (snag_index_new_published). */
struct snag_closed *snag_closed_new(const struct snag_index *ix, enum snag_closed_by closure);
void snag_closed_free(struct snag_closed *c); /* accepts NULL */

/* As snag_decide(), but INFEASIBLE only means that the pair is no race by the definition. */
enum snag_decision snag_closed_decide(struct snag_closed *c, uint32_t e1, uint32_t e2);
/* After INFEASIBLE: returns whether the pair is certainly no predictable race. */
bool snag_closed_is_certain(const struct snag_closed *c);
/* After VERIFIED, until the next decision: the witness, with a prefix. */
const struct snag_witness *snag_closed_witness(const struct snag_closed *c);

#endif
