/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h - the common part of detectors that judge the computation graph
 *
 * Idea.   The graph (order/cgraph.h) is built while the trace is read.  The detector looks for
 *         races when it is complete.  A race of the graph is a pair of conflicting accesses in
 *         steps of which neither comes before the other.  Isolated blocks are ordered as they
 *         ran: the findings are exact for this run.
 *
 *         They hold for all runs only if isolation had no influence: if the other edges alone
 *         order all conflicting accesses, every run on this input does the same.  Otherwise
 *         blocks may run in another order, and may then behave differently.
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

/* The handlers of these detectors; this is their state. */
void *snag_graph_open(const struct snag_detector_env *env);
void snag_graph_close(void *state); /* accepts NULL */

void snag_graph_events(void *state, const struct snag_batch *batch);
bool snag_graph_proves(const void *state);
void snag_graph_stats(const void *state, snag_stat_handler *handler, void *ctx);

/* Call it after the last event. */
void snag_graph_complete(struct snag_graph *graph);

static inline bool snag_graph_is_stopped(const struct snag_graph *graph)
{
	return graph->env->stop && *graph->env->stop;
}

static inline bool snag_graph_conflict(const struct snag_caccess *a, const struct snag_caccess *b)
{
	return (a->is_write || b->is_write) && a->node != b->node;
}

/* Reports a race of two accesses, in either order. */
void snag_graph_race(struct snag_graph *graph, const struct snag_caccess *a,
		     const struct snag_caccess *b);

/* Returns the order of the steps by all edges except the isolated ones; the caller frees it.
 * NULL: the graph is not series-parallel, or promises add to its order. */
struct snag_sporder *snag_graph_order(const struct snag_graph *graph);

/* Returns whether all conflicting accesses to variable v are ordered without isolated edges.
 * Linear. */
bool snag_graph_is_ordered(const struct snag_graph *graph, const struct snag_sporder *order,
			   uint32_t v);

/* Examines all conflicting pairs with the transitive closure, for any graph.  Reports for each
 * access its first race with a later one.  Sets is_ordered. */
void snag_graph_closure(struct snag_graph *graph);

/* Builds the graph of all events of a source, for pictures (report/tasks/dot.h). */
int snag_graph_load(struct snag_source *src, struct snag_cgraph *ret_graph, struct snag_error *err);

#endif
