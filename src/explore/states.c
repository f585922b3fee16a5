/* SPDX-License-Identifier: Apache-2.0
 *
 * states.c - states that runs have passed, and how to come there again
 *
 * A state is a sum of numbers, one for each thread and one for each thing that was changed.  So a
 * move replaces those of its thread and of what it changes, and equal threads are alike.
 */
#include "explore/states.h"

#include "base/memory.h"
#include "explore/shrink.h"

enum { NONE = UINT32_MAX };
enum { STANDS = 11, ENDED = 13, CHANGED = 17 }; /* so that numbers of two kinds differ */

struct passing { /* a run */
	const struct snag_moves *m;
	const struct snag_keyed *shared;
	uint32_t *next; /* by move: the next one of its thread that counts, or NONE */
	/* Of struct snag_tallied: a thing, and the number of its last change. */
	struct snag_keyed things;
	uint64_t state;
};

static uint64_t thing_of(const struct snag_touch *t)
{
	uint64_t key = snag_number(t->key, t->kind == SNAG_TOUCH_MEMORY ? 0 : 1 + t->space);
	return key ? key : 1;
}

/* [shared] */
static void shared_find(struct snag_states *s, const struct snag_moves *m)
{
	struct snag_keyed by = {.elem = sizeof(struct snag_tallied)}; /* 1 + the thread */
	s->shared.elem = sizeof(struct snag_tallied);
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->at[i].n; k++) {
			uint64_t thing = thing_of(&m->touch[m->at[i].first + k]);
			struct snag_tallied *x = snag_keyed_get(&by, thing);
			if (x->n && x->n != (uint64_t)m->at[i].thread + 1)
				snag_keyed_get(&s->shared, thing);
			x->n = (uint64_t)m->at[i].thread + 1;
		}
	snag_keyed_done(&by);
}

/* The first thing that the move touches and that counts, or 0. */
static uint64_t first_shared(const struct passing *p, const struct snag_move *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		uint64_t thing = thing_of(&p->m->touch[v->first + i]);
		if (snag_keyed_find(p->shared, thing))
			return thing;
	}
	return 0;
}

/* Where a thread stands whose next move that counts is this. */
static uint64_t stand(const struct passing *p, uint32_t move)
{
	if (move == NONE)
		return snag_number(ENDED, 0);
	const struct snag_move *v = &p->m->at[move];
	return snag_number(snag_number(v->place, first_shared(p, v)), STANDS);
}

static void next_find(struct passing *p)
{
	const struct snag_moves *m = p->m;
	uint32_t *of = snag_alloc((m->nthreads + 1) * sizeof(*of));
	for (uint32_t t = 0; t < m->nthreads; t++)
		of[t] = NONE;
	for (uint32_t i = (uint32_t)m->n; i-- > 0;) {
		p->next[i] = of[m->at[i].thread];
		if (first_shared(p, &m->at[i]))
			of[m->at[i].thread] = i;
	}
	for (uint32_t t = 0; t < m->nthreads; t++)
		p->state += stand(p, of[t]);
	free(of);
}

/* Returns whether the move counts. */
static bool move_take(struct passing *p, uint32_t move)
{
	const struct snag_move *v = &p->m->at[move];
	if (!first_shared(p, v))
		return false;
	p->state += stand(p, p->next[move]) - stand(p, move);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct snag_touch *t = &p->m->touch[v->first + i];
		uint64_t thing = thing_of(t);
		if ((!t->is_write && t->kind != SNAG_TOUCH_RELEASE) ||
		    !snag_keyed_find(p->shared, thing))
			continue;
		struct snag_tallied *x = snag_keyed_get(&p->things, thing);
		uint64_t now = snag_number(snag_number(thing, v->place), CHANGED + t->kind);
		p->state += now - x->n;
		x->n = now;
	}
	return true;
}

/* Keeps the run, for its cells. */
static void run_keep(struct snag_states *s, const struct snag_moves *m)
{
	s->run = snag_grow(s->run, &s->run_room, s->nruns + 1, sizeof(*s->run));
	snag_turns_copy(&s->run[s->nruns++], &m->turns);
	s->turns += m->turns.n;
}

/* The run passes a state, by this move.  Returns whether it is new. */
static bool state_pass(struct snag_states *s, uint64_t state, const struct snag_move *last)
{
	struct snag_tallied *x = snag_keyed_get(&s->index, state ? state : 1);
	if (x->n) {
		s->cell[x->n - 1].passed++;
		return false;
	}
	s->cell = snag_grow(s->cell, &s->cell_room, s->ncells + 1, sizeof(*s->cell));
	s->cell[s->ncells++] = (struct snag_state_cell){.run = (uint32_t)s->nruns,
							.thread = last->thread,
							.count = last->count,
							.passed = 1};
	x->n = s->ncells;
	return true;
}

uint64_t snag_states_add(struct snag_states *s, const struct snag_moves *moves)
{
	struct passing p = {
		.m = moves, .shared = &s->shared, .things = {.elem = sizeof(struct snag_tallied)}};
	uint64_t n = 0;
	if (moves->is_cut || s->turns + moves->turns.n > SNAG_STATES_TURNS) /* [full] */
		return 0;
	s->index.elem = sizeof(struct snag_tallied);
	shared_find(s, moves);
	p.next = snag_alloc((moves->n + 1) * sizeof(*p.next));
	next_find(&p);
	for (uint32_t i = 0; i < moves->n; i++)
		n += move_take(&p, i) && state_pass(s, p.state, &moves->at[i]);
	if (n)
		run_keep(s, moves);
	snag_keyed_done(&p.things);
	free(p.next);
	return n;
}

/* [pick] */
static struct snag_state_cell *pick(struct snag_states *s, uint64_t random)
{
	struct snag_state_cell *best = NULL;
	for (uint64_t i = 0; i < SNAG_STATES_DRAWN; i++) {
		struct snag_state_cell *c = &s->cell[snag_number(random, i) % s->ncells];
		if (!best || c->sent < best->sent ||
		    (c->sent == best->sent && c->passed < best->passed))
			best = c;
	}
	return best;
}

bool snag_states_next(struct snag_states *s, uint64_t random, struct snag_turns *ret_turns)
{
	if (!s->ncells)
		return false;
	struct snag_state_cell *c = pick(s, random);
	uint64_t done = 0;
	c->sent++;
	snag_turns_copy(ret_turns, &s->run[c->run]);
	for (size_t i = 0; i < ret_turns->n; i++) {
		struct snag_turn *turn = &ret_turns->at[i];
		if (turn->thread != c->thread)
			continue;
		done += turn->events;
		if (done < c->count)
			continue;
		turn->events -= done - c->count;
		ret_turns->n = i + 1;
	}
	return true;
}

void snag_states_done(struct snag_states *s)
{
	for (size_t i = 0; i < s->nruns; i++)
		snag_turns_done(&s->run[i]);
	free(s->run);
	free(s->cell);
	snag_keyed_done(&s->index);
	snag_keyed_done(&s->shared);
	*s = (struct snag_states){0};
}
