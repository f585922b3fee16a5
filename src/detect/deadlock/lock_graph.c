/* SPDX-License-Identifier: Apache-2.0
 *
 * lock_graph.c - can a trace have a deadlock at all?
 */
#include "detect/deadlock/lock_graph.h"

#include "base/memory.h"
#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

enum { SEVERAL = UINT32_MAX };

struct edge {
	uint32_t from, to;
	snag_tid thread; /* or SEVERAL */
};

struct held {
	uint32_t *lock;
	uint32_t n;
	size_t cap;
};

struct snag_lock_graph {
	struct held *held; /* by thread */
	size_t held_cap;
	struct edge *edge;
	size_t nedges, edge_cap;
	struct snag_slots by_locks;
	uint32_t nlocks; /* all locks of edges are below */
	bool has_join;	 /* [join] */
};

struct snag_lock_graph *snag_lock_graph_new(void)
{
	return snag_calloc(1, sizeof(struct snag_lock_graph));
}

void snag_lock_graph_free(struct snag_lock_graph *g)
{
	if (!g)
		return;
	for (size_t t = 0; t < g->held_cap; t++)
		free(g->held[t].lock);
	free(g->held);
	free(g->edge);
	snag_slots_done(&g->by_locks);
	free(g);
}

static uint64_t edge_hash(const void *ctx, uint32_t number)
{
	const struct edge *e = &((const struct snag_lock_graph *)ctx)->edge[number];
	return snag_hash(e->from, e->to);
}

static bool edge_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct edge *e = &((const struct snag_lock_graph *)ctx)->edge[number], *k = key;
	return e->from == k->from && e->to == k->to;
}

static void edge_add(struct snag_lock_graph *g, uint32_t from, uint32_t to, snag_tid thread)
{
	const struct edge key = {from, to, thread};
	uint32_t at = snag_slots_find(&g->by_locks, snag_hash(from, to), edge_equals, g, &key);
	if (at != SNAG_SLOTS_NONE) {
		if (g->edge[at].thread != thread)
			g->edge[at].thread = SEVERAL;
		return;
	}
	g->edge = snag_grow(g->edge, &g->edge_cap, g->nedges + 1, sizeof(*g->edge));
	g->edge[g->nedges] = key;
	snag_slots_add(&g->by_locks, (uint32_t)g->nedges++, edge_hash, g);
	g->nlocks = from >= g->nlocks ? from + 1 : g->nlocks;
	g->nlocks = to >= g->nlocks ? to + 1 : g->nlocks;
}

static struct held *held_of(struct snag_lock_graph *g, snag_tid t)
{
	g->held = snag_grow(g->held, &g->held_cap, (size_t)t + 1, sizeof(*g->held));
	return &g->held[t];
}

static void take(struct snag_lock_graph *g, const struct snag_event *ev) /* [edge] */
{
	struct held *h = held_of(g, ev->thread);
	for (uint32_t i = 0; i < h->n && !(ev->flags & SNAG_NO_WAIT); i++)
		edge_add(g, h->lock[i], ev->target, ev->thread);
	h->lock = snag_grow(h->lock, &h->cap, (size_t)h->n + 1, sizeof(*h->lock));
	h->lock[h->n++] = ev->target;
}

static void give(struct snag_lock_graph *g, const struct snag_event *ev)
{
	struct held *h = held_of(g, ev->thread);
	uint32_t i = h->n;
	while (i > 0 && h->lock[i - 1] != ev->target)
		i--;
	if (i == 0)
		return;
	memmove(&h->lock[i - 1], &h->lock[i], (h->n - i) * sizeof(*h->lock));
	h->n--;
}

void snag_lock_graph_batch(struct snag_lock_graph *g, const struct snag_batch *batch)
{
	const uint32_t ops = SNAG_OPS_OF_LOCKS | SNAG_OP_BIT(JOIN);
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		if (!(ops >> ev->op & 1) || ev->flags & SNAG_NESTED)
			continue;
		if (ev->op == SNAG_OP_JOIN)
			g->has_join |= held_of(g, ev->thread)->n > 0;
		else if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
			take(g, ev);
		else
			give(g, ev);
	}
}

static uint32_t head(const struct edge *e, bool is_reversed)
{
	return is_reversed ? e->from : e->to;
}

static uint32_t tail(const struct edge *e, bool is_reversed)
{
	return is_reversed ? e->to : e->from;
}

/* [circle] Takes away the edges that no circle leads to, or with is_reversed those that lead to
 * none.  Returns how many edges are left, the first ones. */
static size_t prune(struct edge *edge, size_t n, uint32_t nlocks, bool is_reversed)
{
	uint32_t *first = snag_calloc((size_t)nlocks + 2, sizeof(*first)); /* by tail */
	uint32_t *out = snag_calloc(n, sizeof(*out));			   /* edges by tail */
	uint32_t *entering = snag_calloc(nlocks, sizeof(*entering));
	uint32_t *queue = snag_calloc(nlocks, sizeof(*queue));
	size_t nqueue = 0, left = 0;
	for (size_t i = 0; i < n; i++) {
		first[tail(&edge[i], is_reversed) + 2]++;
		entering[head(&edge[i], is_reversed)]++;
	}
	for (uint32_t l = 0; l < nlocks; l++) {
		first[l + 2] += first[l + 1];
		if (!entering[l])
			queue[nqueue++] = l;
	}
	for (size_t i = 0; i < n; i++)
		out[first[tail(&edge[i], is_reversed) + 1]++] = (uint32_t)i;
	for (size_t at = 0; at < nqueue; at++)
		for (uint32_t i = first[queue[at]]; i < first[queue[at] + 1]; i++) {
			uint32_t l = head(&edge[out[i]], is_reversed);
			if (--entering[l] == 0)
				queue[nqueue++] = l;
		}
	for (size_t i = 0; i < n; i++)
		if (entering[tail(&edge[i], is_reversed)])
			edge[left++] = edge[i];
	free(first);
	free(out);
	free(entering);
	free(queue);
	return left;
}

bool snag_lock_graph_has_circle(const struct snag_lock_graph *g)
{
	if (g->has_join)
		return true;
	struct edge *edge = snag_realloc(NULL, g->nedges + 1, sizeof(*edge));
	size_t n = g->nedges;
	if (n)
		memcpy(edge, g->edge, n * sizeof(*edge));
	n = prune(edge, n, g->nlocks, false);
	n = prune(edge, n, g->nlocks, true);
	bool is_of_several = false;
	for (size_t i = 0; i < n; i++)
		is_of_several |= edge[i].thread == SEVERAL || edge[i].thread != edge[0].thread;
	free(edge);
	return is_of_several;
}
