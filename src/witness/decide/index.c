/* SPDX-License-Identifier: Apache-2.0
 *
 * index.c - what decisions need to know about the trace, computed once
 */
#include "witness/decide/index.h"

#include "base/memory.h"
#include "witness/decide/ops.h"

#include <string.h>

enum { NOBODY = UINT32_MAX, MANY = UINT32_MAX - 1 };

struct use {
	uint32_t thread;  /* that takes the lock, always exclusively; or MANY */
	uint32_t acquire; /* the last */
};

/* What building needs besides: by thread and by variable. */
struct building {
	uint32_t *nevents;
	uint32_t *last_of;    /* last event of a thread, or its fork */
	uint32_t *held;	      /* node of the locks a thread holds */
	uint32_t *last_write; /* of a variable */
	struct use *use;      /* by lock */
	uint32_t *nsections;  /* by key */
};

/* at: for the time being, the rank of the acquire among those of its key. */
static uint32_t node_push(struct snag_index *ix, uint32_t below, uint32_t acquire, uint32_t at)
{
	ix->node = snag_huge_grow(ix->node, &ix->node_cap, ix->nnodes + 1, sizeof(*ix->node));
	ix->node[ix->nnodes] = (struct snag_held){
		acquire, below, acquire == SNAG_NO_EVENT ? 0 : ix->trace->ev[acquire].target, at};
	return (uint32_t)ix->nnodes++;
}

/* The stack without the acquire of the lock, which is set in *ret_acquire. */
static uint32_t node_remove(struct snag_index *ix, uint32_t top, uint32_t lock,
			    uint32_t *ret_acquire)
{
	uint32_t depth = 0, node = top;
	for (; node && ix->node[node].lock != lock; node = ix->node[node].below)
		depth++;
	if (!node)
		return top;
	*ret_acquire = ix->node[node].acquire;
	uint32_t left = ix->node[node].below;
	struct snag_held *above = snag_realloc(NULL, depth, sizeof(*above));
	for (uint32_t i = depth; i-- > 0; top = ix->node[top].below)
		above[i] = ix->node[top];
	for (uint32_t i = 0; i < depth; i++)
		left = node_push(ix, left, above[i].acquire, above[i].at);
	free(above);
	return left;
}

static void add_lock(struct snag_index *ix, struct building *b, const struct snag_event *ev,
		     uint32_t e)
{
	struct use *use = &b->use[ev->target];
	bool is_private = use->thread != MANY;
	if (ev->flags & SNAG_NESTED)
		return;
	if (snag_op_acquires(ev->op)) {
		uint32_t key = snag_section_key(ev);
		use->acquire = e;
		if (!is_private)
			b->held[ev->thread] =
				node_push(ix, b->held[ev->thread], e, b->nsections[key]++);
	} else if (snag_op_releases(ev->op)) {
		uint32_t acquire = use->acquire;
		if (!is_private)
			b->held[ev->thread] =
				node_remove(ix, b->held[ev->thread], ev->target, &acquire);
		ix->link[e] = acquire;
		if (acquire != SNAG_NO_EVENT)
			ix->link[acquire] = e;
	}
}

static void add_write(struct snag_index *ix, struct building *b, const struct snag_event *ev,
		      uint32_t e)
{
	uint32_t before = b->last_write[ev->target];
	if (before != SNAG_NO_EVENT && !snag_op_reads(ix->trace->ev[before].op))
		ix->link[before] = e;
	b->last_write[ev->target] = e;
}

static void add_join(struct snag_index *ix, const struct building *b, const struct snag_event *ev,
		     uint32_t e)
{
	ix->link[e] = b->last_of[ev->target];
	if (ix->join[ev->target] == SNAG_NO_EVENT)
		ix->join[ev->target] = e;
}

static void add_event(struct snag_index *ix, struct building *b, uint32_t e)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	ix->position[e] = b->nevents[ev->thread]++;
	ix->link[e] = SNAG_NO_EVENT;
	ix->held[e] = b->held[ev->thread];
	b->last_of[ev->thread] = e;
	if (snag_op_reads(ev->op))
		ix->link[e] = b->last_write[ev->target];
	if (snag_op_writes(ev->op))
		add_write(ix, b, ev, e);
	else if (ev->op == SNAG_OP_JOIN)
		add_join(ix, b, ev, e);
	else if (ev->op == SNAG_OP_FORK && ix->fork[ev->target] == SNAG_NO_EVENT)
		ix->fork[ev->target] = b->last_of[ev->target] = e;
	else if (snag_op_info[ev->op].space == SNAG_SPACE_LOCK)
		add_lock(ix, b, ev, e);
	ix->is_task |= snag_op_is_of_tasks(ev->op);
	ix->has_depends |= ev->op == SNAG_OP_DEPENDS;
	ix->has_waits |= snag_op_reads(ev->op) && snag_event_is_wait(ev);
}

