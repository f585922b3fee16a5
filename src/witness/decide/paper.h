/* SPDX-License-Identifier: Apache-2.0
 *
 * paper.h - RaceDecision, the published procedure for one pair
 *
 * It is sound, polynomial, and complete for two threads.  It exists for comparison with
 * decide.h, which is exact.  It works on the same index, in mode M2.
 */
#ifndef SNAG_WITNESS_DECIDE_PAPER_H
#define SNAG_WITNESS_DECIDE_PAPER_H

#include "witness/decide/decide.h"

struct snag_paper;

/* The index must have the rows of mode M2, and outlive it.  max_window: events; 0: the default of
 * decide.h. */
struct snag_paper *snag_paper_new(const struct snag_index *ix, uint32_t max_window);
void snag_paper_free(struct snag_paper *p); /* accepts NULL */

/* From now on every pair that needs a closure gets that of the whole cones. */
void snag_paper_use_no_windows(struct snag_paper *p);

/* As snag_decide(), but INFEASIBLE only means rejected.  UNDECIDED: the cones are too large for the
 * memory, or their closure takes too long. */
enum snag_decision snag_paper_decide(struct snag_paper *p, uint32_t e1, uint32_t e2);
/* After INFEASIBLE: returns whether the pair is certainly no race, by the dynamic criterion of
 * completeness. */
bool snag_paper_is_certain(const struct snag_paper *p);
/* After VERIFIED, until the next decision: the witness, with a prefix. */
const struct snag_witness *snag_paper_witness(const struct snag_paper *p);

#endif
