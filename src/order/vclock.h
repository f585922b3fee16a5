/* SPDX-License-Identifier: Apache-2.0
 *
 * vclock.h - THE vector clock: how much of each thread is ordered before a point
 *
 * Idea.   clock[u] = k means: all events of thread u before event number k come before the
 *         point. Clocks are shared, and copied only when one of several holders changes it.  So
 *         a release costs a reference, and memory follows the number of different live clocks,
 *         not threads x locks. Entries belong to seats, which successive threads share
 *         (seats.h).
 * State.  A reference-counted array of up to SNAG_VCLOCK_FLAT entries; entries beyond its length
 *         are 0.  A clock of a higher seat is deep: it has a tree (clock_tree.h) that shares its
 *         parts with other clocks.
 * Cost.   Flat: get O(1); share O(1); join O(threads), including a copy if shared.
 *         Deep: get O(log threads); share O(1); join as clock_tree.h.
 *
 * Only this file and vclock.c touch the array.
 */
#ifndef SNAG_ORDER_VCLOCK_H
#define SNAG_ORDER_VCLOCK_H

#include "order/clock_tree.h"
#include "order/seats.h"

enum { SNAG_VCLOCK_FLAT = 1024 };

#define SNAG_VCLOCK_DEEP UINT32_MAX

struct snag_vclock {
	uint32_t refs;
	uint32_t n;    /* entries: a power of two of at least 4; deep: 0 */
	uint32_t at[]; /* n entries below 2^31, and one more, always 0, for all others; deep:
		        * SNAG_VCLOCK_DEEP, an unused one, and the tree */
};

/* The memory of clocks; one per detector. */
struct snag_vclock_pool {
	struct snag_vclock *empty;	      /* everything 0; always alive */
	struct snag_vclock *free[33];	      /* unused clocks by log2 of n, linked through at[] */
	struct snag_clock_tree *free_node[2]; /* unused leaves and inner nodes */
	size_t live_bytes, peak_bytes;
	struct snag_seats seats; /* which thread owns which entry */
};

void snag_vclock_pool_init(struct snag_vclock_pool *pool);
void snag_vclock_pool_done(struct snag_vclock_pool *pool); /* clocks still alive are lost */

static inline void snag_vclock_pool_count(struct snag_vclock_pool *pool, size_t nbytes)
{
	pool->live_bytes += nbytes;
	if (pool->live_bytes > pool->peak_bytes)
		pool->peak_bytes = pool->live_bytes;
}

uint32_t snag_vclock_get_deep(const struct snag_vclock *c, uint32_t seat); /* by get only */

static inline uint32_t snag_vclock_get(const struct snag_vclock *c, uint32_t seat)
{
	uint32_t time = c->at[seat < c->n ? seat : c->n];
	return __builtin_expect(time != SNAG_VCLOCK_DEEP, 1) ? time : snag_vclock_get_deep(c, seat);
}

/* Returns before which event number all events of the thread come before. */
static inline uint32_t snag_vclock_of_thread(const struct snag_vclock_pool *pool,
					     const struct snag_vclock *c, uint32_t thread)
{
	return snag_vclock_get(c, snag_seat(&pool->seats, thread));
}

static inline struct snag_vclock *snag_vclock_share(struct snag_vclock *c)
{
	c->refs++;
	return c;
}

void snag_vclock_free(struct snag_vclock_pool *pool, struct snag_vclock *c); /* by drop only */

static inline void snag_vclock_drop(struct snag_vclock_pool *pool,
				    struct snag_vclock *c) /* accepts NULL */
{
	if (c && --c->refs == 0)
		snag_vclock_free(pool, c);
}

/* Replaces *c by the join of *c, `other` and {seat: time}. */
void snag_vclock_join(struct snag_vclock_pool *pool, struct snag_vclock **c,
		      const struct snag_vclock *other, uint32_t seat, uint32_t time);

#endif
