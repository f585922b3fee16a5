/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.h - simd loops, whose iterations are to be seen as well
 *
 * Idea.   `#pragma omp simd`, also of a target or distributed, becomes a parallel loop of a team that the runtime knows by its number of
 *         threads (omp/marks.def: SIMD) and whose iterations are parallel.
 * Rules.  [safelen]   goes into the chunk size
 *         [clauses]   what only guides code generation goes away; of `if` what `target` has of it stays
 *         [variable]  of the loop, or of each of those that are collapsed: if it is one from outside, and the
 *                     pragma does not name it, it has its last value afterwards
 *         [linear]    is not said of these, which of a parallel loop are not
 *         [left]      a loop with an ordered region inside is left as it is; so are those with safelen that are no
 *                     rectangle (openmp_nest.h), and those of teams with linear, which a parallel
 *                     loop may not have
 */
#ifndef SNAG_CC_OPENMP_SIMD_H
#define SNAG_CC_OPENMP_SIMD_H

#include "cc/openmp_text.h"

/* Of a pragma that is simd, of no threads or tasks, or a `loop` of one thread; is_odd: its nloops loops are no
 * rectangle.  False: it is to be left. */
bool cc_simd_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after, unsigned nloops,
		     bool is_odd);

#endif
