/* SPDX-License-Identifier: Apache-2.0
 *
 * cgraph.c - build the computation graph; see cgraph.h
 *
 * A *scope* is a finish or a frame that is, or was, open.  The scopes of one task are linked
 * from the innermost outwards.  A finish lists the tasks it waits for, a frame those that its
 * next sync waits for.  The frame that a task begins with is created with the first spawn in it.
 *
 * In the tree, the part from the first spawn of a frame to its sync is a node of its own.
 * `blocks` counts how many such nodes lie around a place, up to the innermost finish.  An async
 * that is created there is waited for further out, so the tree no longer expresses the order.
 */
#include "order/cgraph.h"

#include "base/memory.h"

#include <string.h>

struct snag_ctask {
	uint32_t node;	 /* its current step, + 1; 0: not yet known */
	uint32_t place;	 /* in the tree: the parent of its next step */
	uint32_t finish; /* scope of the innermost finish, its own or inherited; 0: the outermost */
	uint32_t scope;	 /* its own innermost; 0: none */
	uint32_t frame;	 /* its innermost frame; 0: the one it began with */
	uint32_t base;	 /* the frame it began with; 0: no spawn yet */
	uint32_t blocks;
	uint32_t next_finished, next_spawned; /* the next that is waited for; 0: none */
	bool is_joined;
};

struct snag_cscope {
	bool is_finish;
	uint32_t outer;	 /* the next scope outwards in the same task; 0: none */
	uint32_t around; /* finish: the finish around it; frame: the frame around it */
	uint32_t waits;	 /* the last task created that it waits for; 0: none */
	uint32_t tree;	 /* of a finish; of a frame's spawns since the last sync, 0: none */
	uint32_t at;	 /* frame: where that began, a scope */
	uint32_t blocks; /* finish: around it */
};

struct snag_clast { /* the last step + 1 that read and wrote a variable */
	uint32_t read, write;
};

void snag_cgraph_init(struct snag_cgraph *g)
{
	memset(g, 0, sizeof(*g));
	g->is_sp = true;
	g->tree = snag_grow(NULL, &g->tree_cap, 1, sizeof(*g->tree));
	g->tree[0].kind = SNAG_CTREE_FINISH;
	g->ntree = 1;
	g->scope = snag_grow(NULL, &g->scope_cap, 1, sizeof(*g->scope));
	g->scope[0].is_finish = true;
	g->nscopes = 1;
}

void snag_cgraph_done(struct snag_cgraph *g)
{
	if (!g)
		return;
	free(g->node);
	free(g->pred);
	free(g->access);
	free(g->tree);
	free(g->task);
	free(g->scope);
	free(g->last);
	free(g->promise);
	memset(g, 0, sizeof(*g));
}

static uint32_t tree_add(struct snag_cgraph *g, uint32_t parent, enum snag_ctree_kind kind,
			 uint32_t id)
{
	uint32_t n = (uint32_t)g->ntree++;
	g->tree = snag_grow(g->tree, &g->tree_cap, g->ntree, sizeof(*g->tree));
	struct snag_ctree *up = &g->tree[parent];
	g->tree[n] =
		(struct snag_ctree){.parent = parent, .prev = up->last, .id = id, .kind = kind};
	if (up->last)
		g->tree[up->last].next = n;
	else
		up->first = n;
	up->last = n;
	return n;
}

static void edge_add(struct snag_cgraph *g, uint32_t from, enum snag_edge kind)
{
	g->pred = snag_grow(g->pred, &g->pred_cap, g->npreds + 1, sizeof(*g->pred));
	g->pred[g->npreds++] = (struct snag_cpred){.from = from, .kind = kind};
}

/* Continues task t with a new step; the edges that are added next lead to it. */
static void step_add(struct snag_cgraph *g, struct snag_ctask *task, uint32_t t)
{
	uint32_t n = (uint32_t)g->nnodes++;
	g->node = snag_grow(g->node, &g->node_cap, g->nnodes, sizeof(*g->node));
	g->node[n] = (struct snag_cnode){.task = t, .preds = (uint32_t)g->npreds};
	tree_add(g, task->place, SNAG_CTREE_STEP, n);
	if (task->node)
		edge_add(g, task->node - 1, SNAG_EDGE_CONTINUE);
	task->node = n + 1;
}

