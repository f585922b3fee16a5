/* SPDX-License-Identifier: Apache-2.0
 *
 * closed_order.c - the closure of the weakest order over a set of events, as published
 *
 * Idea.   Edges wait in a queue.  Adding one to the chains (chains.h) yields new orderings "from
 *         before to".  Each of them is looked at once, for what it implies; the edges that follow
 *         go to the queue.
 *
 * Rules.  For a read r that saw w, another write v of the variable, and two sections of one lock:
 *         [start]    the edges of the weakest order; a read of the initial value comes before
 *                    every write of its variable
 *         [open]     a section whose release is not in X comes after all others of its lock
 *         [read]     v before r implies v before w
 *         [write]    w before v implies r before v
 *         [section]  acquire 1 before release 2 implies release 1 before acquire 2.  If release 1
 *                    is not in X, there is no closure
 *         A cycle means that there is no closure.
 *
 *         [new]      An ordering matters only to what it orders newly: events of the one chain
 *                    after the old last predecessor, with events of the other before the old first
 *                    successor.  The code walks through the shorter of these two stretches.
 *         [along]    Program order is an ordering, too: for [read] and [write] it is enough to look
 *                    at each write and the next events of its own thread.
 *
 * Guarantee.  The smallest closed order, or false if there is none.
 * Cost.   The published procedure looks at all variables for each ordering; this one at the new
 *         stretches, with a bisection per event and, for [write], per reading thread.
 * Reference.  Pavlogiannis, POPL 2020, algorithms 2 to 4, with these repairs.  The edge of line 6
 *             of algorithm 3 begins at the readers of the write of line 3.  The maps of the closure
 *             include the event itself, and are restricted to X.  If the first read after `to`
 *             saw the write, the next one that saw another counts.
 */
#include "witness/decide/closed_order.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void snag_closed_order_init(struct snag_closed_order *c, const struct snag_index *ix)
{
	*c = (struct snag_closed_order){.ix = ix};
	snag_chains_init(&c->chains, ix->nthreads);
	c->count = snag_calloc(ix->nthreads, sizeof(*c->count));
	c->zeros = snag_calloc(ix->nthreads, sizeof(*c->zeros));
}

void snag_closed_order_done(struct snag_closed_order *c)
{
	snag_chains_done(&c->chains);
	free(c->count);
	free(c->zeros);
	free(c->event);
	free(c->queue);
}

static void push(struct snag_closed_order *c, uint32_t first, uint32_t then)
{
	c->queue = snag_grow(c->queue, &c->queue_cap, c->nqueue + 1, sizeof(*c->queue));
	c->queue[c->nqueue++] = (struct snag_closed_edge){first, then};
}

static bool has(const struct snag_closed_order *c, uint32_t event)
{
	return event != SNAG_NO_EVENT &&
	       c->ix->position[event] < c->count[snag_index_thread(c->ix, event)];
}

/* The lane of the key and the thread, or NULL.  Lanes of a key are in the order of their first
 * events. */
static const struct snag_lane *lane_find(const struct snag_lanes *lanes, uint32_t key, snag_tid t)
{
	for (uint32_t i = lanes->first[key]; i < lanes->first[key + 1]; i++)
		if (lanes->lane[i].thread == t)
			return &lanes->lane[i];
	return NULL;
}

/* The event of the lane with this number, if it is in X, or SNAG_NO_EVENT. */
static uint32_t lane_event(const struct snag_closed_order *c, const struct snag_lanes *lanes,
			   const struct snag_lane *lane, uint32_t k)
{
	if (k >= snag_lane_length(lane))
		return SNAG_NO_EVENT;
	uint32_t p = snag_lane_at(lanes, lane, k);
	return p < c->count[lane->thread] ? snag_index_event(c->ix, lane->thread, p)
					  : SNAG_NO_EVENT;
}

/* How many reads of the lane saw w, or a write that was observed earlier.  Along a thread, reads
 * see ever later writes; SNAG_NO_EVENT + 1 is 0. */
