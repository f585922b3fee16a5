/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_states.c - the graph of all states of a tiny program that may loop
 */
#include "explore_states.h"

#include "explore_brute.h"
#include "lang/explore_digest.h"
#include "lang/explore_world.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STATES = 500, MAX_DEPTH = 100, MAX_TASKS = 8, MAX_STEPS = 2000 };

struct state {
	uint64_t digest;
	int from;	   /* the state before; -1: none */
	uint32_t by;	   /* the task that acted there */
	int to[MAX_TASKS]; /* the states that follow; -1: none */
	bool is_last;
	bool can_end;
};

struct graph {
	struct world world;
	struct state state[MAX_STATES];
	int n;
	bool is_too_large;
	uint64_t last[MAX_STATES]; /* digests of different last states */
	struct states *result;
};

static uint64_t state_digest(const struct world *w)
{
	uint64_t sum = world_memory_digest(w);
	for (uint32_t i = 0; i < w->npromises; i++)
		sum += w->promise[i].is_set ? digest_pair(7, w->promise[i].name) : 0;
	for (uint32_t i = 0; i < w->ntasks; i++) {
		uint64_t d = digest_pair(w->task[i].state, world_task_digest(w, i));
		if (w->task[i].state != WORLD_ENDED)
			sum += digest_pair(w->task[i].name, digest_pair(d, w->task[i].is_isolated));
	}
	return sum;
}

/* What a task does on its own: nobody can tell when. */
static bool is_private(uint8_t kind)
{
	return kind != SNAG_ACT_READ && kind != SNAG_ACT_WRITE && kind != SNAG_ACT_SET &&
	       kind != SNAG_ACT_ISOLATED_BEGIN;
}

static void settle(struct world *w)
{
	struct world_effect effect;
	for (bool more = true; more && !w->is_cut;) {
		more = false;
		for (uint32_t t = 0; t < w->ntasks; t++)
			while (is_private(w->task[t].next.kind) && world_can(w, t)) {
				world_act(w, t, &effect);
				more = true;
			}
	}
}

/* Brings the world into that state. */
static void replay(struct graph *g, int state)
{
	uint32_t by[MAX_DEPTH];
	struct world_effect effect;
	int n = 0;
	for (; g->state[state].from >= 0; state = g->state[state].from) {
		if (n == MAX_DEPTH) {
			g->is_too_large = true;
			return;
		}
		by[n++] = g->state[state].by;
	}
	world_begin(&g->world, MAX_STEPS);
	settle(&g->world);
	while (n > 0) {
		world_act(&g->world, by[--n], &effect);
		settle(&g->world);
	}
	g->is_too_large |= g->world.is_cut || g->world.ntasks > MAX_TASKS;
}

/* The number of the state the world is in. */
static int state_find(struct graph *g, int from, uint32_t by)
{
	uint64_t digest = state_digest(&g->world);
	for (int i = 0; i < g->n; i++)
		if (g->state[i].digest == digest)
			return i;
	if (g->n == MAX_STATES) {
		g->is_too_large = true;
		return 0;
	}
	g->state[g->n] = (struct state){.digest = digest, .from = from, .by = by};
	memset(g->state[g->n].to, -1, sizeof(g->state[g->n].to));
	return g->n++;
}

static bool is_access(const struct snag_action *a)
{
	return a->kind == SNAG_ACT_READ || a->kind == SNAG_ACT_WRITE;
}

static void find_races(struct graph *g)
{
	const struct world *w = &g->world;
	for (uint32_t a = 0; a < w->ntasks; a++)
		for (uint32_t b = 0; b < a; b++) {
			const struct snag_action *x = &w->task[a].next, *y = &w->task[b].next;
			if (world_can(w, a) && world_can(w, b) && is_access(x) && is_access(y) &&
			    x->target == y->target &&
			    (x->kind == SNAG_ACT_WRITE || y->kind == SNAG_ACT_WRITE))
				g->result->racy |=
					x->target < w->nslots ? 1u << x->target : BRUTE_CELLS;
		}
}

static void end_add(struct graph *g)
{
	bool has_failed = false, is_stuck = false;
	uint64_t digest = world_memory_digest(&g->world);
	struct states *r = g->result;
	for (uint32_t i = 0; i < g->world.ntasks; i++) {
		has_failed |= g->world.task[i].state == WORLD_FAILED;
		is_stuck |= g->world.task[i].state == WORLD_LIVE;
	}
	r->deadlock |= is_stuck && !has_failed;
	for (size_t i = 0; i < r->final_states; i++)
		if (g->last[i] == digest)
			return;
	g->last[r->final_states++] = digest;
}

static void expand(struct graph *g, int state)
{
	struct world_effect effect;
	bool is_last = true;
	replay(g, state);
	if (g->is_too_large)
		return;
	find_races(g);
	uint32_t n = (uint32_t)g->world.ntasks;
	bool can[MAX_TASKS] = {0};
	for (uint32_t t = 0; t < n; t++) {
		can[t] = world_can(&g->world, t);
		is_last &= !can[t];
		g->result->error |= g->world.task[t].state == WORLD_FAILED;
	}
	g->state[state].is_last = g->state[state].can_end = is_last;
	if (is_last)
		end_add(g);
	for (uint32_t t = 0; t < n && !g->is_too_large; t++) {
		if (!can[t])
			continue;
		replay(g, state);
		world_act(&g->world, t, &effect);
		settle(&g->world);
		g->is_too_large |= g->world.is_cut;
		g->state[state].to[t] = state_find(g, state, t);
	}
}

void states_explore(const struct snag_program *program, struct states *ret_states)
{
	static struct graph g;
	*ret_states = (struct states){0};
	g = (struct graph){.result = ret_states};
	world_init(&g.world, program);
	world_begin(&g.world, MAX_STEPS);
	settle(&g.world);
	g.is_too_large = g.world.is_cut || g.world.ntasks > MAX_TASKS;
	state_find(&g, -1, 0);
	for (int i = 0; i < g.n && !g.is_too_large; i++)
		expand(&g, i);
	for (bool more = true; more;) {
		more = false;
		for (int i = 0; i < g.n; i++)
			for (int t = 0; t < MAX_TASKS && !g.state[i].can_end; t++)
				if (g.state[i].to[t] >= 0 && g.state[g.state[i].to[t]].can_end)
					more = g.state[i].can_end = true;
	}
	for (int i = 0; i < g.n; i++)
		ret_states->endless |= !g.state[i].can_end;
	ret_states->is_exact = !g.is_too_large;
	ret_states->nstates = (size_t)g.n;
	world_done(&g.world);
}
