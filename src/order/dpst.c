/* SPDX-License-Identifier: Apache-2.0
 *
 * dpst.c - the dynamic program structure tree
 */
#include "order/dpst.h"

void snag_dpst_init(struct snag_dpst *t)
{
	*t = (struct snag_dpst){0};
	snag_dpst_more(t);
	t->step = snag_huge_grow(NULL, &t->step_cap, 1, sizeof(*t->step));
	t->node[0] = (struct snag_dpst_node){.kind = SNAG_DPST_FINISH};
	t->nnodes = t->nsteps = 1;
}

void snag_dpst_done(struct snag_dpst *t)
{
	snag_huge_free(t->node, t->node_cap, sizeof(*t->node));
	snag_huge_free(t->step, t->step_cap, sizeof(*t->step));
}

bool snag_dpst_more(struct snag_dpst *t)
{
	if (t->nnodes + SNAG_DPST_AT_ONCE > SNAG_DPST_MAX_NODES || t->nsteps >= SNAG_DPST_MAX_STEPS)
		return false;
	t->node = snag_huge_grow(t->node, &t->node_cap, t->nnodes + SNAG_DPST_AT_ONCE,
				 sizeof(*t->node));
	t->room = t->node_cap < SNAG_DPST_MAX_NODES ? t->node_cap : SNAG_DPST_MAX_NODES;
	return true;
}

/* Two jumps of equal length become one; otherwise a jump to the parent. */
static uint32_t jump_of(const struct snag_dpst_node *node, uint32_t parent)
{
	uint32_t once = node[parent].jump, twice = node[once].jump;
	uint32_t d = node[parent].depth, d1 = node[once].depth, d2 = node[twice].depth;
	return d - d1 == d1 - d2 ? twice : parent;
}

/* Computes the jumps of n and of the nodes above it.  On the way up, each node remembers where
 * the search came from. */
static void jumps_find(struct snag_dpst_node *node, uint32_t n)
{
	uint32_t from = SNAG_DPST_NONE;
	while (node[n].jump == SNAG_DPST_NONE) {
		node[n].jump = from;
		from = n;
		n = node[n].parent;
	}
	while (from != SNAG_DPST_NONE) {
		uint32_t next = node[from].jump;
		node[from].jump = jump_of(node, n);
		n = from;
		from = next;
	}
}

/* Returns the ancestor of n, or n itself, at a depth. */
static uint32_t lift(const struct snag_dpst_node *node, uint32_t n, uint32_t depth)
{
	while (node[n].depth > depth)
		n = node[node[n].jump].depth >= depth ? node[n].jump : node[n].parent;
	return n;
}

uint32_t snag_dpst_meet(const struct snag_dpst *t, uint32_t a, uint32_t b, uint32_t *ret_a,
			uint32_t *ret_b)
{
	const struct snag_dpst_node *node = t->node;
	uint32_t da = node[a].depth, db = node[b].depth;
	jumps_find(t->node, a);
	jumps_find(t->node, b);
	*ret_a = *ret_b = 0;
	if (da > db) {
		a = lift(node, a, db + 1);
		if (node[a].parent == b) {
			*ret_a = a;
			return b;
		}
		a = node[a].parent;
	} else if (db > da) {
		b = lift(node, b, da + 1);
		if (node[b].parent == a) {
			*ret_b = b;
			return a;
		}
		b = node[b].parent;
	}
	while (node[a].parent != node[b].parent) {
		bool far = node[a].jump != node[b].jump;
		a = far ? node[a].jump : node[a].parent;
		b = far ? node[b].jump : node[b].parent;
	}
	*ret_a = a;
	*ret_b = b;
	return node[a].parent;
}

bool snag_dpst_is_within(const struct snag_dpst *t, uint32_t n, uint32_t top)
{
	const struct snag_dpst_node *node = t->node;
	while (n != top) {
		enum snag_dpst_kind kind = node[n].kind;
		n = node[n].parent;
		if (kind != SNAG_DPST_ASYNC && !(kind == SNAG_DPST_SPAWN && node[n].is_leaked))
			continue;
		for (; node[n].kind != SNAG_DPST_FINISH; n = node[n].parent)
			if (n == top)
				return false;
	}
	return true;
}

static bool is_waited_for(const struct snag_dpst *t, uint32_t child, uint32_t n)
{
	switch ((enum snag_dpst_kind)t->node[child].kind) {
	case SNAG_DPST_FINISH:
		return true;
	case SNAG_DPST_BLOCK:
		return !t->node[child].is_escaped || snag_dpst_is_within(t, n, child);
	default:
		return false;
	}
}

bool snag_dpst_precedes_slow(const struct snag_dpst *t, uint32_t a, uint32_t b)
{
	uint32_t na = t->step[a], ca, cb;
	snag_dpst_meet(t, na, t->step[b], &ca, &cb);
	if (ca == 0)
		return a < t->node[cb].time;
	bool is_left = cb == 0 ? t->node[ca].time <= b : ca < cb;
	return is_left && is_waited_for(t, ca, na);
}
