/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.h - simd loops as parallel loops, so that the runtime sees their iterations
 *
 * Idea.   `#pragma omp simd`, also of a target or distributed, becomes a parallel loop of a
 *         team that the runtime recognises by its number of threads (omp/marks.def: SIMD).
 *         Its iterations are parallel.
 * Rules.  [safelen]   The length goes into the chunk size.
 *         [clauses]   Clauses that only guide code generation go away; an `if` keeps the part for
 *                     `target`.
 *         [variable]  A loop variable from outside that the pragma does not name has its last value
 *                     afterwards; so has each one of collapsed loops.
 *         [linear]    A parallel loop must not name its loop variables in `linear`: they are left
 *                     out there.
 *         [left]      These loops stay as they are: with an ordered region inside; with safelen, if
 *                     they are no rectangle (openmp_nest.h); of teams with linear, which a parallel
 *                     loop may not have.
 */
#ifndef SNAG_CC_OPENMP_SIMD_H
#define SNAG_CC_OPENMP_SIMD_H

#include "cc/text/text.h"

/* Rewrites a pragma with simd and without threads or tasks, or a `loop` of one thread. is_odd:
 * its nloops loops are no rectangle. Returns false if the pragma stays as it is. */
bool cc_simd_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after, unsigned nloops,
		     bool is_odd);

#endif
