/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.c - why a pair of accesses is no race, in terms of events
 *
 * Idea.   Go through the steps of a decision that can refute (decide.c), and keep what each fact
 *         rests on.  The facts of propagation are edges between events; the state notes each
 *         edge that it gets (state.h).  A contradiction is an edge against a chain of others: the
 *         shortest such chain is found by a search backwards.
 *
 * State.  reach[e]   the event after e on the way to the target, or SNAG_NO_EVENT
 * Cost.   O(events + edges) for a chain.  Propagation keeps rows for all needed events; beyond
 *         MAX_EVENTS it is not tried.
 */
#include "witness/decide/explain.h"

#include "base/memory.h"
#include "witness/decide/cut.h"
#include "witness/decide/propagate.h"

#include <string.h>

enum { MAX_EVENTS = 20000 };

const char *const snag_why_text[SNAG_WHYS] = {[SNAG_WHY_LOCK] = "lock",
					      [SNAG_WHY_ORDERED] = "ordered",
					      [SNAG_WHY_CYCLE] = "cycle",
					      [SNAG_WHY_SECTION] = "section",
					      [SNAG_WHY_SEARCH] = "search"};

struct explaining {
	const struct snag_index *ix;
	struct snag_state state;
	uint32_t *cut;
	uint32_t *reach, *queue; /* by event */
	size_t head, tail;
};

static void event_add(struct snag_explanation *x, uint32_t event)
{
	x->event = snag_realloc(x->event, x->n + 1, sizeof(*x->event));
	x->event[x->n++] = event;
}

static bool excludes(const struct snag_index *ix, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &ix->trace->ev[a], *y = &ix->trace->ev[b];
	return x->target == y->target && (x->op == SNAG_OP_ACQUIRE || y->op == SNAG_OP_ACQUIRE);
}

static bool explain_lock(const struct snag_index *ix, uint32_t e1, uint32_t e2,
			 struct snag_explanation *x)
{
	for (uint32_t i = ix->held[e1]; i; i = ix->node[i].below)
		for (uint32_t k = ix->held[e2]; k; k = ix->node[k].below) {
			if (!excludes(ix, ix->node[i].acquire, ix->node[k].acquire))
				continue;
			x->why = SNAG_WHY_LOCK;
			event_add(x, ix->node[i].acquire);
			event_add(x, ix->node[k].acquire);
			return true;
		}
	return false;
}

static void visit(struct explaining *x, uint32_t event, uint32_t next)
{
	if (event == SNAG_NO_EVENT || x->reach[event] != SNAG_NO_EVENT)
		return;
	x->reach[event] = next;
	x->queue[x->tail++] = event;
}

/* What must come right before the event, for all reasons but an own read of a racing access. */
static void visit_thread(struct explaining *x, uint32_t e)
{
	const struct snag_index *ix = x->ix;
	snag_tid t = snag_index_thread(ix, e);
	uint32_t p = ix->position[e];
	visit(x, p ? snag_index_event(ix, t, p - 1) : ix->fork[t], e);
}

static bool is_causal(const struct explaining *x, uint32_t read)
{
	const struct snag_rows *rows = x->state.rows;
	snag_tid t = snag_index_thread(x->ix, read);
	return x->ix->position[read] < snag_rows_keeps(rows, x->cut, t) ||
	       (rows->named && rows->named[read] < x->cut[t]);
}

static void visit_all(struct explaining *x, uint32_t e)
{
	const struct snag_event *ev = &x->ix->trace->ev[e];
	visit_thread(x, e);
	if (ev->op == SNAG_OP_JOIN || (snag_op_reads(ev->op) && is_causal(x, e)))
		visit(x, x->ix->link[e], e);
	for (size_t i = 0; i < x->state.nnoted; i++)
		if (x->state.noted[i].then == e)
			visit(x, x->state.noted[i].first, e);
}

