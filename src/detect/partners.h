/* SPDX-License-Identifier: Apache-2.0
 *
 * partners.h - with which earlier accesses does a racy access race?
 *
 * Idea.   Detectors decide *that* an access is racy from little state, as the trace goes by.
 *         Naming all its partners exactly needs the past, but only of the variables that
 *         turned out racy.  So the question is put aside, with the clock of the access,
 *         and questions are answered together in one later pass over the log.  Accesses
 *         of one thread, of one kind, at one location, to one variable form a chain; an
 *         order never forgets, so the partners in a chain are those from the clock's entry
 *         for that thread on: its tail, found by binary search.  Counting the racy pairs
 *         of two locations so costs a logarithm, however many pairs there are.
 *
 * State.  question[]  the racy accesses and what is ordered before each
 *         chain[]     during a pass: one per (variable, thread, kind, location)
 *
 * Cost.   16 bytes a question, and the clocks they share; a pass O(events), plus for each
 *         question the chains of its variable and a logarithm for each.  A pass is made when
 *         many questions have gathered, and at the end.
 */
#ifndef SNAG_DETECT_PARTNERS_H
#define SNAG_DETECT_PARTNERS_H

#include "detect/log.h"
#include "order/vclock.h"

/* The partners of racy access `event` in one chain: the accesses first[0 .. n),
 * ascending; all have the thread, kind and location of the last. */
typedef void snag_partners_found(void *ctx, uint32_t event, const uint32_t *first, size_t n,
				 const struct snag_vclock *before);

struct snag_partners {
	const struct snag_log *log;
	struct snag_vclock_pool *pool; /* of the clocks; set by the first question */
	struct snag_question {
		uint32_t event;
		struct snag_vclock *before;
	} * question;
	size_t n, cap;
	snag_partners_found *found;
	void *ctx;
};

void snag_partners_init(struct snag_partners *p, const struct snag_log *log,
			snag_partners_found *found, void *ctx);
void snag_partners_done(struct snag_partners *p);

/* Puts a question aside; events come in ascending order.  The event and all before it
 * must be in the log. */
void snag_partners_ask(struct snag_partners *p, uint32_t event, struct snag_vclock *before,
		       struct snag_vclock_pool *pool);
/* Answers all questions, in ascending order. */
void snag_partners_answer(struct snag_partners *p);

#endif
