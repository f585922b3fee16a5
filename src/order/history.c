/* SPDX-License-Identifier: Apache-2.0
 *
 * history.c - the accesses to a location that a later one may race with, when locks count
 */
#include "order/history.h"

#include <string.h>

#define FEW (sizeof((struct snag_history_block){0}.few) / sizeof(struct snag_history_guarded))

enum { MAX_LEAD = 64, PRUNED_AT_ONCE = 32, LEAST_PLAIN = 4, LEAST_BLOCKS = 2, LEAST_MANY = 16 };

void snag_histories_init(struct snag_histories *pool, struct snag_locksets *locksets)
{
	*pool = (struct snag_histories){.locksets = locksets};
}

void snag_histories_done(struct snag_histories *pool)
{
	snag_arrays_done(&pool->plain, sizeof(struct snag_history_entry));
	snag_arrays_done(&pool->block, sizeof(struct snag_history_block));
	snag_arrays_done(&pool->many, sizeof(struct snag_history_guarded));
}

static struct snag_history_guarded *block_entries(const struct snag_histories *pool,
						  struct snag_history_block *b)
{
	return b->many_cap ? (struct snag_history_guarded *)pool->many.at + b->many : b->few;
}

/* Releases the memory of the history. */
static void history_forget(struct snag_histories *pool, const struct snag_history *h)
{
	const struct snag_history_block *block = snag_history_blocks(pool, h);
	for (uint32_t i = 0; i < h->block_cap; i++)
		if (block[i].many_cap)
			snag_arrays_give(&pool->many, block[i].many, block[i].many_cap,
					 sizeof(struct snag_history_guarded));
	if (h->block_cap)
		snag_arrays_give(&pool->block, h->block, h->block_cap, sizeof(*block));
	if (h->plain_cap)
		snag_arrays_give(&pool->plain, h->plain, h->plain_cap,
				 sizeof(struct snag_history_entry));
}

static void plain_add(struct snag_histories *pool, struct snag_history *h,
		      struct snag_history_entry new)
{
	if (h->nplain == h->plain_cap)
		snag_arrays_double(&pool->plain, &h->plain, &h->plain_cap, LEAST_PLAIN,
				   sizeof(new));
	snag_history_plain(pool, h)[h->nplain++] = new;
}

/* Compares an access with an earlier one.  Returns whether the earlier one can be forgotten. */
static bool compare(struct snag_locksets *locksets, const struct snag_vclock *clock,
		    const struct snag_history_entry *e, const struct snag_history_entry *new,
		    uint32_t *racy)
{
	if (e->thread == new->thread || e->time <= snag_vclock_get(clock, e->thread))
		return (new->is_write || !e->is_write) &&
		       snag_lockset_within(locksets, new->locks, e->locks);
	if (!*racy && (e->is_write || new->is_write) &&
	    !snag_lockset_excludes(locksets, e->locks, new->locks))
		*racy = e->time;
	return false;
}

static uint32_t plain_races(const struct snag_histories *pool, const struct snag_history *h,
			    const struct snag_vclock *clock, const struct snag_history_entry *new)
{
	const struct snag_history_entry *plain = snag_history_plain(pool, h);
	for (const struct snag_history_entry *e = plain; e < plain + h->nplain; e++)
		if (e->time > snag_vclock_get(clock, e->thread) && e->thread != new->thread &&
		    (e->is_write || new->is_write) &&
		    !snag_lockset_excludes(pool->locksets, e->locks, new->locks))
			return e->time;
	return 0;
}

/* Going through all entries only serves to forget some.  With many entries it is enough to do so
 * at a fraction of the accesses, chosen by a hash of the time. */
static bool is_time_to_prune(const struct snag_history *h, uint32_t time)
{
	return h->nplain <= PRUNED_AT_ONCE ||
	       (uint64_t)(time * 0x9e3779b9u) * h->nplain >> 32 < PRUNED_AT_ONCE;
}

static uint32_t plain_compare(struct snag_histories *pool, struct snag_history *h,
			      const struct snag_vclock *clock, const struct snag_history_entry *new)
{
	struct snag_history_entry *plain = snag_history_plain(pool, h);
	uint32_t racy = 0, kept = 0;
	for (uint32_t i = 0; i < h->nplain; i++)
		if (!compare(pool->locksets, clock, &plain[i], new, &racy))
			plain[kept++] = plain[i];
	h->nplain = kept;
	return racy;
}

/* Returns the thread's block, or the empty one for it; NULL if there is neither. */
static struct snag_history_block *block_find(const struct snag_histories *pool,
					     const struct snag_history *h, uint32_t thread)
{
	struct snag_history_block *block = snag_history_blocks(pool, h);
	for (uint32_t k = 0; k < h->block_cap; k++) {
		struct snag_history_block *b = &block[(thread + k) & (h->block_cap - 1)];
		if (!b->used || b->used == thread + 1)
			return b;
	}
	return NULL;
}

static void blocks_double(struct snag_histories *pool, struct snag_history *h)
{
	struct snag_history old = *h;
	h->block_cap = old.block_cap ? old.block_cap * 2 : LEAST_BLOCKS;
	h->block = snag_arrays_take(&pool->block, h->block_cap, sizeof(struct snag_history_block));
	memset(snag_history_blocks(pool, h), 0, h->block_cap * sizeof(struct snag_history_block));
	const struct snag_history_block *from = snag_history_blocks(pool, &old);
	for (uint32_t i = 0; i < old.block_cap; i++)
		*block_find(pool, h, from[i].used - 1) = from[i];
	if (old.block_cap)
		snag_arrays_give(&pool->block, old.block, old.block_cap, sizeof(*from));
}

