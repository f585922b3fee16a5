/* SPDX-License-Identifier: Apache-2.0
 *
 * history.c - the accesses to a location that a later one may race with, when locks count
 */
#include "order/history.h"

#include "base/memory.h"

#include <string.h>

#define FEW (sizeof((struct snag_history_block){0}.few) / sizeof(struct snag_history_guarded))

enum { MAX_LEAD = 64 };

static struct snag_history_guarded *block_entries(struct snag_history_block *b)
{
	return b->many ? b->many : b->few;
}

void snag_history_done(struct snag_history *h)
{
	for (uint32_t i = 0; i < h->block_cap; i++)
		free(h->block[i].many);
	free(h->block);
	free(h->plain);
}

/* ---- the accesses without the guard ---- */

static void plain_add(struct snag_history *h, struct snag_history_entry new)
{
	size_t cap = h->plain_cap;
	h->plain = snag_grow(h->plain, &cap, h->nplain + 1u, sizeof(*h->plain));
	h->plain_cap = (uint32_t)cap;
	h->plain[h->nplain++] = new;
}

/* Compares an access with an earlier one.  Returns whether that can be forgotten. */
static bool compare(struct snag_locksets *locksets, const struct snag_vclock *clock,
		    const struct snag_history_entry *e, const struct snag_history_entry *new,
		    bool *racy)
{
	if (e->thread == new->thread || e->time <= snag_vclock_get(clock, e->thread))
		return (new->is_write || !e->is_write) &&
		       snag_lockset_within(locksets, new->locks, e->locks);
	if (!*racy && (e->is_write || new->is_write))
		*racy = !snag_lockset_excludes(locksets, e->locks, new->locks);
	return false;
}

static bool plain_compare(struct snag_history *h, struct snag_locksets *locksets,
			  const struct snag_vclock *clock, const struct snag_history_entry *new)
{
	bool racy = false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < h->nplain; i++)
		if (!compare(locksets, clock, &h->plain[i], new, &racy))
			h->plain[kept++] = h->plain[i];
	h->nplain = kept;
	return racy;
}

/* The same for a guarded access: it holds a lock that the others did not, so none is forgotten. */
static bool plain_races(const struct snag_history *h, struct snag_locksets *locksets,
			const struct snag_vclock *clock, const struct snag_history_entry *new)
{
	for (const struct snag_history_entry *e = h->plain; e < h->plain + h->nplain; e++)
		if (e->time > snag_vclock_get(clock, e->thread) && e->thread != new->thread &&
		    (e->is_write || new->is_write) &&
		    !snag_lockset_excludes(locksets, e->locks, new->locks))
			return true;
	return false;
}

/* ---- those with it ---- */

static struct snag_history_block *block_find(const struct snag_history *h, uint32_t thread)
{
	uint32_t i = thread & (h->block_cap - 1);
	while (h->block[i].used && h->block[i].used != thread + 1)
		i = (i + 1) & (h->block_cap - 1);
	return &h->block[i];
}

static struct snag_history_block *block_of(struct snag_history *h, uint32_t thread)
{
	if (h->block_cap) {
		struct snag_history_block *b = block_find(h, thread);
		if (b->used)
			return b;
	}
	if ((h->nblocks + 1) * 4 > h->block_cap * 3) {
		struct snag_history old = *h;
		h->block_cap = old.block_cap ? old.block_cap * 2 : 2;
		h->block = snag_calloc_lines(h->block_cap, sizeof(*h->block));
		for (uint32_t i = 0; i < old.block_cap; i++)
			if (old.block[i].used)
				*block_find(h, old.block[i].used - 1) = old.block[i];
		free(old.block);
	}
	struct snag_history_block *b = block_find(h, thread);
	b->used = thread + 1;
	h->nblocks++;
	return b;
}

