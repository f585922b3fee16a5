/* SPDX-License-Identifier: Apache-2.0
 *
 * dpst.h - the dynamic program structure tree: which steps of tasks does structure order?
 *
 * Idea.   Inner nodes are tasks and the scopes they open.  Leaves are steps, stretches of a task
 *         between two events that matter.  Steps are numbered as they begin.  Take the node
 *         where the paths from two steps to the root meet.  The left step comes before the right
 *         one if its child there is waited for; otherwise the two are parallel.
 *
 * State.  node[n]   its parent; a jump to an ancestor further up, computed when a question first
 *                   needs it; the number that the next step had when the node was made, which
 *                   gives its position among its parent's own steps
 *         step[s]   the node that step s belongs to directly
 *
 * Kinds.  FINISH    waits for everything below
 *         ASYNC     a task that the nearest FINISH above waits for
 *         SPAWN     a task whose parent is a BLOCK, which waits for it
 *         BLOCK     opened by the first spawn of a frame, closed by its sync.  ASYNC tasks below
 *                   it may outlast it (`escaped`).  If the frame ends without a sync, SPAWN
 *                   tasks may too (`leaked`)
 *         An ASYNC may be *many*: each of its steps is a separate task, which has only that step
 *         and is parallel to all others.  Nothing is below such a node.
 *
 * Guarantee.  Exact for what structure orders, in whatever order tasks ran: a node may grow at
 *             any time.
 * Cost.   20 bytes per node, 4 per step.  A question costs O(log depth), by jumps of a
 *         skew-binary number system, plus the jumps that are still to be computed; O(depth)
 *         below an escaped block.
 * Reference.  Raman et al., SPD3, PLDI 2012; Myers, An applicative random-access stack, IPL
 *             1983; the tree of Jin et al., DRDP.
 */
#ifndef SNAG_ORDER_DPST_H
#define SNAG_ORDER_DPST_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum snag_dpst_kind { SNAG_DPST_FINISH, SNAG_DPST_ASYNC, SNAG_DPST_SPAWN, SNAG_DPST_BLOCK };

enum { SNAG_DPST_ROOT = 0, SNAG_DPST_MAX_NODES = 1 << 28, SNAG_DPST_AT_ONCE = 3 };
#define SNAG_DPST_MAX_STEPS (UINT32_C(1) << 31) /* so that callers have a spare bit */
#define SNAG_DPST_NONE UINT32_MAX

struct snag_dpst_node {
	uint32_t parent;
	uint32_t jump;	/* SNAG_DPST_NONE: not computed yet, neither for the nodes below */
	uint32_t time;	/* the number of the first step after it was made */
	uint32_t extra; /* of an open scope: at the disposal of its owner */
	uint32_t depth : 28;
	uint32_t kind : 2; /* enum snag_dpst_kind */
	uint32_t is_escaped : 1;
	uint32_t is_leaked : 1; /* of a block; of an ASYNC: the node is many */
};

_Static_assert(sizeof(struct snag_dpst_node) == 20, "a node is 20 bytes");

struct snag_dpst {
	struct snag_dpst_node *node;
	uint32_t *step;
	size_t nnodes, node_cap;
	size_t room;			     /* node_cap, but at most the allowed number */
	size_t nsteps, step_cap;	     /* step 0 is none */
	uint32_t deepest;		     /* the depth of some node */
	size_t retired_nodes, retired_steps; /* removed so far: retire.h */
};

void snag_dpst_init(struct snag_dpst *t); /* with the root, a FINISH */
void snag_dpst_done(struct snag_dpst *t);

/* Makes room for SNAG_DPST_AT_ONCE more nodes.  Returns false if there are too many nodes or
 * steps. */
static inline bool snag_dpst_has_room(const struct snag_dpst *t)
{
	return t->nnodes + SNAG_DPST_AT_ONCE <= t->room;
}
bool snag_dpst_more(struct snag_dpst *t);

/* Adds a node; the caller has made room. */
static inline uint32_t snag_dpst_add(struct snag_dpst *t, uint32_t parent, enum snag_dpst_kind kind)
{
	uint32_t n = (uint32_t)t->nnodes++, depth = t->node[parent].depth + 1;
	struct snag_dpst_node *node = &t->node[n];
	node->parent = parent;
	node->jump = SNAG_DPST_NONE;
	node->time = (uint32_t)t->nsteps;
	node->extra = 0;
	node->depth = depth;
	node->kind = kind;
	node->is_escaped = node->is_leaked = false;
	if (depth > t->deepest)
		t->deepest = depth;
	return n;
}

static inline void snag_dpst_make_many(struct snag_dpst *t, uint32_t n)
{
	t->node[n].is_leaked = true;
}

static inline bool snag_dpst_is_many(const struct snag_dpst *t, uint32_t n)
{
	return t->node[n].kind == SNAG_DPST_ASYNC && t->node[n].is_leaked;
}

/* Returns the task that a node belongs to. */
static inline uint32_t snag_dpst_task(const struct snag_dpst *t, uint32_t n)
{
	while (t->node[n].kind == SNAG_DPST_FINISH || t->node[n].kind == SNAG_DPST_BLOCK)
		n = t->node[n].parent;
	return n;
}

/* Returns whether a step needs no more memory. */
static inline bool snag_dpst_has_room_for_step(const struct snag_dpst *t)
{
	return t->nsteps + 1 <= t->step_cap && t->nsteps < SNAG_DPST_MAX_STEPS;
}

static inline uint32_t snag_dpst_step(struct snag_dpst *t, uint32_t node)
{
	t->step = snag_huge_grow(t->step, &t->step_cap, t->nsteps + 1, sizeof(*t->step));
	t->step[t->nsteps] = node;
	return (uint32_t)t->nsteps++;
}

/* Returns where the paths of two nodes to the root meet.  The nodes are different, or one that
 * is many.  ret_a and ret_b are the children there on the two paths; 0 means the node itself. */
uint32_t snag_dpst_meet(const struct snag_dpst *t, uint32_t a, uint32_t b, uint32_t *ret_a,
			uint32_t *ret_b);

/* Returns whether the end of ancestor `top` waits for the work in `node`. */
bool snag_dpst_is_within(const struct snag_dpst *t, uint32_t node, uint32_t top);

bool snag_dpst_precedes_slow(const struct snag_dpst *t, uint32_t a, uint32_t b);

/* Returns whether step a, the earlier, comes before step b or is b. */
static inline bool snag_dpst_precedes(const struct snag_dpst *t, uint32_t a, uint32_t b)
{
	if (t->step[a] == t->step[b])
		return a == b || (a < b && !snag_dpst_is_many(t, t->step[a]));
	return snag_dpst_precedes_slow(t, a, b);
}

#endif
