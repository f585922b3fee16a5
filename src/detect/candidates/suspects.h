/* SPDX-License-Identifier: Apache-2.0
 *
 * suspects.h - pairs of a run, and whether another run can bring them together by dependence
 *
 * Idea.   The trace of a run says which reads its branches depend on, if the program was built so.
 *         Then a pair can be refuted by the rules of `wdp`: a run that takes the branches that
 *         this one took never has both accesses next to each other.  Only the given pairs are
 *         decided, on what the trace has.  That may be a part of the run: all synchronisation and
 *         atomics, and all plain accesses of some words, among them those with atomics, and
 *         the branches that matter for these (trace/branch_filter.h).
 *
 * Rules.  [none]  if the trace has no branch in the beginning, it is taken to have none
 *
 * Guarantee.  A refuted pair has no witness by dependence in the whole run.  Without the other
 *             accesses fewer reads keep their writer, so such a witness would be one here.
 *             That says nothing of runs in which a branch goes another way.
 * Cost.   One reading, about 100 bytes per event, and a decision for each pair.  Nothing is refuted
 *         if there are more than SNAG_SUSPECTS_EVENTS events.
 */
#ifndef SNAG_DETECT_SUSPECTS_H
#define SNAG_DETECT_SUSPECTS_H

#include "trace/source.h"

enum { SNAG_SUSPECTS_EVENTS = 1 << 20 };

struct snag_suspect {
	uint32_t first, second; /* the numbers of two conflicting accesses */
	bool is_refuted;
};

/* Reads the trace from its beginning, and sets is_refuted of each pair. */
int snag_suspects_decide(struct snag_source *src, struct snag_suspect *suspect, size_t n,
			 struct snag_error *err);

#endif
