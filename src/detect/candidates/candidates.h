/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates.h - every pair of accesses that may be a predictable race
 *
 * A candidate is a pair of conflicting plain accesses that hold no lock in common and that the
 * weakest necessary order (witness/decide/rows.h) does not order.  Every predictable race is a
 * candidate.
 */
#ifndef SNAG_DETECT_CANDIDATES_H
#define SNAG_DETECT_CANDIDATES_H

#include "witness/decide/index.h"

struct snag_candidates_options {
	enum snag_mode mode;
	/* Not all: for every candidate there is one with the same locations, operations and held
	 * locks, of the same threads. */
	bool by_class;
	const bool *locations; /* by location: only accesses at these; NULL: all */
	/* The accesses of a thread to a variable are always compared with SNAG_LANES_ALWAYS
	 * other threads, and each with SNAG_RANGE_ALWAYS accesses of each of these.  If this is
	 * set, further comparisons are made only while SNAG_CANDIDATES_SPARE, which all share,
	 * lasts.  on_cut() is called for each access that was not compared with all. */
	bool is_bounded;
	void (*on_cut)(void *ctx, uint32_t event);
};

enum { SNAG_LANES_ALWAYS = 256, SNAG_RANGE_ALWAYS = 64, SNAG_CANDIDATES_SPARE = 1 << 25 };

/* Returns false to end the enumeration. */
typedef bool snag_candidate_handler(void *ctx, uint32_t e1, uint32_t e2);

/* Enumerates variable by variable; e1 < e2. */
void snag_candidates(const struct snag_index *ix, const struct snag_candidates_options *options,
		     snag_candidate_handler *handler, void *ctx);

#endif
