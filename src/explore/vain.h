/* SPDX-License-Identifier: Apache-2.0
 *
 * vain.h - threads that look at memory again and again, in an exhaustive search
 *
 * Idea.   A thread that waits in a loop for a value can look once, twice, or any number of times
 *         before another thread writes it.  Each number is a class of its own, so the classes have
 *         no end. Nothing new happens in them: the thread reads what it has read before, at the
 *         same places. So a reversal that only adds one more look in vain is left out, behind the
 *         first few.
 * Rules.  [vain]     A look is in vain if the thread's moves repeat: the last moves, as many as
 *                    lie between two looks at this place, only read, and read the same memory with
 *                    the same values, SNAG_LOOKS times in a row.
 *         [private]  They may write memory that no other thread touches: the expected value of a
 *                    compare-exchange.
 *         [try]      A compare-exchange that fails only reads.  If the next one succeeded because
 *                    the other thread wrote first, it fails again in the other order.
 *
 * Guarantee.  None beyond the looks: a loop that gives up after more than SNAG_LOOKS looks is not
 *         seen to do so.  The search says that it left out such runs.
 */
#ifndef SNAG_EXPLORE_VAIN_H
#define SNAG_EXPLORE_VAIN_H

#include "explore/relation.h"

enum { SNAG_LOOKS = 4 };

/* Returns whether the run of the reversal differs from runs with fewer looks only by a look in
 * vain. */
bool snag_reversal_is_vain(const struct snag_relation *r, const struct snag_reversal *v);

#endif
