/* SPDX-License-Identifier: Apache-2.0
 *
 * circles.c - the circles of requests that may be deadlocks
 */
#include "detect/deadlock/circles.h"

#include "base/memory.h"
#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1 << 24 }; /* of one search; beyond, circles may be missing */

static bool is_request(const struct snag_event *ev)
{
	return (ev->op == SNAG_OP_JOIN || ev->op == SNAG_OP_ACQUIRE ||
		ev->op == SNAG_OP_ACQUIRE_SHARED) &&
	       !(ev->flags & (SNAG_NESTED | SNAG_NO_WAIT));
}

/* [join] By thread: another one waits for its end, with a lock held or being such a thread
 *        itself. */
static bool *threads_waited_for(const struct snag_index *ix)
{
	bool *is_waited = snag_calloc(ix->nthreads, sizeof(*is_waited));
	const struct snag_event *ev = ix->trace->ev;
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t e = 0; e < ix->nevents; e++) {
			if (ev[e].op != SNAG_OP_JOIN || is_waited[ev[e].target] ||
			    (!ix->held[e] && !is_waited[ev[e].thread]))
				continue;
			is_waited[ev[e].target] = grew = true;
		}
	}
	return is_waited;
}

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Puts the locks held at the event behind those of the other kinds. */
static void held_collect(struct snag_circles *c, uint32_t e, struct snag_request_kind *k)
{
	const struct snag_index *ix = c->ix;
	k->held = (uint32_t)c->nheld;
	k->nheld = 0;
	for (uint32_t node = ix->held[e]; node; node = ix->node[node].below) {
		bool is_shared = ix->trace->ev[ix->node[node].acquire].op == SNAG_OP_ACQUIRE_SHARED;
		c->held =
			snag_grow(c->held, &c->held_cap, c->nheld + k->nheld + 1, sizeof(*c->held));
		c->held[k->held + k->nheld++] = 2 * ix->node[node].lock + is_shared;
	}
	if (k->nheld > 1)
		qsort(c->held + k->held, k->nheld, sizeof(*c->held), number_compare);
}

static uint64_t kind_hash(const void *ctx, uint32_t number)
{
	const struct snag_circles *c = ctx;
	const struct snag_request_kind *k = &c->kind[number];
	uint64_t h = snag_hash(((uint64_t)k->thread << 32) + k->loc,
			       2 * (uint64_t)k->asks + k->is_shared);
	for (uint32_t i = 0; i < k->nheld; i++)
		h = snag_hash(h, c->held[k->held + i]);
	return h;
}

static bool kind_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_circles *c = ctx;
	const struct snag_request_kind *a = &c->kind[number], *b = key;
	return a->thread == b->thread && a->loc == b->loc && a->asks == b->asks &&
	       a->is_shared == b->is_shared && a->nheld == b->nheld &&
	       memcmp(c->held + a->held, c->held + b->held, a->nheld * sizeof(*c->held)) == 0;
}

static void request_add(struct snag_circles *c, struct snag_slots *slots, uint32_t e)
{
	const struct snag_event *ev = &c->ix->trace->ev[e];
	bool is_join = ev->op == SNAG_OP_JOIN;
	c->kind = snag_grow(c->kind, &c->kind_cap, c->nkinds + 1, sizeof(*c->kind));
	struct snag_request_kind *new = &c->kind[c->nkinds];
	*new = (struct snag_request_kind){.thread = ev->thread,
					  .loc = ev->loc,
					  .asks = is_join ? c->ix->nlocks + ev->target : ev->target,
					  .is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED};
	held_collect(c, e, new);
	uint32_t at =
		snag_slots_find(slots, kind_hash(c, (uint32_t)c->nkinds), kind_equals, c, new);
	if (at == SNAG_SLOTS_NONE) {
		at = (uint32_t)c->nkinds++;
		c->nheld += new->nheld;
		snag_slots_add(slots, at, kind_hash, c);
	}
	struct snag_request_kind *k = &c->kind[at];
	k->event = snag_grow(k->event, &k->cap, (size_t)k->n + 1, sizeof(*k->event));
	k->event[k->n++] = e;
}

void snag_circles_init(struct snag_circles *c, const struct snag_index *ix)
{
	*c = (struct snag_circles){.ix = ix};
	struct snag_slots slots = {0};
	bool *is_waited = threads_waited_for(ix);
	for (uint32_t e = 0; e < ix->nevents; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		if (is_request(ev) && (ix->held[e] || is_waited[ev->thread]))
			request_add(c, &slots, e);
	}
	free(is_waited);
	snag_slots_done(&slots);
}

