/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.c - which moves of a run depend on which, and which could come in the other order
 *
 * State, for each thing that moves touch: the touches that a later one can depend on directly.
 *         memory   the last writes of its bytes, and the reads since
 *         lock     sections that have ended, and those that are open; looks since
 *         object   the last move
 *         token    the last writes
 */
#include "explore/relation.h"

#include "base/memory.h"
#include "base/slots.h"
#include "explore/number.h"

#include <string.h>

enum { NONE = UINT32_MAX };

/* A touch that a later one may depend on. */
struct past {
	uint32_t move;
	uint32_t began; /* RELEASE: the move that took the lock */
	uint8_t kind, mask;
	bool is_write;
};

struct thing {
	uint64_t key;
	uint8_t space;
	struct past *past;
	size_t n, room;
};

/* A move that the current one depends on. */
struct before {
	uint32_t move;
	uint32_t reversible; /* the move to be turned round with the current one; NONE */
};

struct work {
	struct snag_relation *r;
	struct thing *thing;
	size_t nthings, thing_room;
	struct snag_slots slots;
	struct before *before;
	size_t nbefore, before_room;
	uint32_t *last;	  /* move of each thread; NONE */
	uint32_t *forked; /* the move that created it; NONE */
	uint32_t *ncreated;
};

static uint8_t space_of(const struct snag_touch *t)
{
	switch (t->kind) {
	case SNAG_TOUCH_MEMORY:
		return 0;
	case SNAG_TOUCH_OBJECT:
		return (uint8_t)(16 + t->space);
	case SNAG_TOUCH_TOKEN:
		return 1;
	default:
		return 2; /* a lock */
	}
}

static uint64_t thing_hash(const void *at, uint32_t i)
{
	const struct thing *t = &((const struct thing *)at)[i];
	return snag_hash(t->key, t->space);
}

static bool thing_equals(const void *at, uint32_t i, const void *key)
{
	const struct thing *t = &((const struct thing *)at)[i], *k = key;
	return t->key == k->key && t->space == k->space;
}

static struct thing *thing_get(struct work *w, const struct snag_touch *t)
{
	const struct thing key = {.key = t->key, .space = space_of(t)};
	uint32_t i = snag_slots_find(&w->slots, snag_hash(key.key, key.space), thing_equals,
				     w->thing, &key);
	if (i != SNAG_SLOTS_NONE)
		return &w->thing[i];
	w->thing = snag_grow(w->thing, &w->thing_room, w->nthings + 1, sizeof(*w->thing));
	w->thing[w->nthings] = key;
	snag_slots_add(&w->slots, (uint32_t)w->nthings, thing_hash, w->thing);
	return &w->thing[w->nthings++];
}

static void past_add(struct thing *t, struct past past)
{
	t->past = snag_grow(t->past, &t->room, t->n + 1, sizeof(*t->past));
	t->past[t->n++] = past;
}

static void past_remove(struct thing *t, size_t i)
{
	memmove(t->past + i, t->past + i + 1, (t->n - i - 1) * sizeof(*t->past));
	t->n--;
}

static void before_add(struct work *w, uint32_t move, uint32_t reversible)
{
	w->before = snag_grow(w->before, &w->before_room, w->nbefore + 1, sizeof(*w->before));
	w->before[w->nbefore++] = (struct before){move, reversible};
}

static void memory_meet(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	const uint32_t thread = w->r->moves->at[move].thread;
	for (size_t i = 0; i < x->n;) {
		struct past *p = &x->past[i];
		bool is_same = w->r->moves->at[p->move].thread == thread;
		if (!(p->mask & t->mask) || p->move == move || !(p->is_write || t->is_write)) {
			/* A read repeats the thread's last. */
			if (is_same && !t->is_write && !p->is_write && !(p->mask & ~t->mask))
				past_remove(x, i);
			else
				i++;
			continue;
		}
		before_add(w, p->move, is_same ? NONE : p->move);
		if (t->is_write)
			p->mask &= (uint8_t)~t->mask;
		if (t->is_write && !p->mask)
			past_remove(x, i);
		else
			i++;
	}
	past_add(x, (struct past){.move = move, .mask = t->mask, .is_write = t->is_write});
}

static void object_meet(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	if (x->n)
		before_add(w, x->past[0].move, x->past[0].move);
	x->n = 0;
	past_add(x, (struct past){.move = move});
}

static void token_meet(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	for (size_t i = 0; i < x->n; i++)
		before_add(w, x->past[i].move, NONE);
	if (t->is_write)
		past_add(x, (struct past){.move = move});
}

