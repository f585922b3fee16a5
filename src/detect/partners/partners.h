/* SPDX-License-Identifier: Apache-2.0
 *
 * partners.h - with which earlier accesses does a racy access race?
 *
 * Idea.   Detectors decide *that* an access is racy from little state, in one pass.  Naming all
 *         its partners exactly needs the past, but only of the racy variables.  So the question
 *         is set aside with the clock of the access, and a second reading answers all questions
 *         together. Accesses of one thread, of one kind, at one location, to one variable form a
 *         chain.  An order never forgets.  So the partners in a chain are its tail, from the
 *         clock's entry for that thread on, and binary search finds it.  Counting the racy pairs
 *         of two locations thus costs a logarithm, however many pairs there are.
 *         If accesses with a lock in common do not race, the accesses of a chain also hold the
 *         same locks, so a chain counts as a whole or not at all.
 *
 * State.  question[]  the racy accesses and what is ordered before each
 *         chain[]     during a reading: one per (racy variable, thread, kind, location, and
 *                     lockset if it counts)
 *
 * Bound.  A variable can have as many chains as racy accesses, and examining all of them for
 *         each access is quadratic.  So a question always examines SNAG_CHAINS_ALWAYS chains,
 *         the newest first, and more only while `spare` lasts, which all questions share.
 *         on_cut() is called for questions that were not fully answered.
 *
 * Cost.   16 bytes per question, and the clocks they share; a reading of the trace, plus for
 *         each question the chains it examines and a logarithm for each.  A trace without races
 *         is never read again.
 */
#ifndef SNAG_DETECT_PARTNERS_H
#define SNAG_DETECT_PARTNERS_H

#include "order/vclock.h"
#include "trace/race.h"
#include "trace/source.h"
#include "witness/decide/index.h"

/* The partners of one racy access in one chain. */
struct snag_partners_found {
	struct snag_site first;	 /* the last of them */
	struct snag_site second; /* the racy access */
	const uint32_t *event;	 /* all of them, ascending; first.event is the last */
	size_t n;
	const struct snag_vclock *before;
	const struct snag_vclock_pool *pool; /* the pool of that clock */
};

/* Returns false if the racy access needs no more of its partners named. */
typedef bool snag_partners_handler(void *ctx, const struct snag_partners_found *found);

enum { SNAG_CHAINS_ALWAYS = 1 << 10, SNAG_CHAINS_SPARE = 1 << 25 };

struct snag_partners {
	struct snag_vclock_pool *pool; /* of the clocks; set by the first question */
	struct snag_question {
		uint32_t event;
		uint32_t variable;
		struct snag_vclock *before;
	} * question;
	size_t n, cap;
	bool disjoint_locksets; /* accesses with a lock in common are no partners */
	uint64_t spare;		/* chains that questions may look at beyond SNAG_CHAINS_ALWAYS */
	snag_partners_handler *handler;
	/* The racy access may have partners that were not passed to the handler.  Called after
	 * the partners that were. */
	void (*on_cut)(void *ctx, uint32_t event);
	void *ctx;
};

/* For a question that has examined `n` chains: returns whether it may examine one more. */
static inline bool snag_partners_may_look(struct snag_partners *p, uint32_t n)
{
	if (n < SNAG_CHAINS_ALWAYS)
		return true;
	p->spare -= p->spare > 0;
	return p->spare > 0;
}

/* Initialises without a bound; to set one, set `spare`. */
void snag_partners_init(struct snag_partners *p, bool disjoint_locksets,
			snag_partners_handler *handler, void (*on_cut)(void *ctx, uint32_t event),
			void *ctx);
void snag_partners_done(struct snag_partners *p);

/* Sets a question aside; events come in ascending order. */
void snag_partners_ask(struct snag_partners *p, const struct snag_event *ev, uint32_t event,
		       struct snag_vclock *before, struct snag_vclock_pool *pool);
/* Returns whether so many have gathered that they should be answered now. */
bool snag_partners_should_answer(const struct snag_partners *p);
/* Answers all questions of all n, each in ascending order; src delivers the trace from its
 * beginning.  Questions can be answered again until they are dropped. */
int snag_partners_answer(struct snag_partners **p, size_t n, struct snag_source *src,
			 struct snag_error *err);
/* Answers all questions from the index of the trace, variable by variable; only pairs of accesses
 * at these locations (by location; NULL: all). */
void snag_partners_answer_indexed(struct snag_partners *p, const struct snag_index *ix,
				  const bool *locations);
/* Returns the question about an event, or NULL if it was not asked. */
const struct snag_question *snag_partners_question(const struct snag_partners *p, uint32_t event);
void snag_partners_drop(struct snag_partners *p);

#endif
