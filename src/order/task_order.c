/* SPDX-License-Identifier: Apache-2.0
 *
 * task_order.c - turns the actions of tasks into the order of their steps
 */
#include "order/task_order.h"

#include "base/memory.h"

void snag_task_order_init(struct snag_task_order *o)
{
	*o = (struct snag_task_order){.nruns = 1, .nscopes = 1, .waited = SNAG_TASK_ORDER_NONE};
	snag_dpst_init(&o->tree);
	snag_joins_init(&o->joins, &o->tree);
	snag_task_order_more(o); /* for the first task */
}

void snag_task_order_done(struct snag_task_order *o)
{
	snag_dpst_done(&o->tree);
	snag_joins_done(&o->joins);
	snag_huge_free(o->slot, o->slot_cap, sizeof(*o->slot));
	free(o->run);
	free(o->scope);
}

void snag_task_order_reserve(struct snag_task_order *o, size_t ntasks, size_t npromises)
{
	o->slot = snag_huge_grow(o->slot, &o->slot_cap, ntasks, sizeof(*o->slot));
	snag_joins_reserve(&o->joins, npromises);
}

bool snag_task_order_more(struct snag_task_order *o)
{
	if (!o->free_runs) {
		o->run = snag_grow(o->run, &o->run_cap, o->nruns + 1, sizeof(*o->run));
		o->run[o->nruns].top.below = 0;
		o->free_runs = (uint32_t)o->nruns++;
	}
	return snag_dpst_has_room(&o->tree) || snag_dpst_more(&o->tree);
}

/* Returns a new entry for the task, to be filled field by field: a copy made right after would
 * have to wait for the parts. */
static inline struct snag_task_run *begin(struct snag_task_order *o, uint32_t task, uint32_t node,
					  uint32_t finish)
{
	struct snag_task_run *run = &o->run[o->free_runs];
	o->slot[task] = o->free_runs;
	o->free_runs = run->top.below;
	o->nlive++;
	run->top.node = run->node = node;
	run->top.finish = finish;
	run->top.block = run->top.below = 0;
	run->top.is_finish = run->top.is_synced_below = run->has_waited = run->is_many = false;
	run->step = 0;
	run->waited = SNAG_TASK_ORDER_NONE;
	return run;
}

void snag_task_order_first(struct snag_task_order *o, uint32_t task)
{
	uint32_t node = snag_dpst_add(&o->tree, SNAG_DPST_ROOT, SNAG_DPST_ASYNC);
	struct snag_task_run *run = begin(o, task, node, SNAG_DPST_ROOT);
	o->first = task;
	run->list = run->depth = 0;
	run->past = (struct snag_task_past){0, 0};
}

/* Notes that the task has made nodes. */
static void made(struct snag_task_order *o, const struct snag_task_run *run)
{
	if (o->is_disorderly || o->nlive != run->depth + 1)
		o->alone_from = (uint32_t)o->tree.nnodes;
}

/* Gives the task its own node, because it does more than access memory. */
static __attribute__((noinline)) void node_own(struct snag_task_order *o, struct snag_task_run *run)
{
	uint32_t parent = o->tree.node[run->node].parent;
	run->node = run->top.node = snag_dpst_add(&o->tree, parent, SNAG_DPST_ASYNC);
	made(o, run);
	if (run->step)
		o->tree.step[run->step] = run->node;
	run->is_many = false;
}

static inline struct snag_task_run *run_of(struct snag_task_order *o, uint32_t task) /* [many] */
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (__builtin_expect(run->is_many, 0))
		node_own(o, run);
	return run;
}

/* Notes that the scope of this node has been waited for. */
static void past_add(struct snag_task_order *o, struct snag_task_run *run,
		     uint32_t node) /* [past] */
{
	if (node < o->alone_from || o->tree.node[node].is_escaped)
		return;
	if (node > run->past.end || node < run->past.from)
		run->past.from = node;
	run->past.end = (uint32_t)o->tree.nnodes;
}

/* Marks the blocks above n: a task below n may outlast them.  If one of them is already marked,
 * so are those above it; and an async above has marked its own. */
static void mark_escaped(struct snag_dpst *t, uint32_t n)
{
	for (;; n = t->node[n].parent) {
		struct snag_dpst_node *node = &t->node[n];
		if (node->kind == SNAG_DPST_FINISH || node->kind == SNAG_DPST_ASYNC ||
		    node->is_escaped)
			return;
		node->is_escaped = node->kind == SNAG_DPST_BLOCK;
	}
}

/* Begins a child for which the task has made this node, and perhaps a block. */
static inline void child_begin(struct snag_task_order *o, struct snag_task_run *run, uint32_t child,
			       uint32_t node)
{
	made(o, run);
	struct snag_task_run *own = begin(o, child, node, run->top.finish);
	own->list = run->list;
	own->depth = run->depth + 1;
	own->past = run->past;
	o->has_loose |= run->top.finish == SNAG_DPST_ROOT;
	if (run->waited != SNAG_TASK_ORDER_NONE) {
		o->waited = run->waited < o->waited ? run->waited : o->waited;
		run->waited = SNAG_TASK_ORDER_NONE;
	}
	run->step = 0;
}

