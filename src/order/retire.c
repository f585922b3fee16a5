/* SPDX-License-Identifier: Apache-2.0
 *
 * retire.c - the order of tasks without the steps that nobody will ask about
 */
#include "order/retire.h"

#include "base/memory.h"

void snag_retire_begin(struct snag_retire *r, struct snag_task_order *o)
{
	r->order = o;
	r->steps = snag_calloc(o->tree.nsteps + 1, sizeof(*r->steps));
	r->nodes = snag_calloc(o->tree.nnodes + 1, sizeof(*r->nodes));
}

void snag_retire_done(struct snag_retire *r)
{
	free(r->steps);
	free(r->nodes);
}

/* ---- what is kept ---- */

static void node_keep(struct snag_retire *r, uint32_t node)
{
	const struct snag_dpst_node *all = r->order->tree.node;
	for (; !r->nodes[node]; node = all[node].parent)
		r->nodes[node] = 1;
}

/* Entries that are not in use name nothing. */
static void unused_clear(struct snag_task_order *o)
{
	for (uint32_t i = o->free_runs, next; i; i = next) {
		next = o->run[i].top.below;
		o->run[i] = (struct snag_task_run){.top.below = next};
	}
	for (uint32_t i = o->free_scopes, next; i; i = next) {
		next = o->scope[i].below;
		o->scope[i] = (struct snag_task_scope){.below = next};
	}
}

static void live_keep(struct snag_retire *r)
{
	const struct snag_task_order *o = r->order;
	r->nodes[SNAG_DPST_ROOT] = 1;
	for (size_t i = 1; i < o->nruns; i++) {
		node_keep(r, snag_task_place(&o->run[i])); /* other scopes of the task are above */
		if (o->run[i].step)
			snag_retire_keep(r, o->run[i].step);
	}
	for (size_t s = 1; s < o->tree.nsteps; s++)
		if (r->steps[s])
			node_keep(r, o->tree.step[s]);
}

/* ---- new numbers ---- */

/* Those of [first, n], from `first` on; returns the last. */
static uint32_t number(uint32_t *kept, size_t first, size_t n)
{
	uint32_t next = (uint32_t)first;
	for (size_t i = first; i <= n; i++) {
		uint32_t is_kept = kept[i];
		kept[i] = next;
		next += is_kept;
	}
	return next;
}

static void tree_number(struct snag_retire *r, uint32_t nnodes, uint32_t nsteps)
{
	struct snag_dpst *t = &r->order->tree;
	for (size_t n = 1; n < t->nnodes; n++) {
		if (r->nodes[n] == r->nodes[n + 1])
			continue;
		struct snag_dpst_node *to = &t->node[r->nodes[n]];
		*to = t->node[n];
		to->parent = r->nodes[to->parent];
		to->jump = SNAG_DPST_NONE;
		to->time = r->steps[to->time]; /* [time] */
	}
	for (size_t s = 1; s < t->nsteps; s++)
		if (r->steps[s] != r->steps[s + 1])
			t->step[r->steps[s]] = r->nodes[t->step[s]];
	t->retired_nodes += t->nnodes - nnodes;
	t->retired_steps += t->nsteps - nsteps;
	t->nnodes = nnodes;
	t->nsteps = nsteps;
}

static void scope_number(const struct snag_retire *r, struct snag_task_scope *s)
{
	s->node = r->nodes[s->node];
	s->finish = r->nodes[s->finish];
	s->block = r->nodes[s->block];
}

static uint32_t waited_number(const struct snag_retire *r, uint32_t node)
{
	return node == SNAG_TASK_ORDER_NONE ? node : r->nodes[node];
}

static void live_number(const struct snag_retire *r)
{
	struct snag_task_order *o = r->order;
	for (size_t i = 1; i < o->nruns; i++) {
		struct snag_task_run *run = &o->run[i];
		scope_number(r, &run->top);
		run->node = r->nodes[run->node];
		run->step = run->step ? r->steps[run->step] : 0;
		run->past =
			(struct snag_task_past){r->nodes[run->past.from], r->nodes[run->past.end]};
		run->waited = waited_number(r, run->waited);
	}
	for (size_t i = 1; i < o->nscopes; i++)
		scope_number(r, &o->scope[i]);
	o->waited = waited_number(r, o->waited);
	o->alone_from = r->nodes[o->alone_from];
}

void snag_retire_rest(struct snag_retire *r)
{
	const struct snag_dpst *t = &r->order->tree;
	unused_clear(r->order);
	live_keep(r);
	uint32_t nnodes = number(r->nodes, SNAG_DPST_ROOT, t->nnodes);
	uint32_t nsteps = number(r->steps, 1, t->nsteps);
	live_number(r);
	tree_number(r, nnodes, nsteps);
}