/* Returns the task.  A task that was never created is a root. */
static struct snag_ctask *task_get(struct snag_cgraph *g, uint32_t t)
{
	g->task = snag_grow(g->task, &g->task_cap, (size_t)t + 1, sizeof(*g->task));
	struct snag_ctask *task = &g->task[t];
	if (!task->node) {
		task->place = tree_add(g, 0, SNAG_CTREE_TASK, t);
		step_add(g, task, t);
	}
	return task;
}

static uint32_t scope_add(struct snag_cgraph *g, struct snag_cscope scope)
{
	g->scope = snag_grow(g->scope, &g->scope_cap, g->nscopes + 1, sizeof(*g->scope));
	g->scope[g->nscopes] = scope;
	return (uint32_t)g->nscopes++;
}

/* Returns true if the child is new; it begins at the creator's place. */
static bool task_create(struct snag_cgraph *g, uint32_t t, uint32_t child)
{
	task_get(g, t);
	g->task = snag_grow(g->task, &g->task_cap, (size_t)child + 1, sizeof(*g->task));
	struct snag_ctask *task = &g->task[t], *new = &g->task[child];
	if (new->node)
		return false;
	uint32_t before = task->node - 1;
	struct snag_cscope *finish = &g->scope[task->finish];
	*new = (struct snag_ctask){.place = tree_add(g, task->place, SNAG_CTREE_TASK, child),
				   .finish = task->finish,
				   .blocks = task->blocks,
				   .next_finished = finish->waits};
	finish->waits = child;
	step_add(g, new, child);
	edge_add(g, before, SNAG_EDGE_FORK);
	step_add(g, task, t);
	return true;
}

void snag_cgraph_async(struct snag_cgraph *g, uint32_t t, uint32_t child)
{
	if (task_create(g, t, child) && g->task[t].blocks)
		g->is_sp = false;
}

/* Returns the frame whose sync waits for tasks that are spawned now. */
static struct snag_cscope *frame_get(struct snag_cgraph *g, struct snag_ctask *task)
{
	if (!task->frame && !task->base)
		task->base = scope_add(g, (struct snag_cscope){0});
	return &g->scope[task->frame ? task->frame : task->base];
}

void snag_cgraph_spawn(struct snag_cgraph *g, uint32_t t, uint32_t child)
{
	struct snag_ctask *task = task_get(g, t);
	struct snag_cscope *frame = frame_get(g, task);
	if (!frame->tree) {
		frame->tree = task->place = tree_add(g, task->place, SNAG_CTREE_SYNC, t);
		frame->at = task->scope;
		task->blocks++;
	}
	if (!task_create(g, t, child))
		return;
	g->task[child].next_spawned = frame->waits;
	frame->waits = child;
}

void snag_cgraph_task_end(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	/* Spawned tasks that it did not wait for outlive it. */
	if (task->base && g->scope[task->base].tree && task->blocks > 1)
		g->is_sp = false;
}

void snag_cgraph_finish_begin(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	uint32_t tree = tree_add(g, task->place, SNAG_CTREE_FINISH, t);
	task->finish = task->scope = scope_add(g, (struct snag_cscope){.is_finish = true,
								       .outer = task->scope,
								       .around = task->finish,
								       .tree = tree,
								       .blocks = task->blocks});
	task->place = tree;
	task->blocks = 0;
	step_add(g, task, t);
}

static void join_add(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = &g->task[t];
	if (!task->is_joined)
		edge_add(g, task->node - 1, SNAG_EDGE_JOIN);
	task->is_joined = true;
}

void snag_cgraph_finish_end(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	uint32_t closed = task->scope;
	struct snag_cscope *finish = &g->scope[closed];
	if (!closed || !finish->is_finish)
		return;
	struct snag_cscope *frame = &g->scope[task->frame ? task->frame : task->base];
	if (!frame->is_finish && frame->tree && frame->at == closed) {
		/* It also waited for the tasks spawned inside. */
		frame->tree = 0;
		frame->waits = 0;
	}
	task->scope = finish->outer;
	task->finish = finish->around;
	task->place = g->tree[finish->tree].parent;
	task->blocks = finish->blocks;
	step_add(g, task, t);
	for (uint32_t u = finish->waits; u; u = g->task[u].next_finished)
		join_add(g, u);
}

void snag_cgraph_frame_begin(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	task->frame = task->scope =
		scope_add(g, (struct snag_cscope){.outer = task->scope, .around = task->frame});
}

