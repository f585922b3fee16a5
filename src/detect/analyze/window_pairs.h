/* SPDX-License-Identifier: Apache-2.0
 *
 * window_pairs.h - the pairs of a relation, decided in a window of the trace
 *
 * Idea.   A relation such as wdp sees every event of a long trace, so it names all of its pairs.
 *         But to decide them, the trace must be in memory.  If only a window of it is, the pairs
 *         whose accesses both lie in the window are decided there, as the candidates of m2 are.
 *
 * Rules.  [pairs]    Of a race of two locations, the pair that is shown is tried first, then the
 *                    nearest others (instances.h), until one is predicted.
 *         [reads]    In a witness every read keeps its writer, also if the relation is one of
 *                    dependence: a slice has no branches.  Such a witness is valid by dependence,
 *                    too.
 *         [refuted]  A pair without a witness in the window may have one in the whole trace.  So
 *                    nothing is refuted: it stays unverified.
 *
 * Guarantee.  What is predicted has a checked witness (windows.h).  No race is added or removed.
 * Cost.       An index of the window, if it has such a pair.
 */
#ifndef SNAG_DETECT_WINDOW_PAIRS_H
#define SNAG_DETECT_WINDOW_PAIRS_H

#include "detect/analyze/collector.h"
#include "detect/slice/slice.h"

/* Decides the unverified races of these collectors that lie in the window, until `stop` is set. */
void snag_window_pairs_decide(const struct snag_slice *window, struct snag_collector *const *c,
			      size_t n, const volatile sig_atomic_t *stop);

#endif
