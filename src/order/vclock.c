/* SPDX-License-Identifier: Apache-2.0
 *
 * vclock.c - the vector clock
 */
#include "order/vclock.h"

#include "base/memory.h"

#include <string.h>

enum { MIN_ENTRIES = 4 };

/* Four entries at a time.  Entries are below 2^31, so a signed comparison is enough; not every
 * x86-64 has an instruction for the unsigned maximum. */
typedef int32_t quad __attribute__((vector_size(16), aligned(4), may_alias));

static size_t clock_bytes(uint32_t n)
{
	return sizeof(struct snag_vclock) + ((size_t)n + 1) * sizeof(uint32_t);
}

/* Returns a clock whose entries are uninitialised, except the last. */
static struct snag_vclock *clock_new(struct snag_vclock_pool *pool, uint32_t n)
{
	int k = __builtin_ctz(n);
	struct snag_vclock *c = pool->free[k];
	if (c)
		memcpy(&pool->free[k], c->at, sizeof(pool->free[k]));
	else
		c = snag_alloc(clock_bytes(n));
	snag_vclock_pool_count(pool, clock_bytes(n));
	c->refs = 1;
	c->n = n;
	c->at[n] = 0;
	return c;
}

static bool is_deep(const struct snag_vclock *c)
{
	return c->n == 0;
}

static struct snag_clock_tree *tree_of(const struct snag_vclock *c)
{
	struct snag_clock_tree *tree;
	memcpy(&tree, c->at + 2, sizeof(tree));
	return tree;
}

static void tree_set(struct snag_vclock *c, struct snag_clock_tree *tree)
{
	memcpy(c->at + 2, &tree, sizeof(tree));
}

/* Takes over the reference to the tree. */
static struct snag_vclock *deep_new(struct snag_vclock_pool *pool, struct snag_clock_tree *tree)
{
	struct snag_vclock *c = clock_new(pool, MIN_ENTRIES);
	c->n = 0;
	c->at[0] = SNAG_VCLOCK_DEEP;
	tree_set(c, tree);
	return c;
}

uint32_t snag_vclock_get_deep(const struct snag_vclock *c, uint32_t seat)
{
	return snag_clock_tree_get(tree_of(c), seat);
}

static void tree_join_flat(struct snag_vclock_pool *pool, struct snag_clock_tree **tree,
			   const struct snag_vclock *flat)
{
	for (uint32_t i = 0; i < flat->n; i++)
		if (flat->at[i])
			snag_clock_tree_raise(pool, tree, i, flat->at[i]);
}

static void join_deep(struct snag_vclock_pool *pool, struct snag_vclock **c,
		      const struct snag_vclock *other, uint32_t seat, uint32_t time)
{
	struct snag_vclock *old = *c;
	struct snag_clock_tree *before = is_deep(old) ? tree_of(old) : NULL, *tree = before;
	bool is_alone = before && old->refs == 1; /* its nodes may change in place */
	if (!is_alone)
		snag_clock_tree_share(tree);
	if (is_deep(other))
		snag_clock_tree_join(pool, &tree, tree_of(other));
	else
		tree_join_flat(pool, &tree, other);
	if (!before)
		tree_join_flat(pool, &tree, old);
	snag_clock_tree_raise(pool, &tree, seat, time);
	if (is_alone) {
		tree_set(old, tree);
	} else if (before && tree == before) { /* no news */
		snag_clock_tree_drop(pool, tree);
	} else {
		*c = deep_new(pool, tree);
		snag_vclock_drop(pool, old);
	}
}

void snag_vclock_free(struct snag_vclock_pool *pool, struct snag_vclock *c)
{
	if (is_deep(c)) {
		snag_clock_tree_drop(pool, tree_of(c));
		c->n = MIN_ENTRIES;
	}
	int k = __builtin_ctz(c->n);
	pool->live_bytes -= clock_bytes(c->n);
	memcpy(c->at, &pool->free[k], sizeof(pool->free[k]));
	pool->free[k] = c;
}

void snag_vclock_pool_init(struct snag_vclock_pool *pool)
{
	memset(pool, 0, sizeof(*pool));
	pool->empty = clock_new(pool, MIN_ENTRIES);
	memset(pool->empty->at, 0, MIN_ENTRIES * sizeof(uint32_t));
}

void snag_vclock_pool_done(struct snag_vclock_pool *pool)
{
	snag_seats_done(&pool->seats, pool);
	snag_vclock_drop(pool, pool->empty);
	for (size_t k = 0; k < sizeof(pool->free) / sizeof(pool->free[0]); k++)
		while (pool->free[k]) {
			struct snag_vclock *c = pool->free[k];
			memcpy(&pool->free[k], c->at, sizeof(pool->free[k]));
			free(c);
		}
	for (int k = 0; k < 2; k++)
		while (pool->free_node[k]) {
			struct snag_clock_tree *n = pool->free_node[k];
			pool->free_node[k] = n->child[0];
			free(n);
		}
}

static uint32_t entries_for(uint32_t seat)
{
	uint32_t n = MIN_ENTRIES;
	while (n <= seat)
		n *= 2;
	return n;
}

static void entries_max(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4) {
		quad x = *(const quad *)(a + i), y = *(const quad *)(b + i), more = x > y;
		*(quad *)(to + i) = (x & more) | (y & ~more);
	}
}

void snag_vclock_join(struct snag_vclock_pool *pool, struct snag_vclock **c,
		      const struct snag_vclock *other, uint32_t seat, uint32_t time)
{
	struct snag_vclock *old = *c, *new = old;
	uint32_t n = old->n > other->n ? old->n : other->n;
	if (is_deep(old) || is_deep(other) || seat >= SNAG_VCLOCK_FLAT) {
		join_deep(pool, c, other, seat, time);
		return;
	}
	if (n <= seat)
		n = entries_for(seat);
	if (old->refs > 1 || old->n < n)
		new = clock_new(pool, n);

	uint32_t both = old->n < other->n ? old->n : other->n;
	entries_max(new->at, old->at, other->at, both);
	if (other->n > both)
		memcpy(new->at + both, other->at + both, (other->n - both) * sizeof(uint32_t));
	else if (new != old)
		memcpy(new->at + both, old->at + both, (old->n - both) * sizeof(uint32_t));
	uint32_t filled = old->n > other->n ? old->n : other->n;
	memset(new->at + filled, 0, (n - filled) * sizeof(uint32_t));

	if (new->at[seat] < time)
		new->at[seat] = time;
	if (new != old) {
		snag_vclock_drop(pool, old);
		*c = new;
	}
}
