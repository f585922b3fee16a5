/* SPDX-License-Identifier: Apache-2.0
 *
 * history.c - the accesses to a location that a later one may race with, when locks count
 */
#include "order/history.h"

#include "base/memory.h"

void snag_history_done(struct snag_history *h)
{
	free(h->at);
}

bool snag_history_access(struct snag_history *h, struct snag_locksets *locksets,
			 const struct snag_vclock *clock, struct snag_history_entry new)
{
	bool is_racy = false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < h->n; i++) {
		const struct snag_history_entry e = h->at[i];
		bool is_ordered =
			e.thread == new.thread || e.time <= snag_vclock_get(clock, e.thread);
		if (!is_ordered && (e.is_write || new.is_write))
			is_racy |= !snag_lockset_excludes(locksets, e.locks, new.locks);
		else if (is_ordered && (new.is_write || !e.is_write) &&
			 snag_lockset_within(locksets, new.locks, e.locks))
			continue;
		h->at[kept++] = e;
	}
	size_t cap = h->cap;
	h->at = snag_grow(h->at, &cap, kept + 1u, sizeof(*h->at));
	h->cap = (uint32_t)cap;
	h->at[kept++] = new;
	h->n = kept;
	return is_racy;
}
