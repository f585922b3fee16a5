/* SPDX-License-Identifier: Apache-2.0
 *
 * raced.c - the accesses to a variable, with their clocks, where races order their accesses
 */
#include "detect/raced.h"

#include "base/memory.h"

#include <stdlib.h>

static bool is_known(const struct snag_raced_access *e, const struct snag_raced_access *later,
		     const struct snag_vclock *clock)
{
	return e->thread == later->thread || e->time <= snag_vclock_get(clock, e->thread);
}

static void clocks_drop(struct snag_vclock_pool *pool, const struct snag_raced_access *e)
{
	snag_vclock_drop(pool, e->clock);
	snag_vclock_drop(pool, e->now);
}

bool snag_raced_with(struct snag_locksets *locksets, const struct snag_raced_access *earlier,
		     const struct snag_raced_access *later, const struct snag_vclock *before)
{
	return (earlier->is_write || later->is_write) && !is_known(earlier, later, before) &&
	       !(earlier->locks && later->locks &&
		 snag_lockset_excludes(locksets, earlier->locks, later->locks));
}

static bool is_replaced(struct snag_locksets *locksets, const struct snag_raced_access *e,
			const struct snag_raced_access *new, const struct snag_vclock *now,
			bool writes_replace_reads)
{
	bool is_of_kind = e->is_write == new->is_write || (new->is_write &&writes_replace_reads);
	return is_of_kind && is_known(e, new, now) &&
	       (!new->locks || snag_lockset_within(locksets, new->locks, e->locks));
}

void snag_raced_add(struct snag_raced *x, struct snag_vclock_pool *pool,
		    struct snag_locksets *locksets, const struct snag_raced_access *new,
		    const struct snag_vclock *now, bool writes_replace_reads)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (is_replaced(locksets, &x->at[i], new, now, writes_replace_reads))
			clocks_drop(pool, &x->at[i]);
		else
			x->at[kept++] = x->at[i];
	x->at = snag_grow(x->at, &x->cap, kept + 1, sizeof(*x->at));
	x->at[kept] = *new;
	snag_vclock_share(new->clock);
	if (new->now)
		snag_vclock_share(new->now);
	x->n = kept + 1;
}

void snag_raced_free(struct snag_raced *x, size_t n, struct snag_vclock_pool *pool)
{
	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < x[i].n; k++)
			clocks_drop(pool, &x[i].at[k]);
		free(x[i].at);
	}
	free(x);
}