/* Who takes each lock.  With `all` every lock counts as taken by many. */
static struct use *uses_find(const struct snag_index *ix, bool all)
{
	struct use *use = snag_realloc(NULL, ix->nlocks, sizeof(*use));
	for (uint32_t i = 0; i < ix->nlocks; i++)
		use[i] = (struct use){all ? MANY : NOBODY, SNAG_NO_EVENT};
	for (uint32_t e = 0; e < ix->nevents && !all; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		if (!snag_op_acquires(ev->op))
			continue;
		uint32_t *user = &use[ev->target].thread;
		if (*user == NOBODY && ev->op == SNAG_OP_ACQUIRE)
			*user = ev->thread;
		else if (*user != ev->thread || ev->op != SNAG_OP_ACQUIRE)
			*user = MANY;
	}
	return use;
}

/* From ranks to places. */
static void nodes_place(struct snag_index *ix)
{
	const struct snag_lanes *sections = &ix->sections;
	for (size_t i = 1; i < ix->nnodes; i++) {
		uint32_t key = snag_section_key(&ix->trace->ev[ix->node[i].acquire]);
		ix->node[i].at += sections->lane[sections->first[key]].begin;
	}
}

static struct snag_index *index_new(const struct snag_trace *trace, bool all_locks)
{
	struct snag_index *ix = snag_calloc(1, sizeof(*ix));
	struct snag_counts counts = snag_names_counts(&trace->names);
	ix->trace = trace;
	ix->nevents = (uint32_t)trace->n;
	ix->nthreads = counts.n[SNAG_SPACE_THREAD];
	ix->nvariables = counts.n[SNAG_SPACE_VARIABLE];
	ix->nlocks = counts.n[SNAG_SPACE_LOCK];
	ix->position = snag_realloc(NULL, trace->n, sizeof(*ix->position));
	ix->link = snag_realloc(NULL, trace->n, sizeof(*ix->link));
	ix->held = snag_realloc(NULL, trace->n, sizeof(*ix->held));
	ix->fork = snag_filled(ix->nthreads, SNAG_NO_EVENT);
	ix->join = snag_filled(ix->nthreads, SNAG_NO_EVENT);
	node_push(ix, 0, SNAG_NO_EVENT, 0); /* the empty stack */

	struct building b = {.nevents = snag_filled(ix->nthreads, 0),
			     .last_of = snag_filled(ix->nthreads, SNAG_NO_EVENT),
			     .held = snag_filled(ix->nthreads, 0),
			     .last_write = snag_filled(ix->nvariables, SNAG_NO_EVENT),
			     .nsections = snag_filled(2 * ix->nlocks, 0),
			     .use = uses_find(ix, all_locks)};
	for (uint32_t e = 0; e < ix->nevents; e++)
		add_event(ix, &b, e);
	ix->held_at_end = b.held;
	free(b.nevents);
	free(b.last_of);
	free(b.last_write);
	free(b.use);
	free(b.nsections);

	snag_threads_init(&ix->threads, trace);
	snag_lanes_init(&ix->reads, SNAG_LANES_READS, trace, ix->position, ix->link);
	snag_lanes_init(&ix->writes, SNAG_LANES_WRITES, trace, ix->position, ix->link);
	snag_lanes_init(&ix->sections, SNAG_LANES_SECTIONS, trace, ix->position, ix->link);
	nodes_place(ix);
	return ix;
}

struct snag_index *snag_index_new(const struct snag_trace *trace)
{
	return index_new(trace, false);
}

struct snag_index *snag_index_new_published(const struct snag_trace *trace)
{
	return index_new(trace, true);
}

void snag_index_add_rows(struct snag_index *ix, enum snag_mode mode, uint32_t stride)
{
	if (!ix->rows[mode].edges)
		snag_rows_init(&ix->rows[mode], ix, mode, stride);
}

void snag_index_add_mode(struct snag_index *ix, enum snag_mode mode)
{
	snag_index_add_rows(ix, mode, 0);
}

