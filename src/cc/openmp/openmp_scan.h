/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_scan.h - loops with reduction(inscan, ...)
 *
 * Idea.   Compilers run all input phases, a barrier, and all scan phases (exclusive: the other way
 *         round).  Then no phase of the one kind would be parallel to one of the other.  But by the
 *         specification only the variables of the clause are ordered: different iterations must not
 *         use other data in common (OpenMP 5.1, 2.11.8, restrictions).  One thread runs at a
 *         time, so iterations can stay whole, and running them in order is the scan.
 * Rules.  [list]    reduction(inscan, + : a, b) becomes firstprivate(a, b) lastprivate(a, b): one
 *                   thread gets all iterations in order (omp/marks.def: CHUNK_SCAN), and its copies
 *                   hold the sums so far.
 *         [scan]    The directive goes away.
 *         [simd]    Likewise for a loop that is also one of threads, with its clauses.
 *         [update]  The input phase must only add to a variable of the list (x += e,
 *                   x = x > e ? x : e).  It might also set it, because its copy is the neutral
 *                   element there.
 *         [left]    Other loops stay with their `scan`: those that are also target regions, or
 *                   whose list has parts of arrays.
 */
#ifndef SNAG_CC_OPENMP_SCAN_H
#define SNAG_CC_OPENMP_SCAN_H

#include "cc/text/text.h"

/* Rewrites the pragma of such a loop; the text `after` follows the pragma.  Returns false if the
 * pragma stays as it is, as all other pragmas do. */
bool cc_scan_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after);

#endif
