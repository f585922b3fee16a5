/* SPDX-License-Identifier: Apache-2.0
 *
 * history.h - the accesses to a location that a later one may race with, when locks count
 *
 * Idea.   As frontier.h, for relations whose races need disjoint locksets.  An earlier access
 *         is forgotten when a later one is ordered after it, conflicts with all it conflicts
 *         with, and holds no lock it did not hold: whatever races with the earlier one then
 *         races with the later one too.
 * State.  A list of entries.  `time` is the event number + 1.
 * Cost.   O(entries).
 */
#ifndef SNAG_ORDER_HISTORY_H
#define SNAG_ORDER_HISTORY_H

#include "order/lockset.h"
#include "order/vclock.h"

struct snag_history_entry {
	uint32_t thread;
	uint32_t time;
	snag_lockset locks;
	bool is_write;
};

struct snag_history {
	struct snag_history_entry *at;
	uint32_t n, cap;
};

void snag_history_done(struct snag_history *h);

/* Adds an access made at `clock`; returns whether it is racy. */
bool snag_history_access(struct snag_history *h, struct snag_locksets *locksets,
			 const struct snag_vclock *clock, struct snag_history_entry new);

#endif