void snag_index_free(struct snag_index *ix)
{
	if (!ix)
		return;
	for (int mode = 0; mode < SNAG_ALL_MODES; mode++)
		snag_rows_done(&ix->rows[mode]);
	snag_lanes_done(&ix->reads);
	snag_lanes_done(&ix->writes);
	snag_lanes_done(&ix->sections);
	snag_threads_done(&ix->threads);
	free(ix->position);
	free(ix->link);
	free(ix->held);
	free(ix->held_at_end);
	free(ix->fork);
	free(ix->join);
	snag_huge_free(ix->node, ix->node_cap, sizeof(*ix->node));
	free(ix);
}

uint32_t snag_index_last(const struct snag_index *ix, const uint32_t *cut)
{
	uint32_t last = 0;
	for (snag_tid t = 0; t < ix->nthreads; t++) {
		uint32_t e = cut[t] ? snag_index_event(ix, t, cut[t] - 1) : 0;
		last = e > last ? e : last;
	}
	return last;
}

static bool is_in(const struct snag_index *ix, const uint32_t *cut, uint32_t e)
{
	return ix->position[e] < cut[snag_index_thread(ix, e)];
}

/* The last write of the variable in the cut, in observed order, or SNAG_NO_EVENT. */
static uint32_t last_write(const struct snag_index *ix, const uint32_t *cut, uint32_t variable)
{
	uint32_t last = SNAG_NO_EVENT;
	for (uint32_t i = ix->writes.first[variable]; i < ix->writes.first[variable + 1]; i++) {
		const struct snag_lane *lane = &ix->writes.lane[i];
		uint32_t k = snag_lane_below(&ix->writes, lane, cut[lane->thread]);
		if (k == 0)
			continue;
		uint32_t w =
			snag_index_event(ix, lane->thread, snag_lane_at(&ix->writes, lane, k - 1));
		if (last == SNAG_NO_EVENT || w > last)
			last = w;
	}
	return last;
}

bool snag_index_is_seen(const struct snag_index *ix, const uint32_t *cut, uint32_t last,
			uint32_t variable, uint32_t w)
{
	if (w != SNAG_NO_EVENT && !is_in(ix, cut, w))
		return false;
	/* The writes that followed it, which are few near the end. */
	for (uint32_t v = w; v != SNAG_NO_EVENT && !snag_op_reads(ix->trace->ev[v].op);) {
		v = ix->link[v];
		if (v == SNAG_NO_EVENT || v > last)
			return true;
		if (is_in(ix, cut, v))
			return false;
	}
	return last_write(ix, cut, variable) == w;
}

/* Sets longer than this are compared by lock. */
enum { FEW_LOCKS = 32 };

static bool is_few(const struct snag_index *ix, uint32_t node)
{
	uint32_t n = 0;
	for (; node && n <= FEW_LOCKS; node = ix->node[node].below)
		n++;
	return n <= FEW_LOCKS;
}

static bool excludes(const struct snag_index *ix, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &ix->trace->ev[ix->node[a].acquire];
	const struct snag_event *y = &ix->trace->ev[ix->node[b].acquire];
	return x->target == y->target && (x->op == SNAG_OP_ACQUIRE || y->op == SNAG_OP_ACQUIRE);
}

static bool has_excluding(const struct snag_index *ix, uint32_t a, uint32_t top)
{
	for (uint32_t b = top; b; b = ix->node[b].below)
		if (excludes(ix, a, b))
			return true;
	return false;
}

/* The same for many, with the node of each lock in the first. */
static bool have_excluding(const struct snag_index *ix, uint32_t a, uint32_t b)
{
	uint32_t *node_of = snag_calloc(ix->nlocks, sizeof(*node_of));
	for (; a; a = ix->node[a].below)
		node_of[ix->node[a].lock] = a;
	while (b && !(node_of[ix->node[b].lock] && excludes(ix, node_of[ix->node[b].lock], b)))
		b = ix->node[b].below;
	free(node_of);
	return b != 0;
}

bool snag_index_common_lock(const struct snag_index *ix, uint32_t e1, uint32_t e2)
{
	uint32_t a = ix->held[e1], b = ix->held[e2];
	if (!is_few(ix, a) && !is_few(ix, b))
		return have_excluding(ix, a, b);
	while (a && !has_excluding(ix, a, b))
		a = ix->node[a].below;
	return a != 0;
}
