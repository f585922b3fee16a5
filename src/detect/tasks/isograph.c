/* SPDX-License-Identifier: Apache-2.0
 *
 * isograph.c - races of the computation graph by labels, with isolation, in almost linear time
 *
 * Idea.   Without isolation the graph is series-parallel, and two orders of its steps, English
 *         and Hebrew, decide which step comes before which: the one that does so in both.
 *         Isolated blocks are ordered as they ran.  So a path from n to n' that uses isolation
 *         can be taken to leave n for the earliest block after it, go along the blocks, and
 *         reach n' from the latest block before it.
 *
 * State.  English(n), Hebrew(n)   places in the two orders, see order/tour.h
 *         earliest(n)   the smallest number of an isolated block after n or n itself (ES)
 *         latest(n)     the greatest number of one before n or n itself (LP)
 *
 * Rules.  [before]  n precedes n' iff  English(n) < English(n') and Hebrew(n) < Hebrew(n'), or
 *                   earliest(n) <= latest(n')
 *         [race]    in observed order, an access at n races with an earlier conflicting one at
 *                   n' iff (English(n') > English(n) or Hebrew(n') > Hebrew(n)) and earliest(n')
 *                   > latest(n). So, of the earlier reads and the earlier writes of the variable
 *                   with a greater English place, the one with the greatest `earliest` decides;
 *                   the same for Hebrew.
 *         [other]   graphs that are not series-parallel, or where promises add to the order: by
 *                   transitive closure, see graph.h
 *
 * Guarantee.  The racy variables of the run are found exactly, with one earlier access for each
 *             access that races.  Race-free on every schedule if no two conflicting accesses are
 *             ordered only by isolation, or both isolated.
 * Cost.   O(1) per event and step; O(log k) for each of the k accesses to a variable that has
 *         parallel conflicting ones.  [other]: steps x edges / 64 and all conflicting pairs.
 * Reference.  The orders: Bender et al., SPAA 2004; the question: Storey et al., Optimized sound
 *             and complete data race detection in structured parallel programs, 2020.
 */
#include "base/memory.h"
#include "detect/tasks/graph.h"
#include "order/maxima.h"

#include <stdlib.h>

struct labels {
	struct snag_sporder *order;
	uint32_t *earliest, *latest; /* UINT32_MAX and 0: none */
};

static void labels_init(struct labels *l, const struct snag_cgraph *g)
{
	uint32_t n = (uint32_t)g->nnodes;
	l->earliest = snag_alloc((n + 1) * sizeof(*l->earliest));
	l->latest = snag_calloc(n + 1, sizeof(*l->latest));
	for (uint32_t b = 0; b < n; b++) {
		l->latest[b] = g->node[b].isolated;
		for (uint32_t e = g->node[b].preds; e < snag_cgraph_preds_end(g, b); e++) {
			uint32_t before = l->latest[g->pred[e].from];
			if (g->pred[e].kind != SNAG_EDGE_ISOLATED && before > l->latest[b])
				l->latest[b] = before;
		}
		l->earliest[b] = g->node[b].isolated ? g->node[b].isolated : UINT32_MAX;
	}
	for (uint32_t b = n; b-- > 0;)
		for (uint32_t e = g->node[b].preds; e < snag_cgraph_preds_end(g, b); e++) {
			uint32_t a = g->pred[e].from;
			if (g->pred[e].kind != SNAG_EDGE_ISOLATED &&
			    l->earliest[b] < l->earliest[a])
				l->earliest[a] = l->earliest[b];
		}
}

static void labels_done(struct labels *l)
{
	free(l->order);
	free(l->earliest);
	free(l->latest);
}

