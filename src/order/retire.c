/* SPDX-License-Identifier: Apache-2.0
 *
 * retire.c - removes from the order of tasks the steps that no later question can name
 */
#include "order/retire.h"

#include "base/memory.h"

/* For n things, and one more that comes next. */
static struct snag_kept kept_new(size_t n)
{
	struct snag_kept k = {.nwords = n / 64 + 1};
	k.bit = snag_calloc(k.nwords, sizeof(*k.bit));
	k.before = snag_calloc(k.nwords, sizeof(*k.before));
	return k;
}

static void kept_done(struct snag_kept *k)
{
	free(k->bit);
	free(k->before);
}

void snag_retire_begin(struct snag_retire *r, struct snag_task_order *o)
{
	r->order = o;
	r->steps = kept_new(o->tree.nsteps);
	r->nodes = kept_new(o->tree.nnodes);
}

void snag_retire_done(struct snag_retire *r)
{
	kept_done(&r->steps);
	kept_done(&r->nodes);
}

/* Returns how many are kept. */
static uint32_t kept_count(struct snag_kept *k)
{
	uint32_t n = 0;
	for (size_t w = 0; w < k->nwords; w++) {
		k->before[w] = n;
		n += (uint32_t)__builtin_popcountll(k->bit[w]);
	}
	return n;
}

/* Executes the statement that follows for each kept one, in order; `old` is its number. */
#define FOR_KEPT(k, old)                                                                           \
	for (size_t w = 0; w < (k)->nwords; w++)                                                   \
		for (uint64_t left = (k)->bit[w];                                                  \
		     left && ((old) = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(left), true); \
		     left &= left - 1)

static void node_keep(struct snag_retire *r, uint32_t node)
{
	const struct snag_dpst_node *all = r->order->tree.node;
	for (; !(r->nodes.bit[node / 64] >> node % 64 & 1); node = all[node].parent)
		r->nodes.bit[node / 64] |= UINT64_C(1) << node % 64;
}

/* Clears entries that are not in use. */
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
	uint32_t step;
	r->nodes.bit[0] |= 1;	/* the root */
	snag_retire_keep(r, 0); /* no step, still */
	for (size_t i = 1; i < o->nruns; i++) {
		node_keep(r, snag_task_place(&o->run[i])); /* other scopes of the task are above */
		snag_retire_keep(r, o->run[i].step);
	}
	FOR_KEPT(&r->steps, step)
	{
		node_keep(r, o->tree.step[step]);
	}
}

static void tree_number(struct snag_retire *r, uint32_t nnodes, uint32_t nsteps)
{
	struct snag_dpst *t = &r->order->tree;
	uint32_t old, n = 0, s = 0;
	FOR_KEPT(&r->nodes, old)
	{
		struct snag_dpst_node *to = &t->node[n++];
		*to = t->node[old];
		to->parent = snag_kept_number(&r->nodes, to->parent);
		to->jump = old == SNAG_DPST_ROOT ? SNAG_DPST_ROOT : SNAG_DPST_NONE;
		to->time = snag_kept_number(&r->steps, to->time); /* [time] */
	}
	FOR_KEPT(&r->steps, old)
	{
		t->step[s++] = snag_kept_number(&r->nodes, t->step[old]);
	}
	t->retired_nodes += t->nnodes - nnodes;
	t->retired_steps += t->nsteps - nsteps;
	t->nnodes = nnodes;
	t->nsteps = nsteps;
}

static uint32_t node_number(const struct snag_retire *r, uint32_t node)
{
	return snag_kept_number(&r->nodes, node);
}

static void scope_number(const struct snag_retire *r, struct snag_task_scope *s)
{
	s->node = node_number(r, s->node);
	s->finish = node_number(r, s->finish);
	s->block = node_number(r, s->block);
}

static uint32_t waited_number(const struct snag_retire *r, uint32_t node)
{
	return node == SNAG_TASK_ORDER_NONE ? node : node_number(r, node);
}

static void live_number(const struct snag_retire *r)
{
	struct snag_task_order *o = r->order;
	for (size_t i = 1; i < o->nruns; i++) {
		struct snag_task_run *run = &o->run[i];
		scope_number(r, &run->top);
		run->node = node_number(r, run->node);
		run->step = snag_kept_number(&r->steps, run->step);
		run->past = (struct snag_task_past){node_number(r, run->past.from),
						    node_number(r, run->past.end)};
		run->waited = waited_number(r, run->waited);
	}
	for (size_t i = 1; i < o->nscopes; i++)
		scope_number(r, &o->scope[i]);
	o->waited = waited_number(r, o->waited);
	o->alone_from = node_number(r, o->alone_from);
}

void snag_retire_rest(struct snag_retire *r)
{
	unused_clear(r->order);
	live_keep(r);
	uint32_t nnodes = kept_count(&r->nodes), nsteps = kept_count(&r->steps);
	live_number(r);
	tree_number(r, nnodes, nsteps);
}

void snag_retire_all(struct snag_task_order *o) /* [all] */
{
	struct snag_dpst *t = &o->tree;
	struct snag_task_run *run = snag_task_run_of(o, o->first);
	t->retired_nodes += t->nnodes - 2;
	t->retired_steps += t->nsteps - 2;
	t->nnodes = t->nsteps = 1; /* the root, no step */
	run->node = run->top.node = snag_dpst_add(t, SNAG_DPST_ROOT, SNAG_DPST_ASYNC);
	uint32_t all = snag_dpst_step(t, run->node);
	snag_joins_restart(&o->joins, all);
	unused_clear(o);
	run->step = run->list = 0;
	run->has_waited = false;
	run->past = (struct snag_task_past){0, 0};
	run->waited = o->waited = SNAG_TASK_ORDER_NONE;
	o->last_set = 0;
	o->alone_from = (uint32_t)t->nnodes;
}