static void block_add(struct snag_history_block *b, struct snag_history_guarded new)
{
	if (b->n == FEW && !b->many) {
		b->many = snag_grow(NULL, &b->cap, FEW + 1, sizeof(*b->many));
		memcpy(b->many, b->few, sizeof(b->few));
	}
	if (b->many)
		b->many = snag_grow(b->many, &b->cap, b->n + 1u, sizeof(*b->many));
	block_entries(b)[b->n++] = new;
}

/* A guarded access of the block's thread replaces those that it makes needless. */
static void block_put(struct snag_history_block *b, struct snag_locksets *locksets,
		      const struct snag_history_entry *new)
{
	struct snag_history_guarded *at = block_entries(b);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->n; i++)
		if (!(new->is_write || !(at[i].when & 1)) ||
		    !snag_lockset_within(locksets, new->locks, at[i].locks))
			at[kept++] = at[i];
	b->n = kept;
	block_add(b, (struct snag_history_guarded){new->locks, new->time << 1 | new->is_write});
}

static struct snag_history_entry entry_of(const struct snag_history_block *b,
					  struct snag_history_guarded g)
{
	return (struct snag_history_entry){b->used - 1, g.when >> 1, g.locks, g.when & 1};
}

static bool blocks_compare(struct snag_history *h, struct snag_locksets *locksets,
			   const struct snag_vclock *clock, const struct snag_history_entry *new)
{
	bool racy = false;
	for (uint32_t k = 0; k < h->block_cap; k++) {
		struct snag_history_block *b = &h->block[k];
		struct snag_history_guarded *at = block_entries(b);
		uint32_t kept = 0;
		for (uint32_t i = 0; i < b->n; i++) {
			struct snag_history_entry e = entry_of(b, at[i]);
			if (!compare(locksets, clock, &e, new, &racy))
				at[kept++] = at[i];
		}
		b->n = kept;
	}
	return racy;
}

/* ---- the guard ---- */

/* Another guard: every access is filed anew. */
static void guard_choose(struct snag_history *h, struct snag_locksets *locksets, snag_lockset guard)
{
	struct snag_history old = *h;
	*h = (struct snag_history){.guard = guard};
	for (uint32_t i = 0; i < old.nplain; i++) {
		struct snag_history_entry *e = &old.plain[i];
		if (snag_lockset_within(locksets, guard, e->locks))
			block_add(block_of(h, e->thread),
				  (struct snag_history_guarded){e->locks,
								e->time << 1 | e->is_write});
		else
			plain_add(h, *e);
	}
	h->lead = 1 + old.nplain;
	for (uint32_t k = 0; k < old.block_cap; k++) {
		struct snag_history_block *b = &old.block[k];
		for (uint32_t i = 0; i < b->n; i++)
			plain_add(h, entry_of(b, block_entries(b)[i]));
		h->lead += b->n;
	}
	snag_history_done(&old);
}

/* Whether the access is guarded, where the guard may adapt to it. */
static bool guard_holds(struct snag_history *h, struct snag_locksets *locksets, snag_lockset locks)
{
	if (!locks)
		return false;
	if (h->guard) {
		snag_lockset common = h->guard;
		if (!snag_lockset_within(locksets, common, locks))
			common = snag_lockset_common(locksets, common, locks);
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
	snag_lockset alone = snag_lockset_common(locksets, locks, locks);
	if (alone)
		guard_choose(h, locksets, alone);
	return alone != 0;
}

bool snag_history_access(struct snag_history *h, struct snag_locksets *locksets,
			 const struct snag_vclock *clock, struct snag_history_entry new)
{
	if (guard_holds(h, locksets, new.locks)) {
		block_put(block_of(h, new.thread), locksets, &new);
		return h->nplain && plain_races(h, locksets, clock, &new);
	}
	bool racy = plain_compare(h, locksets, clock, &new);
	if (h->nblocks)
		racy |= blocks_compare(h, locksets, clock, &new);
	plain_add(h, new);
	return racy;
}