/* [sections] [trylock] [pending] */
static void lock_taken(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	bool is_pending = t->kind == SNAG_TOUCH_PENDING;
	const uint32_t thread = w->r->moves->at[move].thread;
	for (size_t i = 0; i < x->n;) {
		const struct past p = x->past[i];
		bool is_over = false;
		if (p.kind == SNAG_TOUCH_LOOK) {
			before_add(w, p.move, p.move);
			is_over = true;
		} else if (p.is_write || t->is_write) {
			bool is_open = p.kind == SNAG_TOUCH_ACQUIRE;
			/* A pending one does not come after the open section: it never comes. */
			if (is_pending && is_open && w->r->moves->at[p.move].thread != thread)
				before_add(w, NONE, p.move);
			if (!is_open)
				before_add(w, p.move, p.began);
			if (!is_open && t->may_fail)
				before_add(w, p.move, p.move);
			is_over = !is_open && t->is_write && !is_pending;
		}
		if (is_over)
			past_remove(x, i);
		else
			i++;
	}
	if (!is_pending)
		past_add(x, (struct past){.move = move,
					  .kind = SNAG_TOUCH_ACQUIRE,
					  .is_write = t->is_write});
}

static void lock_released(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	const uint32_t thread = w->r->moves->at[move].thread;
	uint32_t began = move;
	for (size_t i = 0; i < x->n;) {
		const struct past p = x->past[i];
		bool is_over = p.kind == SNAG_TOUCH_LOOK;
		if (is_over)
			before_add(w, p.move, p.move);
		if (p.kind == SNAG_TOUCH_ACQUIRE && w->r->moves->at[p.move].thread == thread) {
			began = p.move;
			is_over = true;
		}
		if (is_over)
			past_remove(x, i);
		else
			i++;
	}
	past_add(x, (struct past){.move = move,
				  .began = began,
				  .kind = SNAG_TOUCH_RELEASE,
				  .is_write = t->is_write});
}

/* A trylock that fails, and the like: depends on what the lock is. */
static void lock_looked(struct work *w, uint32_t move, const struct snag_touch *t)
{
	struct thing *x = thing_get(w, t);
	for (size_t i = 0; i < x->n; i++)
		if (x->past[i].kind != SNAG_TOUCH_LOOK)
			before_add(w, x->past[i].move, x->past[i].move);
	past_add(x, (struct past){.move = move, .kind = SNAG_TOUCH_LOOK});
}

static void touch_meet(struct work *w, uint32_t move, const struct snag_touch *t)
{
	switch (t->kind) {
	case SNAG_TOUCH_MEMORY:
		memory_meet(w, move, t);
		break;
	case SNAG_TOUCH_OBJECT:
		object_meet(w, move, t);
		break;
	case SNAG_TOUCH_ACQUIRE:
	case SNAG_TOUCH_PENDING:
		lock_taken(w, move, t);
		break;
	case SNAG_TOUCH_RELEASE:
		lock_released(w, move, t);
		break;
	case SNAG_TOUCH_LOOK:
		lock_looked(w, move, t);
		break;
	case SNAG_TOUCH_TOKEN:
		token_meet(w, move, t);
		break;
	case SNAG_TOUCH_FORK: {
		uint32_t creator = w->r->moves->at[move].thread;
		w->forked[t->key] = move;
		w->r->name[t->key] = snag_number(w->r->name[creator], ++w->ncreated[creator]);
		break;
	}
	default: /* SNAG_TOUCH_JOIN */
		if (w->last[t->key] != NONE)
			before_add(w, w->last[t->key], NONE);
		break;
	}
}

static uint32_t *clock_of(const struct snag_relation *r, uint32_t move)
{
	return &r->clock[(size_t)move * r->moves->nthreads];
}

bool snag_relation_before(const struct snag_relation *r, uint32_t e, uint32_t f)
{
	return clock_of(r, f)[r->moves->at[e].thread] >= r->index[e];
}

/* Whether another move that the current one depends on comes after e. */
static bool is_between(const struct work *w, uint32_t e, uint32_t except)
{
	for (size_t i = 0; i < w->nbefore; i++) {
		uint32_t b = w->before[i].move;
		if (b != NONE && b != e && b != except && snag_relation_before(w->r, e, b))
			return true;
	}
	return false;
}

static void reversals_find(struct work *w, uint32_t move)
{
	struct snag_relation *r = w->r;
	for (size_t i = 0; i < w->nbefore; i++) {
		uint32_t e = w->before[i].reversible;
		bool is_known = false;
		if (e == NONE || r->moves->at[e].thread == r->moves->at[move].thread ||
		    is_between(w, e, w->before[i].move))
			continue;
		for (size_t k = r->nreversals; k-- > 0 && r->reversal[k].second == move;)
			is_known |= r->reversal[k].first == e;
		if (is_known)
			continue;
		r->reversal = snag_grow(r->reversal, &r->reversal_room, r->nreversals + 1,
					sizeof(*r->reversal));
		r->reversal[r->nreversals++] = (struct snag_reversal){.first = e, .second = move};
	}
}

