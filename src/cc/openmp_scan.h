/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_scan.h - loops with reduction(inscan, ...)
 *
 * Idea.   Compilers run all of what comes before `scan`, a barrier, and all of what comes behind it
 *         (or the other way round: exclusive), so that nothing of the one would be parallel to the
 *         other.  But only the variables of the clause are in order by the specification: no other data
 *         may be used by different iterations (OpenMP 5.1, 2.11.8, restrictions).  Since one thread runs at
 *         a time, iterations can be whole: then running them in order is the scan.
 * Rules.  [list]    reduction(inscan, + : a, b) becomes firstprivate(a, b) lastprivate(a, b): one thread gets
 *                   all iterations in order (omp/marks.def: CHUNK_SCAN), and in its copies are the sums so far
 *         [scan]    goes away
 *         [simd]    likewise, where the loop is one of threads too, with its clauses
 *         [update]  if the input phase only adds to what a variable of the list is (x += e, x = x > e ? x : e): it
 *                   may also set it, as its copy is the neutral element there
 *         [left]    other loops, those that are also target regions, or whose list has parts of arrays, and
 *                   their `scan`
 */
#ifndef SNAG_CC_OPENMP_SCAN_H
#define SNAG_CC_OPENMP_SCAN_H

#include "cc/openmp_text.h"

/* The pragma of such a loop, or any other, which the text `after` follows.  False: it is to be left. */
bool cc_scan_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after);

#endif
