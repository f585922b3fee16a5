/* SPDX-License-Identifier: Apache-2.0
 *
 * history.h - the accesses to a location that a later one may race with, when locks count
 *
 * Idea.   As frontier.h, for relations whose races need disjoint locksets.  An earlier access is
 *         forgotten when a later one is ordered after it, conflicts with all it conflicts with,
 *         and holds no lock that the earlier one did not hold.  Any access that races with the
 *         earlier one then races with the later one too.
 *         Most variables have a *guard*: a lock that most accesses hold.  Guarded accesses do
 *         not race with each other.  So they are filed by thread, where only their own thread
 *         looks, and compared only with the few other accesses.
 * State.  guard   locks that every guarded access holds alone.  It shrinks to what the accesses
 *                 have in common.  It is chosen anew when accesses that hold other locks have
 *                 become as many as guarded ones (lead).
 *         plain   the other accesses
 *         block[]  guarded ones: open addressing by thread, one cache line each.  Threads are
 *                  dense numbers, so a full table works as well as a sparse one.
 * Cost.   A guarded access O(plain accesses), another O(all that are kept); mostly a handful.
 */
#ifndef SNAG_ORDER_HISTORY_H
#define SNAG_ORDER_HISTORY_H

#include "base/arrays.h"
#include "order/lockset.h"
#include "order/vclock.h"

struct snag_history_entry {
	uint32_t thread;
	uint32_t time; /* event number + 1 */
	snag_lockset locks;
	bool is_write;
};

/* A guarded access of the block's thread. */
struct snag_history_guarded {
	snag_lockset locks;
	uint32_t when; /* time << 1 | is_write */
};

struct snag_history_block {
	uint32_t used; /* thread + 1; 0: empty */
	uint32_t n;
	uint32_t many, many_cap; /* an array of all; many_cap 0: they are in few */
	struct snag_history_guarded few[6];
};

_Static_assert(sizeof(struct snag_history_block) == 64, "a block is a cache line");

struct snag_history {	    /* all 0: no access yet */
	snag_lockset guard; /* 0: none yet */
	uint32_t lead;
	uint32_t plain, nplain, plain_cap;
	uint32_t block, nblocks, block_cap; /* block_cap: a power of two, or 0 */
};

/* The memory of histories; one per detector. */
struct snag_histories {
	struct snag_locksets *locksets;
	struct snag_arrays plain; /* of snag_history_entry */
	struct snag_arrays block; /* of snag_history_block */
	struct snag_arrays many;  /* of snag_history_guarded */
};

void snag_histories_init(struct snag_histories *pool, struct snag_locksets *locksets);
void snag_histories_done(struct snag_histories *pool);

static inline struct snag_history_entry *snag_history_plain(const struct snag_histories *pool,
							    const struct snag_history *h)
{
	return (struct snag_history_entry *)pool->plain.at + h->plain;
}

static inline struct snag_history_block *snag_history_blocks(const struct snag_histories *pool,
							     const struct snag_history *h)
{
	return (struct snag_history_block *)pool->block.at + h->block;
}

/* Prefetches what an access of the thread will look at. */
static inline void snag_history_fetch(const struct snag_histories *pool,
				      const struct snag_history *h, uint32_t thread)
{
	if (h->nplain)
		__builtin_prefetch(snag_history_plain(pool, h));
	if (h->block_cap)
		__builtin_prefetch(snag_history_blocks(pool, h) + (thread & (h->block_cap - 1)));
}

/* Adds an access made at `clock`.  Returns the time of an access that it races with, or 0. */
uint32_t snag_history_access(struct snag_histories *pool, struct snag_history *h,
			     const struct snag_vclock *clock, struct snag_history_entry new);

#endif