void snag_cgraph_frame_end(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	struct snag_cscope *frame = &g->scope[task->scope];
	if (!task->scope || frame->is_finish)
		return;
	if (frame->tree) /* the spawned tasks continue */
		g->is_sp = false;
	task->scope = frame->outer;
	task->frame = frame->around;
}

void snag_cgraph_sync(struct snag_cgraph *g, uint32_t t)
{
	struct snag_ctask *task = task_get(g, t);
	struct snag_cscope *frame = frame_get(g, task);
	if (!frame->waits)
		return;
	if (frame->at == task->scope) {
		task->place = g->tree[frame->tree].parent;
		task->blocks--;
		frame->tree = 0;
	} else {
		g->is_sp = false; /* a finish was opened in between */
	}
	step_add(g, task, t);
	for (uint32_t u = frame->waits; u; u = g->task[u].next_spawned)
		join_add(g, u);
	frame->waits = 0;
}

static uint32_t *promise_get(struct snag_cgraph *g, uint32_t promise)
{
	g->promise =
		snag_grow(g->promise, &g->promise_cap, (size_t)promise + 1, sizeof(*g->promise));
	return &g->promise[promise];
}

void snag_cgraph_set(struct snag_cgraph *g, uint32_t t, uint32_t promise)
{
	struct snag_ctask *task = task_get(g, t);
	uint32_t *set = promise_get(g, promise);
	if (!*set)
		*set = task->node;
	step_add(g, task, t);
}

void snag_cgraph_get(struct snag_cgraph *g, uint32_t t, uint32_t promise)
{
	uint32_t set = *promise_get(g, promise);
	step_add(g, task_get(g, t), t);
	if (!set)
		return;
	edge_add(g, set - 1, SNAG_EDGE_PROMISE);
	g->has_promises = true;
}

void snag_cgraph_isolated_begin(struct snag_cgraph *g, uint32_t t)
{
	step_add(g, task_get(g, t), t);
	uint32_t n = (uint32_t)g->nnodes - 1;
	if (g->nisolated)
		edge_add(g, g->last_isolated, SNAG_EDGE_ISOLATED);
	g->node[n].isolated = ++g->nisolated;
	g->last_isolated = n;
}

void snag_cgraph_isolated_end(struct snag_cgraph *g, uint32_t t)
{
	step_add(g, task_get(g, t), t);
}

void snag_cgraph_access(struct snag_cgraph *g, uint32_t t, uint32_t variable, bool is_write,
			uint32_t loc, uint32_t event)
{
	uint32_t node = task_get(g, t)->node;
	g->last = snag_grow(g->last, &g->last_cap, (size_t)variable + 1, sizeof(*g->last));
	uint32_t *last = is_write ? &g->last[variable].write : &g->last[variable].read;
	if (*last == node)
		return;
	*last = node;
	if (variable >= g->nvariables)
		g->nvariables = variable + 1;
	g->access = snag_grow(g->access, &g->access_cap, g->naccesses + 1, sizeof(*g->access));
	g->access[g->naccesses++] = (struct snag_caccess){.node = node - 1,
							  .variable = variable,
							  .loc = loc,
							  .event = event,
							  .is_write = is_write};
}

static void accesses_sort(const struct snag_cgraph *g, size_t nkeys, bool is_by_node,
			  uint32_t **ret_begin, uint32_t **ret_index)
{
	uint32_t *begin = snag_calloc(nkeys + 2, sizeof(*begin));
	uint32_t *index = snag_alloc((g->naccesses + 1) * sizeof(*index));
	for (size_t i = 0; i < g->naccesses; i++)
		begin[(is_by_node ? g->access[i].node : g->access[i].variable) + 2]++;
	for (size_t k = 0; k < nkeys; k++)
		begin[k + 2] += begin[k + 1];
	for (size_t i = 0; i < g->naccesses; i++)
		index[begin[(is_by_node ? g->access[i].node : g->access[i].variable) + 1]++] =
			(uint32_t)i;
	*ret_begin = begin;
	*ret_index = index;
}

void snag_cgraph_by_variable(const struct snag_cgraph *g, uint32_t **ret_begin,
			     uint32_t **ret_index)
{
	accesses_sort(g, g->nvariables, false, ret_begin, ret_index);
}

void snag_cgraph_by_node(const struct snag_cgraph *g, uint32_t **ret_begin, uint32_t **ret_index)
{
	accesses_sort(g, g->nnodes, true, ret_begin, ret_index);
}
