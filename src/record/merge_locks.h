/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_locks.h - which lock a record of threads that run in parallel means
 *
 * Idea.   Locks of threads that run in parallel are the C library's, so the runtime knows their
 *         address and nothing else.  The merge sees all operations in their order, and here
 *         numbers the locks and follows who holds them.
 *
 * Rules.  [number]   A lock has a number since it was met first; after RT_LOCK_ENDS another one.
 *         [depth]    Only the outermost acquire and release of a recursive lock are events.
 *         [foreign]  A release by a thread that does not hold the lock is no event, and the lock is
 *                    another one from there on, as when threads take turns (interpose/mutex.c).
 *         [given]    Locks that the runtime has numbered itself keep their records as they are, but
 *                    for the number.
 */
#ifndef SNAG_RECORD_MERGE_LOCKS_H
#define SNAG_RECORD_MERGE_LOCKS_H

#include "base/slots.h"
#include "runtime/channel/channel.h"

struct snag_merge_lock {
	uint64_t key; /* its address, or GIVEN and the number that the runtime gave it */
	uint32_t number;
	uint32_t holder; /* + 1; 0: no thread */
	uint32_t depth;
};

struct snag_merge_locks {
	struct snag_merge_lock *lock;
	size_t n, cap;
	struct snag_slots slots; /* by key */
	uint32_t numbers;	 /* given out */
};

void snag_merge_locks_done(struct snag_merge_locks *l);
/* Completes a record of `thread` about a lock; false: it is no event. */
bool snag_merge_locks_take(struct snag_merge_locks *l, struct rt_record *r, uint32_t thread);

#endif
