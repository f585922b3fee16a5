/* SPDX-License-Identifier: Apache-2.0
 *
 * lockset.h - sets of locks as small numbers
 *
 * Idea.   A set is a number; equal sets have equal numbers.  Sets are Patricia tries over the
 *         bits of lock numbers, and equal tries exist once.  So acquiring or releasing one of
 *         100,000 locks makes a few nodes, not a new list.  A lock is held alone or shared; two
 *         shared holds do not exclude each other.
 * State.  node[]       a leaf is one lock; a branch joins two tries whose locks agree above a
 *                      bit and differ in it.  Each has a 64-bit signature, the locks modulo 64,
 *                      which answers most questions at once.
 *         slots        from a node's content to its number
 *         step[]       recent transitions; answer[]: recent answers about large sets
 * Cost.   add, remove O(log locks held), O(1) when seen lately.  A question is mostly O(1), at
 *         worst the size of the smaller set, and then its answer is remembered.
 * Reference.  Okasaki and Gill, Fast mergeable integer maps, ML workshop 1998.
 */
#ifndef SNAG_ORDER_LOCKSET_H
#define SNAG_ORDER_LOCKSET_H

#include "base/slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t snag_lockset; /* 0: the empty set */

struct snag_locksets {
	struct snag_lockset_node *node; /* node[0] is not used */
	size_t n, cap;
	struct snag_slots slots;
	struct snag_lockset_step *step;
	struct snag_lockset_answer *answer;
};

void snag_locksets_init(struct snag_locksets *s);
void snag_locksets_done(struct snag_locksets *s);

/* Returns the set with the lock, held alone or shared.  The lock was not in the set. */
snag_lockset snag_lockset_add(struct snag_locksets *s, snag_lockset set, uint32_t lock,
			      bool is_shared);
/* Returns the set without the lock. */
snag_lockset snag_lockset_remove(struct snag_locksets *s, snag_lockset set, uint32_t lock);

/* Returns whether some lock is in both sets, and not shared in both: then the holders exclude
 * each other. */
bool snag_lockset_excludes(struct snag_locksets *s, snag_lockset a, snag_lockset b);
/* Returns whether every lock of a is in b, and alone in b if alone in a.  Then b excludes
 * everything that a excludes. */
bool snag_lockset_within(struct snag_locksets *s, snag_lockset a, snag_lockset b);
/* Returns the locks held alone in both. */
snag_lockset snag_lockset_common(struct snag_locksets *s, snag_lockset a, snag_lockset b);

#endif
