/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates.h - every pair of accesses that may be a predictable race
 *
 * A candidate is a pair of conflicting plain accesses that hold no lock in common and that the
 * weakest necessary order (witness/decide_rows.h) does not order.  No predictable race is
 * anything else.
 */
#ifndef SNAG_DETECT_CANDIDATES_H
#define SNAG_DETECT_CANDIDATES_H

#include "witness/decide_index.h"

struct snag_candidates_options {
	enum snag_mode mode;
	/* Not all: for every candidate there is one with the same locations, operations
	 * and locks held, of the same threads. */
	bool by_class;
	const bool *locations; /* by location: only accesses at these; NULL: all */
};

/* False: enough. */
typedef bool snag_candidate_handler(void *ctx, uint32_t e1, uint32_t e2);

/* Variable by variable; e1 < e2. */
void snag_candidates(const struct snag_index *ix, const struct snag_candidates_options *options,
		     snag_candidate_handler *handler, void *ctx);

#endif
