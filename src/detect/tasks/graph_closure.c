/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_closure.c - the races of a computation graph by its transitive closure; see graph.h
 *
 * Naive on purpose: every conflicting pair is looked up.  Accesses come in observed order, so
 * of two steps only the one that was seen first can come before the other.
 */
#include "base/memory.h"
#include "detect/tasks/graph.h"
#include "order/closure.h"

struct search {
	struct snag_graph *graph;
	struct snag_closure closure;
	uint32_t *begin, *index; /* the accesses by step */
	uint32_t *place;	 /* of an access among those of its variable */
};

/* The first later access that conflicts with `a` and is not ordered after it; NULL: none. */
static const struct snag_caccess *partner_find(const struct search *s, uint32_t a)
{
	const struct snag_graph *graph = s->graph;
	const struct snag_caccess *first = &graph->g.access[a];
	for (uint32_t i = s->place[a] + 1; i < graph->begin[first->variable + 1]; i++) {
		const struct snag_caccess *second = &graph->g.access[graph->index[i]];
		if (snag_graph_conflict(first, second) &&
		    !snag_closure_precedes(&s->closure, first->node, second->node))
			return second;
	}
	return NULL;
}

/* Whether there are no races; reports them if wanted, otherwise stops at the first. */
static bool search_run(struct search *s, bool has_isolated, bool reports)
{
	bool is_clean = true;
	snag_closure_init(&s->closure, &s->graph->g, has_isolated);
	while ((is_clean || reports) && !snag_graph_is_stopped(s->graph) &&
	       snag_closure_next(&s->closure)) {
		uint32_t end = s->begin[s->closure.last];
		for (uint32_t i = s->begin[s->closure.first]; i < end; i++) {
			const struct snag_caccess *second = partner_find(s, s->index[i]);
			if (!second)
				continue;
			is_clean = false;
			if (!reports)
				break;
			snag_graph_race(s->graph, &s->graph->g.access[s->index[i]], second);
		}
	}
	snag_closure_done(&s->closure);
	return is_clean && !snag_graph_is_stopped(s->graph);
}

void snag_graph_closure(struct snag_graph *graph)
{
	struct search s = {.graph = graph};
	snag_cgraph_by_node(&graph->g, &s.begin, &s.index);
	s.place = snag_alloc((graph->g.naccesses + 1) * sizeof(*s.place));
	for (uint32_t i = 0; i < graph->g.naccesses; i++)
		s.place[graph->index[i]] = i;
	graph->is_ordered = search_run(&s, true, true);
	if (graph->is_ordered && graph->g.nisolated)
		graph->is_ordered = search_run(&s, false, false);
	free(s.begin);
	free(s.index);
	free(s.place);
}
