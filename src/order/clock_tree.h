/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_tree.h - the entries of a clock of many threads
 *
 * Idea.   A flat array for each clock costs threads x threads when many threads are alive.
 *         The clocks of these threads are nearly equal: a thread inherits the clock of
 *         the thread that forked it.  A tree with shared subtrees stores only the
 *         differences.  A change copies the nodes from the root to one leaf.
 *
 * State.  A node has 16 children, or as a leaf 64 entries.  NULL is a subtree of zeros.
 *         Nodes are reference-counted; a node with two references never changes.
 *         min, max   of all entries below the node
 *
 * Rules.  [share]   The join of two subtrees is one of them, without a look at the entries,
 *                   if they are the same node, or if no entry of one is above the least entry
 *                   of the other.  Entries are event numbers, so the second case holds for
 *                   threads that were joined since the other clock was taken.
 *
 * Cost.   get, raise O(log threads); join: the nodes that differ and that min and max do not
 *         settle.  272 bytes a leaf, 144 an inner node.
 */
#ifndef SNAG_ORDER_CLOCK_TREE_H
#define SNAG_ORDER_CLOCK_TREE_H

#include <stdint.h>

struct snag_vclock_pool;

enum { SNAG_TREE_CHILDREN = 16, SNAG_TREE_ENTRIES = 64 };

struct snag_clock_tree {
	uint32_t refs;
	uint32_t level; /* 0: a leaf */
	uint32_t min, max;
	union {
		struct snag_clock_tree *child[SNAG_TREE_CHILDREN];
		uint32_t at[SNAG_TREE_ENTRIES]; /* below 2^31 */
	};
};

/* Functions accept NULL for an empty tree. */
uint32_t snag_clock_tree_get(const struct snag_clock_tree *tree, uint32_t seat);
/* Raises the entry of the seat to at least `time`.  Nodes of *tree that are not shared change in
 * place. */
void snag_clock_tree_raise(struct snag_vclock_pool *pool, struct snag_clock_tree **tree,
			   uint32_t seat, uint32_t time);
/* Replaces *tree by the join of both. */
void snag_clock_tree_join(struct snag_vclock_pool *pool, struct snag_clock_tree **tree,
			  struct snag_clock_tree *other);
void snag_clock_tree_drop(struct snag_vclock_pool *pool, struct snag_clock_tree *tree);

static inline struct snag_clock_tree *snag_clock_tree_share(struct snag_clock_tree *tree)
{
	if (tree)
		tree->refs++;
	return tree;
}

#endif
