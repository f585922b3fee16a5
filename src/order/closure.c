/* SPDX-License-Identifier: Apache-2.0
 *
 * closure.c - transitive closure of a computation graph; see closure.h
 */
#include "order/closure.h"

#include "base/memory.h"

#include <string.h>

enum { STRIP_BYTES = 1 << 26 };

void snag_closure_init(struct snag_closure *c, const struct snag_cgraph *g, bool has_isolated)
{
	size_t nwords = STRIP_BYTES / sizeof(uint64_t) / (g->nnodes + 1);
	size_t all = g->nnodes / 64 + 1;
	if (nwords > all)
		nwords = all;
	if (nwords == 0)
		nwords = 1;
	*c = (struct snag_closure){
		.graph = g, .has_isolated = has_isolated, .nwords = (uint32_t)nwords};
	c->bits = snag_calloc(g->nnodes + 1, nwords * sizeof(*c->bits));
}

void snag_closure_done(struct snag_closure *c)
{
	free(c->bits);
	c->bits = NULL;
}

/* The row of step b, from those of the steps before it. */
static void row_fill(struct snag_closure *c, uint32_t b)
{
	const struct snag_cgraph *g = c->graph;
	uint64_t *row = &c->bits[(size_t)(b - c->first) * c->nwords];
	memset(row, 0, c->nwords * sizeof(*row));
	for (uint32_t e = g->node[b].preds; e < snag_cgraph_preds_end(g, b); e++) {
		uint32_t a = g->pred[e].from;
		if (a < c->first || (g->pred[e].kind == SNAG_EDGE_ISOLATED && !c->has_isolated))
			continue;
		const uint64_t *other = &c->bits[(size_t)(a - c->first) * c->nwords];
		for (uint32_t i = 0; i < c->nwords; i++)
			row[i] |= other[i];
		if (a < c->last)
			row[(a - c->first) / 64] |= 1ULL << (a - c->first) % 64;
	}
}

bool snag_closure_next(struct snag_closure *c)
{
	size_t nnodes = c->graph->nnodes;
	size_t last = (size_t)c->last + (size_t)c->nwords * 64;
	if (c->last >= nnodes)
		return false;
	c->first = c->last;
	c->last = (uint32_t)(last < nnodes ? last : nnodes);
	for (uint32_t b = c->first; b < nnodes; b++)
		row_fill(c, b);
	return true;
}
