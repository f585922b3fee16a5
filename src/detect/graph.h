/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h - what detectors that judge the computation graph have in common
 *
 * Idea.   While the trace is read, the graph (order/cgraph.h) is built; the detector looks for
 *         races when it is complete.  A race of the graph is a pair of conflicting
 *         accesses of steps of which neither comes before the other.  Isolated blocks are
 *         ordered as they ran: what is found is exact for this run.
 *
 *         For all runs it counts only if isolation had no say: if all conflicting accesses
 *         are ordered by the other edges alone, every run on this input does the same.
 *         Otherwise blocks may run in another order, and what they do may then differ.
 */
#ifndef SNAG_DETECT_GRAPH_H
#define SNAG_DETECT_GRAPH_H

#include "detect/detector.h"
#include "order/cgraph.h"
#include "order/tour.h"

struct snag_graph {
	const struct snag_detector_env *env;
	struct snag_cgraph g;
	uint32_t *begin, *index; /* the accesses by variable, once the graph is complete */
	bool is_ordered; /* conflicting accesses are ordered without isolated edges: set by the
			  * detector when it has looked */
};

/* The handlers of these detectors, whose state it is. */
void *snag_graph_open(const struct snag_detector_env *env);
void snag_graph_close(void *state); /* accepts NULL */

void snag_graph_events(void *state, const struct snag_batch *batch);
bool snag_graph_proves(const void *state);
void snag_graph_stats(const void *state, snag_stat_handler *handler, void *ctx);

/* After the last event. */
void snag_graph_complete(struct snag_graph *graph);

static inline bool snag_graph_is_stopped(const struct snag_graph *graph)
{
	return graph->env->stop && *graph->env->stop;
}

static inline bool snag_graph_conflict(const struct snag_caccess *a, const struct snag_caccess *b)
{
	return (a->is_write || b->is_write) && a->node != b->node;
}

/* Reports a race of two accesses; which came first is found out here. */
void snag_graph_race(struct snag_graph *graph, const struct snag_caccess *a,
		     const struct snag_caccess *b);

/* The order of the steps by all edges but the isolated ones, to be freed; NULL: the graph is not
 * series-parallel, or promises add to its order. */
struct snag_sporder *snag_graph_order(const struct snag_graph *graph);

/* Whether all conflicting accesses to variable v are ordered without isolated edges.
 * Linear. */
bool snag_graph_is_ordered(const struct snag_graph *graph, const struct snag_sporder *order,
			   uint32_t v);

/* Looks at all conflicting pairs with the transitive closure, whatever the graph: reports of
 * each access the first race it has with a later one.  Sets is_ordered. */
void snag_graph_closure(struct snag_graph *graph);

/* The graph of all events of a source, for pictures (report/dot.h). */
int snag_graph_load(struct snag_source *src, struct snag_cgraph *ret_graph, struct snag_error *err);

#endif
