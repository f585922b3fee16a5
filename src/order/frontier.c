/* SPDX-License-Identifier: Apache-2.0
 *
 * frontier.c - frontiers of several unordered accesses
 */
#include "order/frontier.h"

#include "base/memory.h"

#include <string.h>

enum {
	MIN_SLOTS = 4,
	PRUNED_AT_ONCE = 16, /* slots of a set that every racy write prunes */
	KEPT_SLOTS = 64,     /* of a set that is not used */
};

struct slot {
	uint32_t thread;
	uint32_t time; /* 0: empty */
};

/* Open addressing by thread with at least one empty slot. */
struct snag_frontier_set {
	struct slot *slot;
	uint32_t nslots; /* a power of two */
	uint32_t n;	 /* used; for a free set the number of the next one */
	uint32_t found;	 /* the slot that was unordered last time; mostly it still is */
	uint32_t prunes; /* requests since the last pruning */
};

void snag_frontier_pool_init(struct snag_frontier_pool *pool)
{
	memset(pool, 0, sizeof(*pool));
	pool->unused = UINT32_MAX;
}

void snag_frontier_pool_done(struct snag_frontier_pool *pool)
{
	for (size_t i = 0; i < pool->nsets; i++)
		free(pool->set[i].slot);
	free(pool->set);
}

static struct slot *slot_of(const struct snag_frontier_set *s, uint32_t thread)
{
	uint32_t i = thread & (s->nslots - 1);
	while (s->slot[i].time && s->slot[i].thread != thread)
		i = (i + 1) & (s->nslots - 1);
	return &s->slot[i];
}

static void set_put(struct snag_frontier_set *s, uint32_t thread, uint32_t time)
{
	struct slot *slot = slot_of(s, thread);
	s->n += slot->time == 0;
	*slot = (struct slot){thread, time};
}

static bool slot_before(const struct slot *slot, const struct snag_vclock *clock, uint32_t thread)
{
	return slot->time <= snag_vclock_get(clock, slot->thread) || slot->thread == thread;
}

static uint32_t set_new(struct snag_frontier_pool *pool)
{
	uint32_t i = pool->unused;
	if (i != UINT32_MAX) {
		pool->unused = pool->set[i].n;
	} else {
		i = (uint32_t)pool->nsets++;
		pool->set = snag_grow(pool->set, &pool->cap, pool->nsets, sizeof(*pool->set));
		pool->set[i].nslots = MIN_SLOTS;
		pool->set[i].slot = snag_calloc(MIN_SLOTS, sizeof(struct slot));
	}
	pool->set[i].n = pool->set[i].found = pool->set[i].prunes = 0;
	return i;
}

void snag_frontier_set_free(struct snag_frontier_pool *pool, uint32_t set)
{
	struct snag_frontier_set *s = &pool->set[set];
	if (s->nslots > KEPT_SLOTS) { /* a large table for few entries is slow to search */
		free(s->slot);
		s->nslots = MIN_SLOTS;
		s->slot = snag_calloc(s->nslots, sizeof(struct slot));
	} else {
		memset(s->slot, 0, s->nslots * sizeof(struct slot));
	}
	s->n = pool->unused;
	pool->unused = set;
}

uint32_t snag_frontier_set_unordered(const struct snag_frontier_pool *pool, uint32_t set,
				     const struct snag_vclock *clock, uint32_t thread)
{
	struct snag_frontier_set *s = &pool->set[set];
	if (s->found < s->nslots && !slot_before(&s->slot[s->found], clock, thread))
		return s->slot[s->found].time;
	for (uint32_t i = 0; i < s->nslots; i++)
		if (!slot_before(&s->slot[i], clock, thread)) {
			s->found = i;
			return s->slot[i].time;
		}
	return 0;
}

bool snag_frontier_set_before(const struct snag_frontier_pool *pool, uint32_t set,
			      const struct snag_vclock *clock, uint32_t thread)
{
	return snag_frontier_set_unordered(pool, set, clock, thread) == 0;
}

/* Replaces the slots by a table of `nslots` with the entries that are not ordered before. */
static void set_rebuild(struct snag_frontier_set *s, uint32_t nslots,
			const struct snag_vclock *clock, uint32_t thread)
{
	struct slot *old = s->slot;
	uint32_t nold = s->nslots;
	s->slot = snag_calloc(nslots, sizeof(struct slot));
	s->nslots = nslots;
	s->n = 0;
	for (uint32_t i = 0; i < nold; i++)
		if (old[i].time && !slot_before(&old[i], clock, thread))
			set_put(s, old[i].thread, old[i].time);
	free(old);
}

void snag_frontier_prune(struct snag_frontier_pool *pool, struct snag_frontier *f,
			 const struct snag_vclock *clock, uint32_t thread)
{
	if (snag_frontier_is_one(f)) {
		if (snag_frontier_one_before(f, clock, thread))
			*f = (struct snag_frontier){0, 0};
		return;
	}
	uint32_t set = f->time;
	struct snag_frontier_set *s = &pool->set[set];
	s->prunes++;
	if (s->nslots > PRUNED_AT_ONCE && s->prunes < s->nslots / PRUNED_AT_ONCE)
		return;
	s->prunes = 0;
	set_rebuild(s, s->nslots, clock, thread);
	if (s->n > 1) {
		if (s->nslots > KEPT_SLOTS && s->n < s->nslots / 8)
			set_rebuild(s, s->nslots / 4, clock, thread);
		return;
	}
	for (uint32_t i = 0; i < s->nslots; i++)
		if (s->slot[i].time)
			*f = (struct snag_frontier){s->slot[i].thread, s->slot[i].time};
	if (s->n == 0)
		*f = (struct snag_frontier){0, 0};
	snag_frontier_set_free(pool, set);
}

void snag_frontier_add_slow(struct snag_frontier_pool *pool, struct snag_frontier *f,
			    const struct snag_vclock *clock, uint32_t thread, uint32_t time)
{
	if (snag_frontier_is_one(f)) { /* and unordered: two from now on */
		uint32_t set = set_new(pool);
		set_put(&pool->set[set], f->thread, f->time);
		*f = (struct snag_frontier){(uint32_t)SNAG_FRONTIER_MANY, set};
	}
	struct snag_frontier_set *s = &pool->set[f->time];
	if (slot_of(s, thread)->time == 0 && (s->n + 1) * 4 > s->nslots * 3) {
		/* Full: forget entries that are ordered before, and grow if those were few. */
		set_rebuild(s, s->nslots, clock, thread);
		if (s->n * 2 > s->nslots)
			set_rebuild(s, s->nslots * 2, clock, thread);
	}
	set_put(s, thread, time);
}