void snag_task_order_create(struct snag_task_order *o, uint32_t task, uint32_t child) /* [create] */
{
	struct snag_task_run *run = run_of(o, task);
	uint32_t place = snag_task_place(run);
	mark_escaped(&o->tree, place);
	o->has_async = true;
	child_begin(o, run, child, snag_dpst_add(&o->tree, place, SNAG_DPST_ASYNC));
}

void snag_task_order_make_many(struct snag_task_order *o, uint32_t task)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	snag_dpst_make_many(&o->tree, run->node);
	run->is_many = true;
}

/* The first spawn of a scope, or the first since its last sync. */
static __attribute__((noinline)) void spawn_first(struct snag_task_order *o, uint32_t task,
						  uint32_t child)
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	run->top.block = snag_dpst_add(&o->tree, run->top.node, SNAG_DPST_BLOCK);
	o->has_spawned = true;
	snag_task_order_spawn(o, task, child);
}

void snag_task_order_spawn(struct snag_task_order *o, uint32_t task, uint32_t child) /* [create] */
{
	struct snag_task_run *run = run_of(o, task);
	if (run->top.block)
		child_begin(o, run, child,
			    snag_dpst_add(&o->tree, run->top.block, SNAG_DPST_SPAWN));
	else
		spawn_first(o, task, child);
}

static void collect(struct snag_task_order *o, uint32_t node, uint32_t list)
{
	struct snag_dpst_node *n = &o->tree.node[node];
	n->extra = snag_joins_merge(&o->joins, n->extra, list);
}

/* Puts the waits that a scope has collected on the task's list. */
static __attribute__((noinline)) void list_take(struct snag_task_order *o,
						struct snag_task_run *run, uint32_t list)
{
	run->list = snag_joins_merge(&o->joins, run->list, list);
	run->has_waited = true;
}

/* Notes that the task has waited for the scope of this node. */
static void wait_for(struct snag_task_order *o, struct snag_task_run *run, uint32_t node)
{
	run->waited = node < run->waited ? node : run->waited;
	if (o->tree.node[node].extra)
		list_take(o, run, o->tree.node[node].extra);
}

/* A task or frame ends with an open block. */
static void leak(struct snag_task_order *o, uint32_t block)
{
	o->tree.node[block].is_leaked = true;
	mark_escaped(&o->tree, block);
}

/* Passes on what an ended task leaves: an open block, and its waits, which its waiting task
 * inherits. */
static __attribute__((noinline)) void leave(struct snag_task_order *o,
					    const struct snag_task_run *run)
{
	const struct snag_dpst_node *node = &o->tree.node[run->node];
	const struct snag_dpst_node *parent = &o->tree.node[node->parent];
	if (run->top.block)
		leak(o, run->top.block);
	if (!run->has_waited)
		return;
	collect(o, run->top.finish, run->list);
	if (parent->kind == SNAG_DPST_BLOCK && node->kind == SNAG_DPST_SPAWN && !parent->is_leaked)
		collect(o, node->parent, run->list);
}

void snag_task_order_end(struct snag_task_order *o, uint32_t task) /* [end] */
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (o->nlive != run->depth + 1)
		o->is_disorderly = true;
	if (--o->nlive == 1 && run->depth)
		o->is_disorderly &= o->slot[o->first] == 0;
	run->top.below = o->free_runs;
	o->free_runs = o->slot[task];
	o->slot[task] = 0;
	if (run->top.block || run->has_waited)
		leave(o, run);
}

static void scope_open(struct snag_task_order *o, struct snag_task_run *run,
		       struct snag_task_scope top)
{
	uint32_t s = o->free_scopes;
	if (s) {
		o->free_scopes = o->scope[s].below;
	} else {
		o->scope = snag_grow(o->scope, &o->scope_cap, o->nscopes + 1, sizeof(*o->scope));
		s = (uint32_t)o->nscopes++;
	}
	o->scope[s] = run->top;
	run->top = top;
	run->top.below = s;
}

static void scope_close(struct snag_task_order *o, struct snag_task_run *run)
{
	uint32_t s = run->top.below;
	run->top = o->scope[s];
	o->scope[s].below = o->free_scopes;
	o->free_scopes = s;
}

void snag_task_order_finish_begin(struct snag_task_order *o, uint32_t task) /* [finish] */
{
	struct snag_task_run *run = run_of(o, task);
	uint32_t node = snag_dpst_add(&o->tree, snag_task_place(run), SNAG_DPST_FINISH);
	made(o, run);
	scope_open(o, run,
		   (struct snag_task_scope){.node = node, .finish = node, .is_finish = true});
	run->step = 0;
}

void snag_task_order_finish_end(struct snag_task_order *o, uint32_t task) /* [finish] */
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	wait_for(o, run, run->top.node);
	past_add(o, run, run->top.node);
	scope_close(o, run);
	run->step = 0;
}