/* The number of a move: its thread, its place in it, and what comes before it of every thread. */
static uint64_t number_make(const struct snag_relation *r, uint32_t move)
{
	const uint32_t *clock = clock_of(r, move);
	uint64_t past = 0;
	for (uint32_t t = 0; t < r->moves->nthreads; t++)
		if (clock[t])
			past += snag_number(r->name[t], clock[t]);
	return snag_number(r->name[r->moves->at[move].thread], past);
}

static void move_add(struct work *w, uint32_t move)
{
	struct snag_relation *r = w->r;
	const struct snag_move *v = &r->moves->at[move];
	uint32_t *clock = clock_of(r, move), last = w->last[v->thread];
	w->nbefore = 0;
	if (last != NONE)
		before_add(w, last, NONE);
	else if (w->forked[v->thread] != NONE)
		before_add(w, w->forked[v->thread], NONE);
	for (uint32_t i = 0; i < v->n; i++)
		touch_meet(w, move, &r->moves->touch[v->first + i]);
	r->index[move] = last == NONE ? 1 : r->index[last] + 1;
	reversals_find(w, move);
	for (size_t i = 0; i < w->nbefore; i++) {
		const uint32_t *other =
			w->before[i].move == NONE ? clock : clock_of(r, w->before[i].move);
		for (uint32_t t = 0; t < r->moves->nthreads; t++)
			clock[t] = other[t] > clock[t] ? other[t] : clock[t];
	}
	clock[v->thread] = r->index[move];
	r->number[move] = number_make(r, move);
	w->last[v->thread] = move;
}

static bool is_pending(const struct snag_moves *m, uint32_t move)
{
	const struct snag_move *v = &m->at[move];
	for (uint32_t i = 0; i < v->n; i++)
		if (m->touch[v->first + i].kind == SNAG_TOUCH_PENDING)
			return true;
	return false;
}

/* Whether a move comes neither after the first nor after the second of the reversal.  What a thread
 * only waits for is no part of a run. */
static bool is_kept(const struct snag_relation *r, const struct snag_reversal *v, uint32_t move)
{
	return !snag_relation_before(r, v->first, move) &&
	       !snag_relation_before(r, v->second, move) && !is_pending(r->moves, move);
}

uint64_t snag_reversal_number(const struct snag_relation *r, const struct snag_reversal *reversal)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < r->moves->n; i++)
		if (is_kept(r, reversal, i))
			sum += r->number[i];
	return snag_number(sum, r->name[r->moves->at[reversal->second].thread]);
}

bool snag_relation_make(struct snag_relation *ret, const struct snag_moves *moves)
{
	const size_t n = moves->n, threads = moves->nthreads;
	if (moves->is_cut || n >= NONE || n * threads > SNAG_RELATION_MOST)
		return false;
	*ret = (struct snag_relation){.moves = moves,
				      .clock = snag_calloc(n * threads + 1, sizeof(uint32_t)),
				      .index = snag_calloc(n + 1, sizeof(uint32_t)),
				      .number = snag_calloc(n + 1, sizeof(uint64_t)),
				      .name = snag_calloc(threads + 1, sizeof(uint64_t))};
	struct work w = {.r = ret,
			 .last = snag_alloc((threads + 1) * sizeof(uint32_t)),
			 .forked = snag_alloc((threads + 1) * sizeof(uint32_t)),
			 .ncreated = snag_calloc(threads + 1, sizeof(uint32_t))};
	for (size_t i = 0; i < threads; i++)
		w.last[i] = w.forked[i] = NONE;
	for (uint32_t i = 0; i < n; i++)
		move_add(&w, i);
	for (uint32_t i = 0; i < n; i++)
		if (!is_pending(moves, i))
			ret->class += ret->number[i];
	for (size_t i = 0; i < w.nthings; i++)
		free(w.thing[i].past);
	free(w.thing);
	snag_slots_done(&w.slots);
	free(w.before);
	free(w.last);
	free(w.forked);
	free(w.ncreated);
	return true;
}

void snag_relation_done(struct snag_relation *r)
{
	free(r->clock);
	free(r->index);
	free(r->number);
	free(r->name);
	free(r->reversal);
	*r = (struct snag_relation){0};
}

void snag_reversal_turns(const struct snag_relation *r, const struct snag_reversal *reversal,
			 struct snag_turns *ret)
{
	const struct snag_moves *m = r->moves;
	const struct snag_step_log log = {.creators = m->turns.creators,
					  .answers = m->turns.answers};
	struct snag_step *step = snag_alloc((m->n + 1) * sizeof(*step));
	size_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (is_kept(r, reversal, i))
			step[n++] = (struct snag_step){m->at[i].count, m->at[i].thread};
	const struct snag_move *f = &m->at[reversal->second];
	step[n++] = (struct snag_step){f->count, f->thread};
	snag_turns_of_steps(ret, step, n, SNAG_GOAL_ACCESSES, 0, &log);
	free(step);
}
