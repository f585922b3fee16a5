/* SPDX-License-Identifier: Apache-2.0
 *
 * raced.h - the accesses to a variable, with their clocks, where races order their accesses
 *
 * Idea.   By definition a race changes no order.  For comparison with published figures, a
 *         detector may treat the accesses of a race as if each were a critical section of its
 *         own, of one lock (env->order_races).  Then the later access learns what came before
 *         the earlier one, so every earlier access that may still race is kept with its clock.
 * Rules.  [add]   a later access replaces an earlier one of the same kind if it is ordered
 *                 after it and holds no lock that the earlier one did not hold: it races with
 *                 all that the earlier one races with, and passes on what the earlier one knew.
 *                 A write also replaces reads, unless writes pass on less than reads.
 * Cost.   An access O(accesses that are kept).
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, "Handling races" in sections 5 and 7.1.
 */
#ifndef SNAG_DETECT_RACED_H
#define SNAG_DETECT_RACED_H

#include "order/lockset.h"
#include "order/vclock.h"

struct snag_raced_access {
	uint32_t thread;    /* its seat */
	uint32_t time;	    /* event + 1 */
	snag_lockset locks; /* 0 where locks do not count */
	bool is_write;
	struct snag_vclock *clock; /* the clock that the later access of a race joins */
	/* What a later write learns of an earlier one, if that is less (predictive_races.c); or
	 * NULL. */
	struct snag_vclock *now;
};

struct snag_raced { /* all 0: no access yet */
	struct snag_raced_access *at;
	uint32_t n;
	size_t cap;
};

/* Returns whether the two accesses race, if `before` is ordered before the later one. */
bool snag_raced_with(struct snag_locksets *locksets, const struct snag_raced_access *earlier,
		     const struct snag_raced_access *later, const struct snag_vclock *before);

/* [add] `now`: what is ordered before the access, with what its races have added.  The clocks
 * of the access are shared. */
void snag_raced_add(struct snag_raced *x, struct snag_vclock_pool *pool,
		    struct snag_locksets *locksets, const struct snag_raced_access *new,
		    const struct snag_vclock *now, bool writes_replace_reads);

/* Frees those of n variables. */
void snag_raced_free(struct snag_raced *x, size_t n, struct snag_vclock_pool *pool);

#endif