/* The accesses to one variable, in observed order. */
struct accesses {
	uint32_t n;
	uint32_t *earliest; /* by access */
	uint32_t *key[2];   /* by access: its rank in English and in Hebrew order */
	uint64_t *sorted;   /* for ranking */
	uint32_t *cells;
	struct snag_maxima past[2][2]; /* reads, writes; English, Hebrew */
	size_t earliest_cap, key_cap[2], sorted_cap, cells_cap;
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Ranks of the high halves; equal ones have equal ranks. */
static void rank(uint64_t *sorted, uint32_t n, uint32_t *key)
{
	qsort(sorted, n, sizeof(*sorted), compare_u64);
	for (uint32_t i = 0; i < n; i++) {
		bool is_same = i > 0 && sorted[i] >> 32 == sorted[i - 1] >> 32;
		key[(uint32_t)sorted[i]] = is_same ? key[(uint32_t)sorted[i - 1]] : i;
	}
}

static void accesses_init(struct accesses *x, const struct snag_graph *graph,
			  const struct labels *l, uint32_t v)
{
	const uint32_t *index = &graph->index[graph->begin[v]];
	uint32_t n = x->n = graph->begin[v + 1] - graph->begin[v];
	x->earliest = snag_grow(x->earliest, &x->earliest_cap, n, sizeof(*x->earliest));
	x->sorted = snag_grow(x->sorted, &x->sorted_cap, n, sizeof(*x->sorted));
	x->cells = snag_grow(x->cells, &x->cells_cap, 4 * ((size_t)n + 1), sizeof(*x->cells));
	for (int d = 0; d < 2; d++) {
		x->key[d] = snag_grow(x->key[d], &x->key_cap[d], n, sizeof(*x->key[d]));
		for (uint32_t i = 0; i < n; i++) {
			struct snag_sporder at = l->order[graph->g.access[index[i]].node];
			x->sorted[i] = (uint64_t)(d ? at.hebrew : at.english) << 32 | i;
		}
		rank(x->sorted, n, x->key[d]);
		for (int k = 0; k < 2; k++)
			snag_maxima_init(&x->past[k][d], &x->cells[(2 * k + d) * ((size_t)n + 1)],
					 n, x->earliest);
	}
	for (uint32_t i = 0; i < n; i++)
		x->earliest[i] = l->earliest[graph->g.access[index[i]].node];
}

static void accesses_done(struct accesses *x)
{
	free(x->earliest);
	free(x->key[0]);
	free(x->key[1]);
	free(x->sorted);
	free(x->cells);
}

/* An earlier conflicting access that races with access i, + 1; 0: there is none. */
static uint32_t partner_find(const struct accesses *x, uint32_t i, bool is_write, uint32_t latest)
{
	for (int k = is_write ? 0 : 1; k < 2; k++)
		for (int d = 0; d < 2; d++) {
			uint32_t best = snag_maxima_above(&x->past[k][d], x->key[d][i]);
			if (best && x->earliest[best - 1] > latest)
				return best;
		}
	return 0;
}

static void variable_check(struct snag_graph *graph, const struct labels *l, struct accesses *x,
			   uint32_t v) /* [race] */
{
	accesses_init(x, graph, l, v);
	const uint32_t *index = &graph->index[graph->begin[v]];
	for (uint32_t i = 0; i < x->n; i++) {
		const struct snag_caccess *a = &graph->g.access[index[i]];
		uint32_t partner = partner_find(x, i, a->is_write, l->latest[a->node]);
		if (partner)
			snag_graph_race(graph, &graph->g.access[index[partner - 1]], a);
		for (int d = 0; d < 2; d++)
			snag_maxima_add(&x->past[a->is_write][d], x->key[d][i], i);
	}
}

static void labels_search(struct snag_graph *graph, struct labels *l)
{
	struct accesses x = {0};
	labels_init(l, &graph->g);
	graph->is_ordered = true;
	for (uint32_t v = 0; v < graph->g.nvariables; v++) {
		if (snag_graph_is_ordered(graph, l->order, v))
			continue;
		graph->is_ordered = false;
		variable_check(graph, l, &x, v);
	}
	accesses_done(&x);
}

static void isograph_end(void *state)
{
	struct snag_graph *graph = state;
	struct labels l = {0};
	if (snag_graph_is_stopped(graph))
		return;
	snag_graph_complete(graph);
	l.order = snag_graph_order(graph);
	if (l.order)
		labels_search(graph, &l);
	else
		snag_graph_closure(graph); /* [other] */
	labels_done(&l);
}

const struct snag_detector snag_detector_isograph = {
	.name = "isograph",
	.summary = "races of the computation graph, by order labels and isolation labels",
	.kind = "tasks",
	.guarantee = "exact for the observed order of isolated blocks; proves race freedom if "
		     "isolation orders no conflict",
	.cost = "O(1) per event, O(log k) per access with conflicts in parallel; as cg if promises "
		"or syncs make the graph not series-parallel",
	.reference = "Bender et al., SPAA 2004; Storey et al., 2020",
	.ops = SNAG_OPS_COMMON | SNAG_OPS_OF_TASKS,
	.verdict = SNAG_OBSERVED,
	.open = snag_graph_open,
	.events = snag_graph_events,
	.end = isograph_end,
	.proves = snag_graph_proves,
	.stats = snag_graph_stats,
	.close = snag_graph_close,
};
