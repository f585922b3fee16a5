/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.h - why a pair of accesses is no race, in terms of events
 *
 * A decision (decide.h) says that no witness exists.  This says what is in the way: a lock that
 * both accesses hold, a chain of events that puts one access before the other, a circle of events
 * each of which must come before the next, or two sections of a lock of which neither can come
 * first.  If a decision needed a search, there is no such short reason.
 */
#ifndef SNAG_WITNESS_EXPLAIN_H
#define SNAG_WITNESS_EXPLAIN_H

#include "witness/decide/index.h"

enum snag_why {
	SNAG_WHY_LOCK, /* both hold a lock: event[0] and event[1] are the acquires */
	/* `event[0]` is one access, the last event the other, each needs the one before. */
	SNAG_WHY_ORDERED,
	SNAG_WHY_CYCLE, /* each event must come before the next, and the last before the first */
	/* The sections of acquires event[0] and event[1]: neither can come first. */
	SNAG_WHY_SECTION,
	SNAG_WHY_SEARCH, /* every order of what is open was tried */
	SNAG_WHYS
};

extern const char *const snag_why_text[SNAG_WHYS]; /* "lock", ... */

struct snag_explanation {
	enum snag_why why;
	uint32_t *event;
	size_t n;
};

/* Of a pair that is infeasible in the mode, whose rows the index has. */
void snag_explain(const struct snag_index *ix, enum snag_mode mode, uint32_t e1, uint32_t e2,
		  struct snag_explanation *ret);
void snag_explanation_done(struct snag_explanation *x); /* accepts zeroed ones */

/* Why event a comes before event b, which are neighbours in an explanation: "in program order". */
const char *snag_explain_step(const struct snag_index *ix, uint32_t a, uint32_t b);

#endif
