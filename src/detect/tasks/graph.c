/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c - what detectors that judge the computation graph have in common; see graph.h
 */
#include "detect/tasks/graph.h"

#include "base/memory.h"

void *snag_graph_open(const struct snag_detector_env *env)
{
	struct snag_graph *graph = snag_calloc(1, sizeof(*graph));
	graph->env = env;
	snag_cgraph_init(&graph->g);
	return graph;
}

void snag_graph_close(void *state)
{
	struct snag_graph *graph = state;
	if (!graph)
		return;
	snag_cgraph_done(&graph->g);
	free(graph->begin);
	free(graph->index);
	free(graph);
}

bool snag_graph_proves(const void *state)
{
	return ((const struct snag_graph *)state)->is_ordered;
}

void snag_graph_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct snag_cgraph *g = &((const struct snag_graph *)state)->g;
	handler(ctx, "nodes", g->nnodes);
	handler(ctx, "edges", g->npreds);
	handler(ctx, "isolated nodes", g->nisolated);
	handler(ctx, "accesses kept", g->naccesses);
}

static void task_event(struct snag_cgraph *g, const struct snag_event *ev)
{
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
		snag_cgraph_async(g, ev->thread, ev->target);
		break;
	case SNAG_OP_TASK_SPAWN:
		snag_cgraph_spawn(g, ev->thread, ev->target);
		break;
	case SNAG_OP_TASK_END:
		snag_cgraph_task_end(g, ev->thread);
		break;
	case SNAG_OP_FINISH_BEGIN:
		snag_cgraph_finish_begin(g, ev->thread);
		break;
	case SNAG_OP_FINISH_END:
		snag_cgraph_finish_end(g, ev->thread);
		break;
	case SNAG_OP_FRAME_BEGIN:
		snag_cgraph_frame_begin(g, ev->thread);
		break;
	case SNAG_OP_FRAME_END:
		snag_cgraph_frame_end(g, ev->thread);
		break;
	case SNAG_OP_SYNC:
		snag_cgraph_sync(g, ev->thread);
		break;
	case SNAG_OP_PROMISE_SET:
		snag_cgraph_set(g, ev->thread, ev->target);
		break;
	case SNAG_OP_PROMISE_GET:
		snag_cgraph_get(g, ev->thread, ev->target);
		break;
	case SNAG_OP_ISOLATED_BEGIN:
		snag_cgraph_isolated_begin(g, ev->thread);
		break;
	case SNAG_OP_ISOLATED_END:
		snag_cgraph_isolated_end(g, ev->thread);
		break;
	default:
		break;
	}
}

static void batch_add(struct snag_cgraph *g, const struct snag_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		if (snag_op_is_access(ev->op) ||
		    (snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE))
			snag_cgraph_access(g, ev->thread, ev->target, snag_op_writes(ev->op),
					   ev->loc, (uint32_t)(batch->first + i));
		else
			task_event(g, ev);
	}
}

void snag_graph_events(void *state, const struct snag_batch *batch)
{
	batch_add(&((struct snag_graph *)state)->g, batch);
}

int snag_graph_load(struct snag_source *src, struct snag_cgraph *ret_graph, struct snag_error *err)
{
	struct snag_cgraph g;
	struct snag_batch batch;
	int rc;
	snag_cgraph_init(&g);
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		batch_add(&g, &batch);
	if (rc < 0)
		snag_cgraph_done(&g);
	else
		*ret_graph = g;
	return rc;
}

void snag_graph_complete(struct snag_graph *graph)
{
	snag_cgraph_by_variable(&graph->g, &graph->begin, &graph->index);
}

static struct snag_site site_of(const struct snag_graph *graph, const struct snag_caccess *a)
{
	return (struct snag_site){.event = a->event,
				  .thread = graph->g.node[a->node].task,
				  .target = a->variable,
				  .loc = a->loc,
				  .op = a->is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
}

void snag_graph_race(struct snag_graph *graph, const struct snag_caccess *a,
		     const struct snag_caccess *b)
{
	struct snag_site first = site_of(graph, a->event < b->event ? a : b);
	struct snag_site second = site_of(graph, a->event < b->event ? b : a);
	graph->env->on_pair(graph->env->ctx, &first, &second);
}

struct snag_sporder *snag_graph_order(const struct snag_graph *graph)
{
	if (!graph->g.is_sp)
		return NULL;
	struct snag_sporder *order = snag_sporder_new(&graph->g);
	if (snag_sporder_is_exact(&graph->g, order))
		return order;
	free(order);
	return NULL;
}

/* Of the accesses so far, the latest in each order. */
struct latest {
	uint32_t english, hebrew; /* + 1 */
};

static bool is_after(struct snag_sporder at, const struct latest *latest)
{
	return latest->english <= at.english + 1 && latest->hebrew <= at.hebrew + 1;
}

bool snag_graph_is_ordered(const struct snag_graph *graph, const struct snag_sporder *order,
			   uint32_t v)
{
	struct latest latest[2] = {0}; /* reads, writes */
	for (uint32_t i = graph->begin[v]; i < graph->begin[v + 1]; i++) {
		const struct snag_caccess *a = &graph->g.access[graph->index[i]];
		struct snag_sporder at = order[a->node];
		struct latest *own = &latest[a->is_write];
		if (!is_after(at, &latest[1]) || (a->is_write && !is_after(at, &latest[0])))
			return false;
		if (at.english >= own->english)
			own->english = at.english + 1;
		if (at.hebrew >= own->hebrew)
			own->hebrew = at.hebrew + 1;
	}
	return true;
}