static uint32_t seen_up_to(const struct snag_closed_order *c, const struct snag_lane *lane,
			   uint32_t w)
{
	uint32_t low = 0, high = snag_lane_length(lane);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t p = snag_lane_at(&c->ix->reads, lane, middle);
		if (c->ix->link[snag_index_event(c->ix, lane->thread, p)] + 1 <= w + 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last read of the lane that saw w, in X, or SNAG_NO_EVENT. */
static uint32_t last_reader(const struct snag_closed_order *c, const struct snag_lane *lane,
			    uint32_t w)
{
	uint32_t k = seen_up_to(c, lane, w);
	uint32_t in_cut = snag_lane_below(&c->ix->reads, lane, c->count[lane->thread]);
	k = k < in_cut ? k : in_cut;
	uint32_t r = k ? lane_event(c, &c->ix->reads, lane, k - 1) : SNAG_NO_EVENT;
	return r != SNAG_NO_EVENT && c->ix->link[r] == w ? r : SNAG_NO_EVENT;
}

/* [read] Write w comes before all events of the chain from `to` on. */
static void write_before_reads(struct snag_closed_order *c, uint32_t w, struct snag_spot to)
{
	const struct snag_lanes *reads = &c->ix->reads;
	const struct snag_lane *lane = lane_find(reads, c->ix->trace->ev[w].target, to.chain);
	if (!lane)
		return;
	uint32_t k = snag_lane_below(reads, lane, to.at);
	uint32_t r = lane_event(c, reads, lane, k);
	if (r != SNAG_NO_EVENT && c->ix->link[r] == w)
		r = lane_event(c, reads, lane, seen_up_to(c, lane, w));
	if (r == SNAG_NO_EVENT || r == w)
		return;
	if (c->ix->link[r] == SNAG_NO_EVENT)
		c->is_contradicted = true; /* it comes before every write */
	else
		push(c, w, c->ix->link[r]);
}

/* [write] The same for the writes of the chain. */
static void write_before_writes(struct snag_closed_order *c, uint32_t w, struct snag_spot to)
{
	const struct snag_lanes *writes = &c->ix->writes, *reads = &c->ix->reads;
	uint32_t x = c->ix->trace->ev[w].target;
	const struct snag_lane *lane = lane_find(writes, x, to.chain);
	if (!lane)
		return;
	uint32_t v = lane_event(c, writes, lane, snag_lane_below(writes, lane, to.at));
	if (v == SNAG_NO_EVENT || v == w)
		return;
	for (uint32_t i = reads->first[x]; i < reads->first[x + 1]; i++) {
		uint32_t r = last_reader(c, &reads->lane[i], w);
		if (r != SNAG_NO_EVENT && r != v)
			push(c, r, v);
	}
}

/* [section] The acquire comes before all events of the chain from `to` on: its section before every
 * competing one of this key that ends there. */
static void section_before(struct snag_closed_order *c, uint32_t acquire, uint32_t key,
			   struct snag_spot to)
{
	const struct snag_lanes *sections = &c->ix->sections;
	const struct snag_lane *lane = lane_find(sections, key, to.chain);
	if (!lane)
		return;
	uint32_t k = snag_lane_below(sections, lane, to.at);
	uint32_t other = k ? lane_event(c, sections, lane, k - 1) : SNAG_NO_EVENT;
	if (other == SNAG_NO_EVENT ||
	    (c->ix->link[other] != SNAG_NO_EVENT && c->ix->position[c->ix->link[other]] < to.at))
		other = lane_event(c, sections, lane, k);
	if (other == SNAG_NO_EVENT || other == acquire)
		return;
	if (!has(c, c->ix->link[acquire]))
		c->is_contradicted = true;
	else
		push(c, c->ix->link[acquire], other);
}

static void sections_before(struct snag_closed_order *c, uint32_t acquire, struct snag_spot to)
{
	const struct snag_event *ev = &c->ix->trace->ev[acquire];
	section_before(c, acquire, 2 * ev->target, to);
	if (ev->op == SNAG_OP_ACQUIRE)
		section_before(c, acquire, 2 * ev->target + 1, to);
}

/* What follows if the event comes before all events of the chain from `to` on. */
static void event_before(struct snag_closed_order *c, uint32_t event, struct snag_spot to)
{
	const struct snag_event *ev = &c->ix->trace->ev[event];
	if (snag_op_writes(ev->op)) {
		write_before_reads(c, event, to);
		write_before_writes(c, event, to);
	} else if (snag_op_acquires(ev->op) && !(ev->flags & SNAG_NESTED)) {
		sections_before(c, event, to);
	}
}

/* The last event of the lane up to `from`, or SNAG_NO_EVENT. */
static uint32_t last_up_to(const struct snag_closed_order *c, const struct snag_lanes *lanes,
			   uint32_t key, struct snag_spot from)
{
	const struct snag_lane *lane = lane_find(lanes, key, from.chain);
	uint32_t k = lane ? snag_lane_below(lanes, lane, from.at + 1) : 0;
	return k ? lane_event(c, lanes, lane, k - 1) : SNAG_NO_EVENT;
}

/* What follows if all events of the chain up to `from` come before the event. */
static void event_after(struct snag_closed_order *c, uint32_t event, struct snag_spot from)
{
	const struct snag_index *ix = c->ix;
	const struct snag_event *ev = &ix->trace->ev[event];
	struct snag_spot to = snag_closed_order_spot(c, event);
	uint32_t e;
	if (snag_op_reads(ev->op) || snag_op_writes(ev->op)) {
		e = last_up_to(c, &ix->writes, ev->target, from);
		if (e != SNAG_NO_EVENT)
			event_before(c, e, to);
	} else if (snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED)) {
		for (uint32_t key = 2 * ev->target; key < 2 * ev->target + 2; key++) {
			e = last_up_to(c, &ix->sections, key, from);
			if (e != SNAG_NO_EVENT)
				event_before(c, e, to);
		}
	}
}

/* [new] */
static void on_ordered(void *ctx, const struct snag_ordering *o)
{
	struct snag_closed_order *c = ctx;
	uint32_t end = c->count[o->to.chain];
	end = o->old_first < end ? o->old_first : end;
	uint32_t nfrom = o->from.at + 1 - o->old_last, nto = end - o->to.at;
	c->work += nfrom < nto ? nfrom : nto;
	if (snag_closed_order_is_over(c))
		return;
	if (nfrom <= nto)
		for (uint32_t p = o->from.at + 1; p-- > o->old_last;)
			event_before(c, snag_index_event(c->ix, o->from.chain, p), o->to);
	else
		for (uint32_t p = o->to.at; p < end; p++)
			event_after(c, snag_index_event(c->ix, o->to.chain, p), o->from);
}

/* Adds the edges of the queue, with all that follows. */
static bool close_order(struct snag_closed_order *c)
{
	while (c->nqueue && !c->is_contradicted && !snag_closed_order_is_over(c)) {
		struct snag_closed_edge e = c->queue[--c->nqueue];
		struct snag_spot a = snag_closed_order_spot(c, e.first),
				 b = snag_closed_order_spot(c, e.then);
		if (snag_chains_reaches(&c->chains, b, a))
			c->is_contradicted = true;
		else if (!snag_chains_reaches(&c->chains, a, b))
			snag_chains_insert(&c->chains, a, b, on_ordered, c);
	}
	return !c->is_contradicted && !snag_closed_order_is_over(c);
}

/* [start] A read of the initial value. */
static void initial_read(struct snag_closed_order *c, uint32_t r)
{
	const struct snag_lanes *writes = &c->ix->writes;
	uint32_t x = c->ix->trace->ev[r].target;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++) {
		uint32_t v = lane_event(c, writes, &writes->lane[i], 0);
		if (v != SNAG_NO_EVENT && v != r)
			push(c, r, v);
	}
}

