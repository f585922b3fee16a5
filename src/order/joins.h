/* SPDX-License-Identifier: Apache-2.0
 *
 * joins.h - what tasks have waited for beyond structure: promises
 *
 * Idea.   Each task has a list of what it has waited for, newest first.  Lists never change: a
 *         get adds a node in front, a child starts with its creator's list, and a promise keeps
 *         the list of the task that set it.  So lists share their tails.  A step comes before
 *         another if structure orders them (order/dpst.h), or if it comes before the set of some
 *         promise on the other's list, or on the list kept with such a promise, and so on.
 *
 * State.  join[j]   one wait: for a promise (its set: step and list), for the waits of tasks
 *                   that ended (a list), or for the spawned tasks of a block; the rest of the
 *                   list; the latest set at or behind it
 *         known[]   answers for a list and a node: up to which step of the node all come before,
 *                   and from which step on none does.  Lists never change, so neither do the
 *                   answers
 *
 * Rules.  [newest]  of two promises of one task the later one implies the other.  It replaces
 *                   the other at the front of a list.  So a task that waits for another task
 *                   again and again (doacross, pipelines) has a short list
 *         [time]    a step comes before no set that is older than the step; this ends a search
 *         [order]   search a list newest first, and compare all its promises before looking at
 *                   their lists (breadth first): most answers are near
 *         [below]   but if the task that set a promise created the task of the step, directly or
 *                   not, search the list kept with it at once: most likely it waited for that task
 *
 * Guarantee.  Exact, for any order in which tasks ran.
 * Cost.   get, set, create O(1); 16 bytes per wait, 8 per promise.  A question: each wait newer
 *         than the step once, times the cost of a question to the tree; O(1) if the answer is
 *         known.
 * Reference.  Repairs figures 8 and 9 of Jin et al., DRDP, which miss races and report false
 *             ones; section 4.4.1 there on the order of the search.
 */
#ifndef SNAG_ORDER_JOINS_H
#define SNAG_ORDER_JOINS_H

#include "order/dpst.h"

/* What a join waits for, the upper bits of `what`. */
enum snag_join_kind { SNAG_JOIN_PROMISE, SNAG_JOIN_LIST, SNAG_JOIN_BLOCK, SNAG_JOIN_SHIFT = 30 };
#define SNAG_JOIN_ID ((UINT32_C(1) << SNAG_JOIN_SHIFT) - 1)

struct snag_joins {
	struct snag_dpst *tree;
	struct snag_join {
		uint32_t what; /* kind << 30 | promise, list or node */
		uint32_t next; /* the rest of the list, or 0 */
		uint32_t latest;
		uint32_t seen; /* the number of the last search that visited it */
	} * join;	       /* join 0 is none */
	size_t njoins, join_cap;
	size_t retired; /* removed so far: retire.h */
	struct snag_promise_set {
		uint32_t step, list;
	} * promise;
	size_t promise_cap;
	struct snag_joins_known {
		uint32_t list, node;
		uint32_t yes, no; /* steps up to, steps from */
	} * known;
	uint32_t search; /* the number of the last */
	uint32_t *queue; /* lists to be searched */
	size_t queue_cap;
	/* Statistics: questions that structure did not answer; those that had to search; and the
	 * lists that these visited, in all, at least, and at most. */
	uint64_t asked, searched, visited;
	uint32_t visited_min, visited_max;
};

void snag_joins_init(struct snag_joins *j, struct snag_dpst *tree);
void snag_joins_done(struct snag_joins *j);
void snag_joins_reserve(struct snag_joins *j, size_t npromises);
/* Replaces all waits, and the places where promises were set, by `step`, which comes before
 * everything that follows. */
void snag_joins_restart(struct snag_joins *j, uint32_t step);

void snag_joins_set(struct snag_joins *j, uint32_t promise, uint32_t step, uint32_t list);
/* Each returns the list with a new node in front. */
uint32_t snag_joins_get(struct snag_joins *j, uint32_t list, uint32_t promise);
uint32_t snag_joins_merge(struct snag_joins *j, uint32_t list,
			  uint32_t other); /* either may be 0 */
uint32_t snag_joins_sync(struct snag_joins *j, uint32_t list, uint32_t block);

/* Returns whether step a comes before something on the list. */
bool snag_joins_has(struct snag_joins *j, uint32_t list, uint32_t a);

#endif
