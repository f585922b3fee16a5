/* SPDX-License-Identifier: Apache-2.0
 *
 * frontier.h - the latest accesses to a location that a later one may race with
 *
 * Idea.   To decide whether an access is ordered after all earlier ones, it is enough to
 *         remember those earlier accesses that no other remembered access is ordered after.
 *         Mostly that is a single access: an epoch, kept in place.  A frontier grows into a set
 *         with one entry per thread only when accesses are unordered.  It shrinks back when a
 *         later access is ordered after all of them.
 * State.  thread, time: the only access (time 0: none); or thread = MANY and time the number of
 *         a set in the pool.  `time` of an access is its event number + 1, so the access is
 *         ordered before a point with clock c iff time <= c[thread].
 * Cost.   O(1) while there is one access.  A set is a hash table by thread: adding and pruning
 *         are O(1) amortised.  A test is O(1) if the access that was unordered last time still
 *         is, and O(entries) otherwise.
 */
#ifndef SNAG_ORDER_FRONTIER_H
#define SNAG_ORDER_FRONTIER_H

#include "order/vclock.h"

#include <stdbool.h>

struct snag_frontier {
	uint32_t thread;
	uint32_t time;
};

enum { SNAG_FRONTIER_MANY = UINT32_MAX };

/* The memory of the sets of frontiers; one per detector. */
struct snag_frontier_pool {
	struct snag_frontier_set *set;
	size_t nsets, cap;
	uint32_t unused; /* first of a list of free set numbers; UINT32_MAX: none */
};

void snag_frontier_pool_init(struct snag_frontier_pool *pool);
void snag_frontier_pool_done(struct snag_frontier_pool *pool);

/* The functions for sets; use the inline functions below. */
bool snag_frontier_set_before(const struct snag_frontier_pool *pool, uint32_t set,
			      const struct snag_vclock *clock, uint32_t thread);
uint32_t snag_frontier_set_unordered(const struct snag_frontier_pool *pool, uint32_t set,
				     const struct snag_vclock *clock, uint32_t thread);
void snag_frontier_set_free(struct snag_frontier_pool *pool, uint32_t set);
void snag_frontier_add_slow(struct snag_frontier_pool *pool, struct snag_frontier *f,
			    const struct snag_vclock *clock, uint32_t thread, uint32_t time);
/* Forgets accesses that are ordered before, by `clock` or because they belong to `thread`.  It
 * prunes a small set at each call, and a large one only at some calls. */
void snag_frontier_prune(struct snag_frontier_pool *pool, struct snag_frontier *f,
			 const struct snag_vclock *clock, uint32_t thread);

static inline bool snag_frontier_is_one(const struct snag_frontier *f) /* or none */
{
	return f->thread != (uint32_t)SNAG_FRONTIER_MANY;
}

/* Returns whether the single access is ordered before a point of `thread` with `clock`. */
static inline bool snag_frontier_one_before(const struct snag_frontier *f,
					    const struct snag_vclock *clock, uint32_t thread)
{
	return (f->time <= snag_vclock_get(clock, f->thread)) | (f->thread == thread);
}

/* Returns whether every access of another thread is ordered before. */
static inline bool snag_frontier_before(const struct snag_frontier_pool *pool,
					const struct snag_frontier *f,
					const struct snag_vclock *clock, uint32_t thread)
{
	if (snag_frontier_is_one(f))
		return snag_frontier_one_before(f, clock, thread);
	return snag_frontier_set_before(pool, f->time, clock, thread);
}

/* Returns the time of an access that is not ordered before, or 0 if all are. */
static inline uint32_t snag_frontier_unordered(const struct snag_frontier_pool *pool,
					       const struct snag_frontier *f,
					       const struct snag_vclock *clock, uint32_t thread)
{
	if (!snag_frontier_is_one(f))
		return snag_frontier_set_unordered(pool, f->time, clock, thread);
	return snag_frontier_one_before(f, clock, thread) ? 0 : f->time;
}

/* Forgets all accesses.  Then the frontier holds this access, or none if `time` is 0. */
static inline void snag_frontier_set(struct snag_frontier_pool *pool, struct snag_frontier *f,
				     uint32_t thread, uint32_t time)
{
	if (!snag_frontier_is_one(f))
		snag_frontier_set_free(pool, f->time);
	f->thread = thread;
	f->time = time;
}

/* Adds an access made at `clock`. */
static inline void snag_frontier_add(struct snag_frontier_pool *pool, struct snag_frontier *f,
				     const struct snag_vclock *clock, uint32_t thread,
				     uint32_t time)
{
	if (snag_frontier_is_one(f) && snag_frontier_one_before(f, clock, thread)) {
		f->thread = thread;
		f->time = time;
		return;
	}
	snag_frontier_add_slow(pool, f, clock, thread, time);
}

#endif
