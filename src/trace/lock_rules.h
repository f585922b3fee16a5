/* SPDX-License-Identifier: Apache-2.0
 *
 * lock_rules.h - the rules of locks, of threads or tasks
 *
 * Part of wellformed.c.
 *
 * Rules.  [acquire]   No other thread holds the lock, alone or shared.  A thread that
 *                     holds it shared cannot take it alone.
 *         [shared]    No other thread holds the lock alone.
 *         [release]   The thread holds the lock, in the same way; the acquires inside
 *                     are released first.
 *         [nested]    An acquire of a lock the thread holds, and the release that
 *                     matches, carry SNAG_NESTED; nothing else does.
 *
 * State.  lock[l]     the thread that holds it alone, how deep, since when; the list of
 *                     those that share it
 *         share[]     the members of these lists, and a list of free ones
 * Cost.   O(1) per event, but O(threads sharing the lock) for a lock that is shared.
 *         A few words per lock and shared hold.
 */
#ifndef SNAG_TRACE_LOCK_RULES_H
#define SNAG_TRACE_LOCK_RULES_H

#include "trace/source.h"

struct snag_lock_rules {
	struct snag_ruled_lock {
		uint32_t depth;	       /* how often one thread holds it alone; 0: no thread does */
		snag_tid holder;       /* the thread that holds it alone */
		uint32_t shared_depth; /* how often the holder has also acquired it shared */
		uint32_t shares;       /* the threads that share it: 1 + index of the first, or 0 */
		uint64_t since;
	} * lock;
	size_t lock_cap;
	struct snag_ruled_share {
		snag_tid thread;
		uint32_t depth;
		uint32_t next; /* as shares */
		uint64_t since;
	} * share;
	size_t nshares, share_cap;
	uint32_t free_shares; /* as shares */
};

/* Why an event is impossible: because of the thread itself, or because of who holds the lock. */
struct snag_lock_fault {
	const char *what; /* "acquire" */
	const char *why;  /* "does not hold it", or NULL: */
	snag_tid holder;
	bool is_shared;
	uint64_t since;
};

void snag_lock_rules_done(struct snag_lock_rules *r);
void snag_lock_rules_reserve(struct snag_lock_rules *r, const struct snag_counts *counts);

/* Checks an acquire or release, and sets SNAG_NESTED where it applies; it must be clear before.
 * Returns whether the event is possible. */
bool snag_lock_rules_check(struct snag_lock_rules *r, struct snag_event *ev, uint64_t place,
			   struct snag_lock_fault *ret_fault);

#endif