/* A shortest chain from one event to another; false: there is none. */
static bool chain(struct explaining *x, uint32_t from, uint32_t to, bool is_racing,
		  struct snag_explanation *ret)
{
	memset(x->reach, 0xff, x->ix->nevents * sizeof(*x->reach));
	x->head = x->tail = 0;
	x->reach[to] = to;
	if (is_racing) /* a racing read is free */
		visit_thread(x, to);
	else
		visit_all(x, to);
	while (x->head < x->tail && x->reach[from] == SNAG_NO_EVENT)
		visit_all(x, x->queue[x->head++]);
	if (x->reach[from] == SNAG_NO_EVENT)
		return false;
	for (; from != to; from = x->reach[from])
		event_add(ret, from);
	event_add(ret, to);
	return true;
}

static uint64_t size_of(const struct explaining *x)
{
	uint64_t n = 0;
	for (snag_tid t = 0; t < x->ix->nthreads; t++)
		n += x->cut[t];
	return n;
}

static void cut_from_state(struct explaining *x)
{
	const struct snag_state *s = &x->state;
	memcpy(x->cut, s->count, s->nthreads * sizeof(*x->cut));
	memcpy(x->cut + s->width - s->nthreads, s->causal, s->nthreads * sizeof(*x->cut));
}

/* A contradiction in what propagation finds, if there is one. */
static void explain_propagation(struct explaining *x, struct snag_explanation *ret)
{
	struct snag_state *s = &x->state;
	ret->why = SNAG_WHY_SEARCH;
	if (size_of(x) > MAX_EVENTS)
		return;
	memset(s->start, 0, s->nthreads * sizeof(*s->start));
	s->notes = true;
	s->against = (struct snag_noted){SNAG_NO_EVENT, SNAG_NO_EVENT};
	s->stuck = (struct snag_noted){SNAG_NO_EVENT, SNAG_NO_EVENT};
	snag_state_begin(s, x->cut);
	if (snag_propagate(s))
		return;
	cut_from_state(x);
	if (s->against.first != SNAG_NO_EVENT &&
	    (s->against.first == s->against.then ||
	     chain(x, s->against.then, s->against.first, false, ret))) {
		ret->why = SNAG_WHY_CYCLE;
		if (!ret->n)
			event_add(ret, s->against.first);
	} else if (s->stuck.first != SNAG_NO_EVENT) {
		ret->why = SNAG_WHY_SECTION;
		event_add(ret, s->stuck.first);
		event_add(ret, s->stuck.then);
	}
}

void snag_explain(const struct snag_index *ix, enum snag_mode mode, uint32_t e1, uint32_t e2,
		  struct snag_explanation *ret)
{
	struct explaining x = {.ix = ix,
			       .cut = snag_calloc(ix->rows[mode].width, sizeof(*x.cut)),
			       .reach = snag_realloc(NULL, ix->nevents, sizeof(*x.reach)),
			       .queue = snag_realloc(NULL, ix->nevents, sizeof(*x.queue))};
	*ret = (struct snag_explanation){.why = SNAG_WHY_SEARCH};
	snag_state_init(&x.state, ix, mode);
	if (!explain_lock(ix, e1, e2, ret)) {
		if (snag_cut_need(&x.state, e1, e2, x.cut))
			explain_propagation(&x, ret);
		else if (chain(&x, e1, e2, true, ret) || chain(&x, e2, e1, true, ret))
			ret->why = SNAG_WHY_ORDERED;
	}
	snag_state_done(&x.state);
	free(x.cut);
	free(x.reach);
	free(x.queue);
}

void snag_explanation_done(struct snag_explanation *x)
{
	free(x->event);
	*x = (struct snag_explanation){0};
}

const char *snag_explain_step(const struct snag_index *ix, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &ix->trace->ev[a], *y = &ix->trace->ev[b];
	if (x->thread == y->thread)
		return "in program order";
	if (x->op == SNAG_OP_FORK && x->target == y->thread)
		return "as it starts the thread";
	if (y->op == SNAG_OP_JOIN && y->target == x->thread)
		return "as it is waited for";
	if (snag_op_reads(y->op) && ix->link[b] == a)
		return "as the read must see it";
	if (snag_op_releases(x->op) && snag_op_acquires(y->op))
		return "as the sections of the lock cannot be the other way round";
	if (snag_op_reads(x->op) && snag_op_writes(y->op))
		return "or the read would change";
	return "or a read of the later one would change";
}
