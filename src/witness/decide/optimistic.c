/* SPDX-License-Identifier: Apache-2.0
 *
 * optimistic.c - an order of S in which sections that do not end run last
 */
#include "witness/decide/optimistic.h"

#include "base/memory.h"
#include "witness/decide/cut.h"
#include "witness/decide/ops.h"

#include <string.h>

void snag_optimistic_init(struct snag_optimistic *o, struct snag_state *s)
{
	const struct snag_index *ix = s->ix;
	o->state = s;
	o->has_open = snag_calloc(ix->nlocks, sizeof(*o->has_open));
	o->variable = snag_calloc(ix->nvariables, sizeof(*o->variable));
	o->lock = snag_calloc(ix->nlocks, sizeof(*o->lock));
	o->from = snag_calloc(ix->nthreads, sizeof(*o->from));
	o->before = snag_calloc(ix->nthreads, sizeof(*o->before));
}

void snag_optimistic_done(struct snag_optimistic *o)
{
	free(o->open);
	free(o->has_open);
	free(o->variable);
	free(o->lock);
	free(o->from);
	free(o->before);
	free(o->order);
}

static const struct snag_acquire *acquire_of(const struct snag_index *ix, uint32_t node)
{
	return &ix->sections.acquire[ix->node[node].at];
}

/* Notes that the section of the node is open.  Returns false if it competes with another one. */
static bool open_add(struct snag_optimistic *o, uint32_t node, const uint32_t *cut)
{
	const struct snag_index *ix = o->state->ix;
	uint32_t lock = ix->node[node].lock;
	const struct snag_acquire *a = acquire_of(ix, node);
	if (o->has_open[lock] == o->decision)
		for (size_t i = 0; i < o->nopen; i++)
			if (ix->node[o->open[i].node].lock == lock &&
			    !(a->is_shared && acquire_of(ix, o->open[i].node)->is_shared))
				return false;
	o->has_open[lock] = o->decision;
	o->open = snag_grow(o->open, &o->open_cap, o->nopen + 1, sizeof(*o->open));
	o->open[o->nopen++] =
		(struct snag_open_acquire){.node = node,
					   .event = a->event,
					   .is_delayed = !snag_cut_is_last(o->state, node, cut)};
	return true;
}

bool snag_optimistic_close(struct snag_optimistic *o, uint32_t *cut)
{
	const struct snag_index *ix = o->state->ix;
	snag_cut_end_all(o->state, cut);
	o->nopen = 0;
	o->decision++;
	for (snag_tid t = 0; t < ix->nthreads; t++)
		for (uint32_t node = snag_index_held(ix, t, cut[t]); node;
		     node = ix->node[node].below)
			if (!open_add(o, node, cut))
				return false;
	return true;
}

/* [ended], [open]: the competing acquires after a delayed release are delayed, and open ones
 * before it are not free. */
static void release_delay(struct snag_optimistic *o, const struct snag_event *ev, uint32_t e)
{
	const struct snag_index *ix = o->state->ix;
	bool is_shared = ev->op == SNAG_OP_RELEASE_SHARED;
	*(is_shared ? &o->lock[ev->target].read : &o->lock[ev->target].write) = o->scan;
	if (o->has_open[ev->target] != o->decision)
		return;
	for (size_t i = 0; i < o->nopen; i++) {
		struct snag_open_acquire *a = &o->open[i];
		if (a->event < e && ix->node[a->node].lock == ev->target &&
		    !(is_shared && acquire_of(ix, a->node)->is_shared))
			a->is_free = false;
	}
}

/* Notes a delayed event for those that follow it. */
static void delay(struct snag_optimistic *o, const struct snag_event *ev, uint32_t e)
{
	if (o->from[ev->thread] == SNAG_NO_EVENT)
		o->from[ev->thread] = o->state->ix->position[e];
	if (snag_op_writes(ev->op))
		o->variable[ev->target].write = o->scan;
	if (snag_op_reads(ev->op))
		o->variable[ev->target].read = o->scan;
	if (snag_op_releases(ev->op) && !(ev->flags & SNAG_NESTED))
		release_delay(o, ev, e);
}

static bool is_open_delayed(const struct snag_optimistic *o, uint32_t acquire)
{
	for (size_t i = 0; i < o->nopen; i++)
		if (o->open[i].event == acquire)
			return o->open[i].is_delayed;
	return false;
}

