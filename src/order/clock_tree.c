/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_tree.c - the entries of a clock of many threads
 */
#include "order/clock_tree.h"

#include "base/memory.h"
#include "order/vclock.h"

#include <string.h>

enum { CHILDREN = SNAG_TREE_CHILDREN, ENTRIES = SNAG_TREE_ENTRIES, CHILD_BITS = 4, ENTRY_BITS = 6 };

/* Four entries at a time; they are below 2^31. */
typedef int32_t quad __attribute__((vector_size(16), aligned(4), may_alias));

static size_t node_bytes(uint32_t level)
{
	const struct snag_clock_tree *n = NULL;
	return offsetof(struct snag_clock_tree, at) + (level ? sizeof(n->child) : sizeof(n->at));
}

/* Returns a node with uninitialised children or entries. */
static struct snag_clock_tree *node_new(struct snag_vclock_pool *pool, uint32_t level)
{
	struct snag_clock_tree **unused = &pool->free_node[level > 0], *n = *unused;
	if (n)
		*unused = n->child[0];
	else
		n = snag_alloc(node_bytes(level));
	snag_vclock_pool_count(pool, node_bytes(level));
	n->refs = 1;
	n->level = level;
	return n;
}

void snag_clock_tree_drop(struct snag_vclock_pool *pool, struct snag_clock_tree *n)
{
	if (!n || --n->refs > 0)
		return;
	for (int i = 0; n->level && i < CHILDREN; i++)
		snag_clock_tree_drop(pool, n->child[i]);
	struct snag_clock_tree **unused = &pool->free_node[n->level > 0];
	pool->live_bytes -= node_bytes(n->level);
	n->child[0] = *unused;
	*unused = n;
}

static quad quad_max(quad x, quad y)
{
	quad more = x > y;
	return (x & more) | (y & ~more);
}

static quad quad_min(quad x, quad y)
{
	quad less = x < y;
	return (x & less) | (y & ~less);
}

static void leaf_bounds_are(struct snag_clock_tree *n, quad min, quad max)
{
	n->min = n->max = (uint32_t)min[0];
	for (int i = 0; i < 4; i++) {
		n->min = (uint32_t)min[i] < n->min ? (uint32_t)min[i] : n->min;
		n->max = (uint32_t)max[i] > n->max ? (uint32_t)max[i] : n->max;
	}
}

static void leaf_bounds(struct snag_clock_tree *n)
{
	const quad *at = (const quad *)n->at;
	quad min = at[0], max = at[0];
	for (int i = 1; i < ENTRIES / 4; i++) {
		min = quad_min(min, at[i]);
		max = quad_max(max, at[i]);
	}
	leaf_bounds_are(n, min, max);
}

static void bounds_set(struct snag_clock_tree *n)
{
	if (!n->level) {
		leaf_bounds(n);
		return;
	}
	n->min = UINT32_MAX;
	n->max = 0;
	for (int i = 0; i < CHILDREN; i++) {
		const struct snag_clock_tree *c = n->child[i];
		uint32_t min = c ? c->min : 0, max = c ? c->max : 0;
		n->min = min < n->min ? min : n->min;
		n->max = max > n->max ? max : n->max;
	}
}

static struct snag_clock_tree *node_empty(struct snag_vclock_pool *pool, uint32_t level)
{
	struct snag_clock_tree *n = node_new(pool, level);
	memset(n->at, 0, node_bytes(level) - offsetof(struct snag_clock_tree, at));
	return n;
}

/* Replaces a shared node by a copy. */
static struct snag_clock_tree *node_own(struct snag_vclock_pool *pool, struct snag_clock_tree *n)
{
	if (n->refs == 1)
		return n;
	struct snag_clock_tree *own = node_new(pool, n->level);
	memcpy(own->at, n->at, node_bytes(n->level) - offsetof(struct snag_clock_tree, at));
	for (int i = 0; n->level && i < CHILDREN; i++)
		snag_clock_tree_share(own->child[i]);
	n->refs--;
	return own;
}

/* Returns how many levels above the leaves a tree with this seat needs. */
static uint32_t level_for(uint32_t seat)
{
	uint32_t level = 0;
	for (seat >>= ENTRY_BITS; seat; seat >>= CHILD_BITS)
		level++;
	return level;
}

/* Returns which child contains the seat, in a node of this level above the leaves. */
static uint32_t child_of(uint32_t seat, uint32_t level)
{
	return seat >> (ENTRY_BITS + (level - 1) * CHILD_BITS) & (CHILDREN - 1);
}

/* Adds new roots above the tree until it has the level. */
static void tree_lift(struct snag_vclock_pool *pool, struct snag_clock_tree **tree, uint32_t level)
{
	while ((*tree)->level < level) {
		struct snag_clock_tree *root = node_empty(pool, (*tree)->level + 1);
		root->child[0] = *tree;
		bounds_set(root);
		*tree = root;
	}
}