/* [start] [along] */
static void start(struct snag_closed_order *c, uint32_t e)
{
	const struct snag_index *ix = c->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	uint32_t link = ix->link[e];
	if (ix->position[e] == 0 && ix->fork[ev->thread] != SNAG_NO_EVENT)
		push(c, ix->fork[ev->thread], e);
	if (ev->op == SNAG_OP_JOIN && link != SNAG_NO_EVENT)
		push(c, link, e);
	if (snag_op_reads(ev->op) && link != SNAG_NO_EVENT)
		push(c, link, e);
	else if (snag_op_reads(ev->op))
		initial_read(c, e);
	if (snag_op_writes(ev->op))
		event_before(c, e, (struct snag_spot){ev->thread, ix->position[e] + 1});
}

/* [open] */
static void open_section(struct snag_closed_order *c, uint32_t acquire)
{
	const struct snag_lanes *sections = &c->ix->sections;
	const struct snag_event *ev = &c->ix->trace->ev[acquire];
	uint32_t key = 2 * ev->target, end = key + (ev->op == SNAG_OP_ACQUIRE ? 2 : 1);
	for (uint32_t i = sections->first[key]; i < sections->first[end]; i++) {
		const struct snag_lane *lane = &sections->lane[i];
		uint32_t k = snag_lane_below(sections, lane, c->count[lane->thread]);
		if (lane->thread == ev->thread || k == 0)
			continue;
		uint32_t release = c->ix->link[lane_event(c, sections, lane, k - 1)];
		if (has(c, release))
			push(c, release, acquire);
		else
			c->is_contradicted = true;
	}
}

/* All events of X in observed order; returns how many. */
static size_t events_merge(struct snag_closed_order *c)
{
	size_t n = 0;
	for (snag_tid t = 0; t < c->ix->nthreads; t++)
		n += c->count[t];
	c->event = snag_grow(c->event, &c->event_cap, n, sizeof(*c->event));
	return snag_threads_merge(&c->ix->threads, c->zeros, c->count, c->event);
}

bool snag_closed_order_begin(struct snag_closed_order *c, const uint32_t *cut)
{
	const struct snag_index *ix = c->ix;
	memcpy(c->count, cut, ix->nthreads * sizeof(*cut));
	snag_chains_begin(&c->chains, cut);
	c->nqueue = 0;
	c->is_contradicted = false;
	c->work = 0;
	for (snag_tid t = 0; t < ix->nthreads; t++)
		for (uint32_t node = snag_index_held(ix, t, cut[t]); node;
		     node = ix->node[node].below)
			open_section(c, ix->node[node].acquire);
	/* In observed order, so that what an edge orders newly is short. */
	size_t n = events_merge(c);
	for (size_t i = 0; i < n; i++) {
		start(c, c->event[i]);
		if (!close_order(c))
			return false;
	}
	return close_order(c);
}

bool snag_closed_order_insert(struct snag_closed_order *c, uint32_t a, uint32_t b)
{
	push(c, a, b);
	return close_order(c);
}