void snag_circles_done(struct snag_circles *c)
{
	for (size_t i = 0; i < c->nkinds; i++)
		free(c->kind[i].event);
	free(c->kind);
	free(c->held);
	*c = (struct snag_circles){0};
}

struct finder {
	const struct snag_circles *c;
	uint32_t nthings;
	bool *is_out;		   /* by kind: on no circle */
	uint32_t *first, *holders; /* by thing: where the kinds that hold it begin, and they */
	uint32_t *path;		   /* kinds, each waiting for the next */
	uint32_t npath;
	uint64_t steps;
	bool is_ended; /* by the handler */
	snag_circle_handler *on_circle;
	void *ctx;
};

static bool holds(const struct snag_circles *c, const struct snag_request_kind *k, uint32_t held)
{
	for (uint32_t i = 0; i < k->nheld; i++)
		if (c->held[k->held + i] == held)
			return true;
	return false;
}

static bool waits(const struct finder *f, uint32_t a, uint32_t b) /* [waits] */
{
	const struct snag_request_kind *x = &f->c->kind[a], *y = &f->c->kind[b];
	const uint32_t nlocks = f->c->ix->nlocks;
	if (x->thread == y->thread)
		return false;
	if (x->asks >= nlocks)
		return x->asks - nlocks == y->thread;
	return holds(f->c, y, 2 * x->asks) || (!x->is_shared && holds(f->c, y, 2 * x->asks + 1));
}

static bool excludes(const struct finder *f, uint32_t a, uint32_t b) /* [gate] */
{
	const struct snag_circles *c = f->c;
	const uint32_t *x = c->held + c->kind[a].held, *y = c->held + c->kind[b].held;
	const uint32_t *x_end = x + c->kind[a].nheld, *y_end = y + c->kind[b].nheld;
	while (x < x_end && y < y_end) {
		if (*x / 2 == *y / 2 && !(*x & *y & 1))
			return true;
		if (*x / 2 <= *y / 2)
			x++;
		else
			y++;
	}
	return false;
}

/* The i-th thing that a kind holds; the last one is its thread. */
static uint32_t thing(const struct finder *f, const struct snag_request_kind *k, uint32_t i)
{
	return i < k->nheld ? f->c->held[k->held + i] / 2 : f->c->ix->nlocks + k->thread;
}

static void holders_find(struct finder *f)
{
	const struct snag_circles *c = f->c;
	f->first = snag_calloc((size_t)f->nthings + 2, sizeof(*f->first));
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t k = 0; k < c->nkinds; k++)
			for (uint32_t i = 0; i <= c->kind[k].nheld; i++) {
				uint32_t x = thing(f, &c->kind[k], i);
				if (fill)
					f->holders[f->first[x + 1]++] = k;
				else
					f->first[x + 2]++;
			}
		for (uint32_t x = 0; !fill && x < f->nthings; x++)
			f->first[x + 2] += f->first[x + 1];
		if (!fill)
			f->holders = snag_calloc(f->first[f->nthings + 1], sizeof(*f->holders));
	}
}

/* Kinds that ask for what no kind holds, or hold what no kind asks for, are on no circle.  Taking
 * one away may show that of another. */
struct pruning {
	struct finder *f;
	uint32_t *asked, *held; /* by thing: by how many kinds that are left */
	uint32_t *asks, *next;	/* by thing: a list of the kinds that ask for it, 1 + number */
	uint32_t *todo;		/* kinds to take away */
	size_t ntodo;
};

static void take_away(struct pruning *p, uint32_t k)
{
	if (p->f->is_out[k])
		return;
	p->f->is_out[k] = true;
	p->todo[p->ntodo++] = k;
}

static bool is_asked(const struct pruning *p, uint32_t k)
{
	const struct snag_request_kind *kind = &p->f->c->kind[k];
	for (uint32_t i = 0; i <= kind->nheld; i++)
		if (p->asked[thing(p->f, kind, i)])
			return true;
	return false;
}

