/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.h - one pair of accesses, decided and explained
 */
#ifndef SNAG_DETECT_PAIR_H
#define SNAG_DETECT_PAIR_H

#include "detect/analyze/analyze.h"
#include "witness/decide/decide.h"
#include "witness/decide/explain.h"

struct snag_decided_pair {
	enum snag_rules rules; /* by which it was decided: not AUTO */
	enum snag_decision decision;
	struct snag_explanation explanation; /* if it is infeasible */
	struct snag_index *ix;
	/* As if a detector had found the race, if it is one. */
	struct snag_analysis analysis;
};

/* Decides whether the two events race.  Fails with SNAG_EINPUT, and one line of words, if they are
 * no conflicting accesses.  The trace must outlive the pair. */
int snag_pair_decide(const struct snag_trace *trace, uint64_t e1, uint64_t e2,
		     enum snag_rules rules, uint32_t budget, struct snag_decided_pair *ret_pair,
		     struct snag_error *err);
void snag_pair_done(struct snag_decided_pair *p); /* accepts zeroed ones */

#endif
