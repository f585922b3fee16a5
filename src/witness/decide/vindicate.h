/* SPDX-License-Identifier: Apache-2.0
 *
 * vindicate.h - VindicateWDPRace and VindicateDCRace, the published procedures for one pair
 *
 * It collects constraints, then makes one greedy attempt.  It exists for comparison with
 * decide.h, which is exact.  It works on the same index and state, in any mode.  In mode DC it is
 * VindicateDCRace, its predecessor: then INFEASIBLE may be wrong.
 */
#ifndef SNAG_WITNESS_DECIDE_VINDICATE_H
#define SNAG_WITNESS_DECIDE_VINDICATE_H

#include "witness/decide/decide.h"

struct snag_vindicator;

/* The index must have the rows of the mode, and outlive it.  max_window: events; 0: the default of
 * decide.h. */
struct snag_vindicator *snag_vindicator_new(const struct snag_index *ix, enum snag_mode mode,
					    uint32_t max_window);
/* From now on begins with windows however few events are needed, for tests. */
void snag_vindicator_use_windows(struct snag_vindicator *v);
void snag_vindicator_free(struct snag_vindicator *v); /* accepts NULL */

/* As snag_decide(), but UNDECIDED means that the attempt has failed, or that more events are
 * needed than the window has. */
enum snag_decision snag_vindicate(struct snag_vindicator *v, uint32_t e1, uint32_t e2);
/* After VERIFIED, until the next decision: the witness, with a prefix. */
const struct snag_witness *snag_vindicator_witness(const struct snag_vindicator *v);

#endif