/* What was asked for, or held, by a kind that is taken away. */
static void lost(struct pruning *p, uint32_t k)
{
	const struct finder *f = p->f;
	const struct snag_request_kind *kind = &f->c->kind[k];
	uint32_t x = kind->asks;
	if (--p->asked[x] == 0)
		for (uint32_t i = f->first[x]; i < f->first[x + 1]; i++)
			if (!is_asked(p, f->holders[i]))
				take_away(p, f->holders[i]);
	for (uint32_t i = 0; i <= kind->nheld; i++) {
		x = thing(f, kind, i);
		if (--p->held[x] == 0)
			for (uint32_t a = p->asks[x]; a; a = p->next[a - 1])
				take_away(p, a - 1);
	}
}

static void prune(struct finder *f)
{
	const struct snag_circles *c = f->c;
	struct pruning p = {.f = f,
			    .asked = snag_calloc(f->nthings, sizeof(*p.asked)),
			    .held = snag_calloc(f->nthings, sizeof(*p.held)),
			    .asks = snag_calloc(f->nthings, sizeof(*p.asks)),
			    .next = snag_calloc(c->nkinds, sizeof(*p.next)),
			    .todo = snag_calloc(c->nkinds, sizeof(*p.todo))};
	for (uint32_t k = 0; k < c->nkinds; k++) {
		uint32_t x = c->kind[k].asks;
		p.asked[x]++;
		p.next[k] = p.asks[x];
		p.asks[x] = k + 1;
		for (uint32_t i = 0; i <= c->kind[k].nheld; i++)
			p.held[thing(f, &c->kind[k], i)]++;
	}
	for (uint32_t k = 0; k < c->nkinds; k++)
		if (!p.held[c->kind[k].asks] || !is_asked(&p, k))
			take_away(&p, k);
	for (size_t i = 0; i < p.ntodo; i++)
		lost(&p, p.todo[i]);
	free(p.asked);
	free(p.held);
	free(p.asks);
	free(p.next);
	free(p.todo);
}

/* Whether kind k may come next on the path: [threads], [gate], [chord]. */
static bool fits(const struct finder *f, uint32_t k)
{
	if (f->is_out[k] || k <= f->path[0] || !waits(f, f->path[f->npath - 1], k))
		return false;
	for (uint32_t i = 0; i < f->npath; i++) {
		if (f->c->kind[f->path[i]].thread == f->c->kind[k].thread ||
		    excludes(f, f->path[i], k))
			return false;
		if ((i + 1 < f->npath && waits(f, f->path[i], k)) ||
		    (i > 0 && waits(f, k, f->path[i])))
			return false;
	}
	return true;
}

/* Follows the path from its last kind on.  A circle begins with its smallest kind. */
static void follow(struct finder *f)
{
	const struct snag_request_kind *last = &f->c->kind[f->path[f->npath - 1]];
	for (uint32_t i = f->first[last->asks]; i < f->first[last->asks + 1]; i++) {
		uint32_t k = f->holders[i];
		if (f->is_ended || ++f->steps > MAX_STEPS)
			return;
		if (!fits(f, k))
			continue;
		f->path[f->npath++] = k;
		if (!waits(f, k, f->path[0]))
			follow(f);
		else if (!f->on_circle(f->ctx, f->path, f->npath))
			f->is_ended = true;
		f->npath--;
	}
}

bool snag_circles_find(struct snag_circles *c, snag_circle_handler *on_circle, void *ctx)
{
	struct finder f = {.c = c,
			   .nthings = c->ix->nlocks + c->ix->nthreads,
			   .is_out = snag_calloc(c->nkinds, sizeof(*f.is_out)),
			   .path = snag_calloc(c->ix->nthreads, sizeof(*f.path)),
			   .on_circle = on_circle,
			   .ctx = ctx};
	holders_find(&f);
	prune(&f);
	for (uint32_t k = 0; k < c->nkinds; k++) {
		if (f.is_out[k])
			continue;
		f.path[0] = k;
		f.npath = 1;
		follow(&f);
	}
	free(f.is_out);
	free(f.first);
	free(f.holders);
	free(f.path);
	return f.steps <= MAX_STEPS;
}

uint32_t snag_circles_held(const struct snag_index *ix, uint32_t request, uint32_t before)
{
	const struct snag_event *asked = &ix->trace->ev[before];
	uint32_t node = asked->op == SNAG_OP_JOIN ? 0 : ix->held[request];
	while (node && ix->node[node].lock != asked->target)
		node = ix->node[node].below;
	return node ? ix->node[node].acquire : SNAG_NO_EVENT;
}