static struct snag_history_block *block_of(struct snag_histories *pool, struct snag_history *h,
					   uint32_t thread)
{
	struct snag_history_block *b = block_find(pool, h, thread);
	if (!b) {
		blocks_double(pool, h);
		b = block_find(pool, h, thread);
	}
	h->nblocks += !b->used;
	b->used = thread + 1;
	return b;
}

static void block_add(struct snag_histories *pool, struct snag_history_block *b,
		      struct snag_history_guarded new)
{
	if (b->n == (b->many_cap ? b->many_cap : FEW)) {
		bool were_few = !b->many_cap;
		snag_arrays_double(&pool->many, &b->many, &b->many_cap, LEAST_MANY, sizeof(new));
		if (were_few)
			memcpy(block_entries(pool, b), b->few, sizeof(b->few));
	}
	block_entries(pool, b)[b->n++] = new;
}

/* Adds a guarded access of the block's thread, which replaces those that it makes needless. */
static void block_put(struct snag_histories *pool, struct snag_history_block *b,
		      const struct snag_history_entry *new)
{
	struct snag_history_guarded *at = block_entries(pool, b);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->n; i++)
		if (!(new->is_write || !(at[i].when & 1)) ||
		    !snag_lockset_within(pool->locksets, new->locks, at[i].locks))
			at[kept++] = at[i];
	b->n = kept;
	block_add(pool, b,
		  (struct snag_history_guarded){new->locks, new->time << 1 | new->is_write});
}

static struct snag_history_entry entry_of(const struct snag_history_block *b,
					  struct snag_history_guarded g)
{
	return (struct snag_history_entry){b->used - 1, g.when >> 1, g.locks, g.when & 1};
}

static uint32_t blocks_compare(struct snag_histories *pool, struct snag_history *h,
			       const struct snag_vclock *clock,
			       const struct snag_history_entry *new)
{
	struct snag_history_block *block = snag_history_blocks(pool, h);
	uint32_t racy = 0;
	for (struct snag_history_block *b = block; b < block + h->block_cap; b++) {
		struct snag_history_guarded *at = block_entries(pool, b);
		uint32_t kept = 0;
		for (uint32_t i = 0; i < b->n; i++) {
			struct snag_history_entry e = entry_of(b, at[i]);
			if (!compare(pool->locksets, clock, &e, new, &racy))
				at[kept++] = at[i];
		}
		b->n = kept;
	}
	return racy;
}

/* Chooses another guard and files every access anew. */
static void guard_choose(struct snag_histories *pool, struct snag_history *h, snag_lockset guard)
{
	struct snag_history old = *h;
	*h = (struct snag_history){.guard = guard, .lead = 1 + old.nplain};
	for (uint32_t i = 0; i < old.nplain; i++) {
		struct snag_history_entry e = snag_history_plain(pool, &old)[i];
		if (snag_lockset_within(pool->locksets, guard, e.locks))
			block_add(pool, block_of(pool, h, e.thread),
				  (struct snag_history_guarded){e.locks, e.time << 1 | e.is_write});
		else
			plain_add(pool, h, e);
	}
	for (uint32_t k = 0; k < old.block_cap; k++) {
		struct snag_history_block b = snag_history_blocks(pool, &old)[k];
		for (uint32_t i = 0; i < b.n; i++)
			plain_add(pool, h, entry_of(&b, block_entries(pool, &b)[i]));
		h->lead += b.n;
	}
	history_forget(pool, &old);
}

/* Returns whether the access is guarded.  The guard may adapt to it. */
static bool guard_holds(struct snag_histories *pool, struct snag_history *h, snag_lockset locks)
{
	if (!locks)
		return false;
	if (h->guard) {
		snag_lockset common = h->guard;
		if (!snag_lockset_within(pool->locksets, common, locks))
			common = snag_lockset_common(pool->locksets, common, locks);
		if (common) {
			h->guard = common;
			h->lead += h->lead < MAX_LEAD;
			return true;
		}
		if (h->lead > 0) {
			h->lead--;
			return false;
		}
	}
	snag_lockset alone = snag_lockset_common(pool->locksets, locks, locks);
	if (alone)
		guard_choose(pool, h, alone);
	return alone != 0;
}

uint32_t snag_history_access(struct snag_histories *pool, struct snag_history *h,
			     const struct snag_vclock *clock, struct snag_history_entry new)
{
	if (guard_holds(pool, h, new.locks)) {
		block_put(pool, block_of(pool, h, new.thread), &new);
		/* It holds a lock that the others did not hold, so none is forgotten. */
		return h->nplain ? plain_races(pool, h, clock, &new) : 0;
	}
	uint32_t racy = is_time_to_prune(h, new.time) ? plain_compare(pool, h, clock, &new)
						      : plain_races(pool, h, clock, &new);
	uint32_t guarded = h->nblocks ? blocks_compare(pool, h, clock, &new) : 0;
	plain_add(pool, h, new);
	return racy ? racy : guarded;
}