static bool is_acquire_delayed(const struct snag_optimistic *o, const struct snag_event *ev,
			       uint32_t e)
{
	const struct snag_delayed *l = &o->lock[ev->target];
	return l->write == o->scan || (l->read == o->scan && ev->op == SNAG_OP_ACQUIRE) ||
	       (o->has_open[ev->target] == o->decision && is_open_delayed(o, e));
}

/* The position from which on events of the thread follow the event, or SNAG_NO_EVENT. */
static bool is_delayed_event(const struct snag_optimistic *o, uint32_t e)
{
	const struct snag_index *ix = o->state->ix;
	uint32_t from = e == SNAG_NO_EVENT ? SNAG_NO_EVENT : o->from[snag_index_thread(ix, e)];
	return from != SNAG_NO_EVENT && ix->position[e] >= from;
}

/* Whether the event is in D, which has all of D that was observed before it. */
static bool is_delayed(const struct snag_optimistic *o, const struct snag_event *ev, uint32_t e)
{
	const struct snag_index *ix = o->state->ix;
	if (o->from[ev->thread] != SNAG_NO_EVENT)
		return true;
	if (ix->position[e] == 0 && is_delayed_event(o, ix->fork[ev->thread]))
		return true;
	if (snag_op_writes(ev->op) && o->variable[ev->target].read == o->scan)
		return true;
	if (snag_op_reads(ev->op) || snag_op_writes(ev->op))
		return o->variable[ev->target].write == o->scan;
	if (snag_op_acquires(ev->op) && !(ev->flags & SNAG_NESTED))
		return is_acquire_delayed(o, ev, e);
	return ev->op == SNAG_OP_JOIN && is_delayed_event(o, ix->link[e]);
}

/* Finds D, and which acquires of A are free. */
static void scan(struct snag_optimistic *o, uint32_t first, const uint32_t *cut)
{
	const struct snag_index *ix = o->state->ix;
	o->scan++;
	memset(o->from, 0xff, ix->nthreads * sizeof(*o->from));
	for (size_t i = 0; i < o->nopen; i++)
		o->open[i].is_free = true;
	for (uint32_t e = first; e <= o->state->end && e < ix->nevents; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		if (ix->position[e] < cut[ev->thread] && is_delayed(o, ev, e))
			delay(o, ev, e);
	}
}

/* The events that were in D one scan ago and are not any more. */
static void layer_add(struct snag_optimistic *o, uint32_t first, const uint32_t *cut)
{
	const struct snag_index *ix = o->state->ix;
	for (uint32_t e = first; e <= o->state->end && e < ix->nevents; e++) {
		snag_tid t = snag_index_thread(ix, e);
		if (ix->position[e] >= cut[t] || ix->position[e] < o->before[t] ||
		    ix->position[e] >= o->from[t])
			continue;
		o->order = snag_grow(o->order, &o->order_cap, o->norder + 1, sizeof(*o->order));
		o->order[o->norder++] = e;
	}
}

/* Takes the free acquires out of A.  Returns how many there were. */
static size_t free_take(struct snag_optimistic *o)
{
	size_t n = 0;
	for (size_t i = 0; i < o->nopen; i++) {
		n += o->open[i].is_delayed && o->open[i].is_free;
		o->open[i].is_delayed &= !o->open[i].is_free;
	}
	return n;
}

/* The first acquire of A, or SNAG_NO_EVENT. */
static uint32_t first_delayed(const struct snag_optimistic *o)
{
	uint32_t first = SNAG_NO_EVENT;
	for (size_t i = 0; i < o->nopen; i++)
		if (o->open[i].is_delayed && o->open[i].event < first)
			first = o->open[i].event;
	return first;
}

bool snag_optimistic_order(struct snag_optimistic *o, const uint32_t *cut, uint32_t *ret_rest)
{
	uint32_t nthreads = o->state->nthreads, first = first_delayed(o);
	o->norder = 0;
	memcpy(ret_rest, cut, nthreads * sizeof(*cut));
	if (first == SNAG_NO_EVENT)
		return true;
	scan(o, first, cut);
	for (snag_tid t = 0; t < nthreads; t++)
		if (o->from[t] < ret_rest[t])
			ret_rest[t] = o->from[t];
	while (first_delayed(o) != SNAG_NO_EVENT) {
		if (free_take(o) == 0)
			return false;
		memcpy(o->before, o->from, nthreads * sizeof(*o->from));
		scan(o, first, cut);
		layer_add(o, first, cut);
	}
	return true;
}