void snag_task_order_frame_begin(struct snag_task_order *o, uint32_t task) /* [frame] */
{
	struct snag_task_run *run = run_of(o, task);
	scope_open(
		o, run,
		(struct snag_task_scope){.node = snag_task_place(run), .finish = run->top.finish});
}

void snag_task_order_frame_end(struct snag_task_order *o, uint32_t task) /* [frame] */
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (run->top.block) {
		leak(o, run->top.block);
		run->step = 0;
	}
	scope_close(o, run);
}

/* Waits for blocks further out in the same frame. */
static __attribute__((noinline)) void sync_below(struct snag_task_order *o,
						 struct snag_task_run *run)
{
	for (struct snag_task_scope *s = &run->top; s->is_finish && !s->is_synced_below;) {
		s->is_synced_below = true;
		s = &o->scope[s->below];
		if (!s->block)
			continue;
		wait_for(o, run, s->block);
		run->list = snag_joins_sync(&o->joins, run->list, s->block);
		run->has_waited = true;
		run->step = 0;
	}
}

void snag_task_order_sync(struct snag_task_order *o, uint32_t task) /* [sync] */
{
	struct snag_task_run *run = snag_task_run_of(o, task);
	if (run->top.block) {
		wait_for(o, run, run->top.block);
		past_add(o, run, run->top.block);
		run->top.block = run->step = 0;
	}
	if (run->top.is_finish)
		sync_below(o, run);
}

void snag_task_order_set(struct snag_task_order *o, uint32_t task, uint32_t promise) /* [set] */
{
	struct snag_task_run *run = run_of(o, task);
	uint32_t step = snag_task_order_step(o, task);
	snag_joins_set(&o->joins, promise, step, run->list);
	if (step > o->last_set) /* a step may have begun long ago */
		o->last_set = step;
	run->step = 0;
}

uint32_t snag_task_order_maker(const struct snag_task_order *o, uint32_t step)
{
	return snag_dpst_task(&o->tree, o->tree.step[step]);
}

void snag_task_order_get(struct snag_task_order *o, uint32_t task, uint32_t promise) /* [get] */
{
	struct snag_task_run *run = run_of(o, task);
	if (snag_task_order_maker(o, o->joins.promise[promise].step) == run->node)
		return; /* it has set the promise itself: its earlier waits are on its list */
	run->list = snag_joins_get(&o->joins, run->list, promise);
	run->has_waited = true;
	run->step = 0;
}

bool snag_task_order_is_first(const struct snag_task_order *o, uint32_t a)
{
	uint32_t node = o->tree.step[a], slot = o->slot[o->first];
	const struct snag_task_past *past = &o->run[slot].past;
	return slot && (node - past->from < past->end - past->from ||
			o->tree.node[snag_dpst_task(&o->tree, node)].parent == SNAG_DPST_ROOT);
}

/* How a step that is parallel to `now` is waited for, if `now` is alone. */
enum waited { BY_FINISH, BY_BLOCK, NOT_YET };

/* All tasks beside the path from `now` to the root have ended.  So the innermost finish around
 * the place where the two paths meet, or the block there, waits for their work.  Nothing waits
 * for what an ancestor of `now` did itself, because the ancestor continues. */
static enum waited waited_by(const struct snag_dpst *t, uint32_t a, uint32_t now,
			     uint32_t *ret_meet)
{
	uint32_t na = t->step[a], ca, cb;
	*ret_meet = snag_dpst_meet(t, na, t->step[now], &ca, &cb);
	if (t->node[snag_dpst_task(t, na)].depth <= t->node[*ret_meet].depth)
		return NOT_YET;
	bool is_in_block = t->node[ca].kind == SNAG_DPST_SPAWN &&
			   (!t->node[*ret_meet].is_escaped || snag_dpst_is_within(t, na, ca));
	return is_in_block ? BY_BLOCK : BY_FINISH;
}

uint32_t snag_task_order_block(const struct snag_task_order *o, uint32_t a, uint32_t now)
{
	uint32_t meet;
	return a > o->last_set && waited_by(&o->tree, a, now, &meet) == BY_BLOCK ? meet : 0;
}

/* If no promise was set in a step since, a is waited for in one way only.  The finish also waits
 * for `now`.  The block does if `now` is in the task that owns it, or in a task that it spawned
 * itself.  What that task creates may escape, unless everything is spawned and synced. */
bool snag_task_order_covers(const struct snag_task_order *o, uint32_t a, uint32_t now)
{
	const struct snag_dpst *t = &o->tree;
	uint32_t meet, task;
	if (a <= o->last_set)
		return false;
	switch (waited_by(t, a, now, &meet)) {
	case BY_FINISH:
		return true;
	case BY_BLOCK:
		if (snag_task_order_is_plain(o))
			return true;
		task = snag_dpst_task(t, t->step[now]);
		return t->node[task].depth < t->node[meet].depth ||
		       (t->node[task].kind == SNAG_DPST_SPAWN && t->node[task].parent == meet);
	default:
		return false;
	}
}
