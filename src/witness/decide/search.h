/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h - tries the choices that propagation leaves open
 */
#ifndef SNAG_WITNESS_DECIDE_SEARCH_H
#define SNAG_WITNESS_DECIDE_SEARCH_H

#include "witness/decide/decide.h"
#include "witness/decide/linearise.h"

struct snag_search {
	struct snag_state *s;
	struct snag_line *line;
	snag_tid prefer[2];  /* the threads of the race */
	uint32_t nodes, max; /* tried so far, and at most */
	uint64_t max_work;   /* of the state */
	bool probes;	     /* looks ahead before it chooses */
};

/* From a state that is propagated.  VERIFIED: line->event[] is the order of the window. */
enum snag_decision snag_search(struct snag_search *q);

#endif