uint32_t snag_clock_tree_get(const struct snag_clock_tree *n, uint32_t seat)
{
	if (!n || level_for(seat) > n->level)
		return 0;
	while (n && n->level)
		n = n->child[child_of(seat, n->level)];
	return n ? n->at[seat % ENTRIES] : 0;
}

static void node_raise(struct snag_vclock_pool *pool, struct snag_clock_tree **slot, uint32_t level,
		       uint32_t seat, uint32_t time)
{
	struct snag_clock_tree *n = *slot ? node_own(pool, *slot) : node_empty(pool, level);
	if (level)
		node_raise(pool, &n->child[child_of(seat, level)], level - 1, seat, time);
	else
		n->at[seat % ENTRIES] = time;
	bounds_set(n);
	*slot = n;
}

void snag_clock_tree_raise(struct snag_vclock_pool *pool, struct snag_clock_tree **tree,
			   uint32_t seat, uint32_t time)
{
	if (snag_clock_tree_get(*tree, seat) >= time)
		return;
	uint32_t level = level_for(seat);
	if (*tree)
		tree_lift(pool, tree, level);
	node_raise(pool, tree, *tree ? (*tree)->level : level, seat, time);
}

static void node_replace(struct snag_vclock_pool *pool, struct snag_clock_tree **slot,
			 struct snag_clock_tree *by)
{
	snag_clock_tree_share(by);
	snag_clock_tree_drop(pool, *slot);
	*slot = by;
}

static bool quad_any(quad x)
{
	return x[0] | x[1] | x[2] | x[3];
}

static void leaf_join(struct snag_vclock_pool *pool, struct snag_clock_tree **slot,
		      struct snag_clock_tree *b, bool is_alone)
{
	const quad *x = (const quad *)(*slot)->at, *y = (const quad *)b->at;
	quad above_x = {0}, above_y = {0};
	for (int i = 0; i < ENTRIES / 4; i++) {
		above_x |= y[i] > x[i];
		above_y |= x[i] > y[i];
	}
	if (!quad_any(above_x))
		return;
	if (!quad_any(above_y)) {
		node_replace(pool, slot, b);
		return;
	}
	struct snag_clock_tree *to = is_alone ? *slot : node_new(pool, 0);
	quad min = quad_max(x[0], y[0]), max = min;
	for (int i = 0; i < ENTRIES / 4; i++) {
		quad both = quad_max(x[i], y[i]);
		((quad *)to->at)[i] = both;
		min = quad_min(min, both);
		max = quad_max(max, both);
	}
	leaf_bounds_are(to, min, max);
	if (!is_alone)
		snag_clock_tree_drop(pool, *slot);
	*slot = to;
}

static void node_join(struct snag_vclock_pool *pool, struct snag_clock_tree **slot,
		      struct snag_clock_tree *b, bool is_alone);

static void inner_join(struct snag_vclock_pool *pool, struct snag_clock_tree **slot,
		       struct snag_clock_tree *b, bool is_alone)
{
	struct snag_clock_tree *a = *slot, *to = is_alone ? a : node_new(pool, a->level);
	bool is_a = true, is_b = true;
	for (int i = 0; i < CHILDREN; i++) {
		struct snag_clock_tree *child = a->child[i];
		if (!is_alone)
			to->child[i] = snag_clock_tree_share(child);
		node_join(pool, &to->child[i], b->child[i], is_alone);
		is_a &= to->child[i] == child;
		is_b &= to->child[i] == b->child[i];
	}
	bounds_set(to);
	*slot = to;
	if (is_b)
		node_replace(pool, slot, b);
	else if (is_a)
		node_replace(pool, slot, a);
	if (!is_alone)
		snag_clock_tree_drop(pool, a);
}

/* Joins another subtree of the same level into the one in the slot.  is_alone: no other tree
 * shares a node above the slot. */
static void node_join(struct snag_vclock_pool *pool, struct snag_clock_tree **slot,
		      struct snag_clock_tree *b, bool is_alone)
{
	struct snag_clock_tree *a = *slot;
	if (a == b || !b || (a && b->max <= a->min)) /* [share] */
		return;
	if (!a || a->max <= b->min)
		node_replace(pool, slot, b);
	else if (a->level)
		inner_join(pool, slot, b, is_alone && a->refs == 1);
	else
		leaf_join(pool, slot, b, is_alone && a->refs == 1);
}

void snag_clock_tree_join(struct snag_vclock_pool *pool, struct snag_clock_tree **tree,
			  struct snag_clock_tree *other)
{
	if (!other || *tree == other)
		return;
	struct snag_clock_tree *b = snag_clock_tree_share(other);
	if (*tree) {
		tree_lift(pool, tree, b->level);
		tree_lift(pool, &b, (*tree)->level);
	}
	node_join(pool, tree, b, true);
	snag_clock_tree_drop(pool, b);
}
