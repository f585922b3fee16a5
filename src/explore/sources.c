/* SPDX-License-Identifier: Apache-2.0
 *
 * sources.c - after which change of a thing each move came, and after which it could have come
 *
 * State, for each thing that moves touch: the moves that changed it, in their order.
 */
#include "explore/sources.h"

#include "base/memory.h"
#include "explore/number.h"

enum { NONE = UINT32_MAX };

struct changed { /* a thing */
	uint64_t key;
	struct change {
		uint32_t move;
		uint8_t mask; /* of memory: the bytes */
	} * by;
	size_t n, room;
};

struct work {
	const struct snag_relation *r;
	struct snag_keyed things; /* of struct changed */
	uint32_t *last;		  /* move of each thread, or the one that created it; NONE */
	void (*on)(void *ctx, uint64_t source, const struct snag_reversal *other);
	void *ctx;
};

static bool is_lock(const struct snag_touch *t)
{
	return t->kind == SNAG_TOUCH_ACQUIRE || t->kind == SNAG_TOUCH_PENDING;
}

static uint8_t space_of(const struct snag_touch *t)
{
	return t->kind == SNAG_TOUCH_MEMORY ? 0 : is_lock(t) ? 1 : (uint8_t)(2 + t->space);
}

static uint8_t mask_of(const struct snag_touch *t)
{
	return t->kind == SNAG_TOUCH_MEMORY ? t->mask : UINT8_MAX;
}

static uint64_t key_of(const struct snag_touch *t)
{
	uint64_t key = snag_number(t->key, space_of(t));
	return key ? key : 1;
}

static uint64_t source_number(const struct snag_relation *r, uint32_t move,
			      const struct snag_touch *t, uint32_t source)
{
	enum { SOURCE = 7 }; /* differs from the numbers of orders */
	uint64_t from = source == NONE ? 0 : r->moves->at[source].place;
	return snag_number(snag_number(r->moves->at[move].place, from), SOURCE + space_of(t));
}

/* The last change of the same bytes before the one with number `at`; NONE: there is none.  Its
 * number is `*ret_at`. */
static uint32_t change_before(const struct changed *x, uint8_t mask, size_t at, size_t *ret_at)
{
	while (at > 0 && !(x->by[at - 1].mask & mask))
		at--;
	*ret_at = at > 0 ? at - 1 : 0;
	return at > 0 ? x->by[at - 1].move : NONE;
}

/* Goes back over the changes of what `move` touches. */
static void sources_find(struct work *w, uint32_t move, const struct snag_touch *t,
			 const struct changed *x)
{
	const struct snag_relation *r = w->r;
	const uint32_t thread = r->moves->at[move].thread, last = w->last[thread];
	size_t at;
	uint32_t e = change_before(x, mask_of(t), x->n, &at);
	w->on(w->ctx, source_number(r, move, t, e), NULL);
	for (int i = 0; e != NONE && i < SNAG_SOURCES_BACK; i++) {
		const struct snag_reversal other = {.first = e, .second = move};
		if (r->moves->at[e].thread == thread ||
		    (last != NONE && snag_relation_before(r, e, last)))
			return;
		e = change_before(x, mask_of(t), at, &at);
		w->on(w->ctx, source_number(r, move, t, e), &other);
	}
}

static void touch_take(struct work *w, uint32_t move, const struct snag_touch *t)
{
	bool is_memory = t->kind == SNAG_TOUCH_MEMORY;
	if (!is_memory && !is_lock(t) && t->kind != SNAG_TOUCH_OBJECT)
		return;
	struct changed *x = snag_keyed_get(&w->things, key_of(t));
	sources_find(w, move, t, x);
	bool changes = is_memory ? t->is_write : t->kind != SNAG_TOUCH_PENDING;
	if (!changes)
		return;
	x->by = snag_grow(x->by, &x->room, x->n + 1, sizeof(*x->by));
	x->by[x->n++] = (struct change){.move = move, .mask = mask_of(t)};
}

static void move_take(struct work *w, uint32_t move)
{
	const struct snag_move *v = &w->r->moves->at[move];
	for (uint32_t i = 0; i < v->n; i++) {
		const struct snag_touch *t = &w->r->moves->touch[v->first + i];
		touch_take(w, move, t);
		if (t->kind == SNAG_TOUCH_FORK)
			w->last[t->key] = move;
	}
	w->last[v->thread] = move;
}

void snag_sources_each(const struct snag_relation *r,
		       void (*on)(void *ctx, uint64_t source, const struct snag_reversal *other),
		       void *ctx)
{
	const size_t threads = r->moves->nthreads;
	struct work w = {.r = r,
			 .things = {.elem = sizeof(struct changed)},
			 .last = snag_alloc((threads + 1) * sizeof(uint32_t)),
			 .on = on,
			 .ctx = ctx};
	for (size_t i = 0; i < threads; i++)
		w.last[i] = NONE;
	for (uint32_t i = 0; i < r->moves->n; i++)
		move_take(&w, i);
	for (size_t i = 0; i < w.things.nslots; i++) /* empty slots are 0 */
		free(((struct changed *)w.things.at)[i].by);
	snag_keyed_done(&w.things);
	free(w.last);
}
