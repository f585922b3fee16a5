/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_brute.c - every interleaving of a tiny program, one by one
 *
 * Choices are taken at reads, writes, sets, gets, the ends of finish blocks and syncs, also inside
 * isolated blocks, which only exclude each other.  What a task does between two of these
 * concerns nobody else, so it is done at once.
 */
#include "explore_brute.h"

#include "lang/explore_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 64, MAX_STEPS = 2000, MAX_STATES = 4096, STATE_TEXT = 2000 };

struct event {
	uint32_t task;
	struct world_effect effect;
	unsigned block;	     /* isolated block, from 1; 0: none */
	uint32_t spawned_in; /* of a task that ends */
	uint64_t before;     /* bits: the events before this one */
};

struct state_set {
	char (*text)[STATE_TEXT];
	size_t n;
};

struct enumeration {
	struct world world;
	struct event event[MAX_EVENTS];
	unsigned nevents, nblocks;
	uint64_t conflicting[MAX_EVENTS]; /* bits: the blocks before that conflict with a block */
	unsigned choice[MAX_EVENTS], nchoices_at[MAX_EVENTS], ndecisions;
	bool is_too_large;
	struct state_set states, graphs, structures;
	struct brute *result;
};

static void states_add(struct enumeration *e, struct state_set *set, const char *text)
{
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->text[i], text) == 0)
			return;
	if (set->n == MAX_STATES) {
		e->is_too_large = true;
		return;
	}
	set->text = realloc(set->text, (set->n + 1) * sizeof(*set->text));
	if (!set->text)
		abort();
	strcpy(set->text[set->n++], text);
}

static void note_error(struct brute *b, snag_loc loc)
{
	size_t at = 0;
	while (at < b->nerrors && b->error[at] < loc)
		at++;
	if ((at < b->nerrors && b->error[at] == loc) || b->nerrors == BRUTE_ERRORS)
		return;
	memmove(&b->error[at + 1], &b->error[at], (b->nerrors - at) * sizeof(b->error[0]));
	b->error[at] = loc;
	b->nerrors++;
}

static void act(struct enumeration *e, uint32_t task)
{
	if (e->nevents == MAX_EVENTS) {
		e->is_too_large = true;
		return;
	}
	struct event *v = &e->event[e->nevents++];
	*v = (struct event){.task = task, .spawned_in = e->world.task[task].spawned_in};
	world_act(&e->world, task, &v->effect);
	if (v->effect.action.kind == SNAG_ACT_ISOLATED_BEGIN)
		v->block = ++e->nblocks;
	else if (v->effect.is_isolated)
		v->block = e->nblocks;
}

/* Concerns nobody but the task, or only those who wait: when it happens makes no difference. */
static bool is_private(uint8_t kind)
{
	switch (kind) {
	case SNAG_ACT_READ:
	case SNAG_ACT_WRITE:
	case SNAG_ACT_SET:
	case SNAG_ACT_GET:
	case SNAG_ACT_FINISH_END:
	case SNAG_ACT_SYNC:
	case SNAG_ACT_ISOLATED_BEGIN:
		return false;
	default:
		return true;
	}
}

static void run_private(struct enumeration *e)
{
	for (uint32_t t = 0; t < e->world.ntasks; t++)
		while (!e->is_too_large && is_private(e->world.task[t].next.kind) &&
		       world_can(&e->world, t))
			act(e, t);
}

/* Runs the schedule that `choice` begins, and takes the first choice from there on. */
static void run(struct enumeration *e)
{
	unsigned decision = 0;
	e->nevents = e->nblocks = 0;
	world_begin(&e->world, MAX_STEPS);
	run_private(e);
	for (; !e->is_too_large; decision++) {
		uint32_t can[MAX_EVENTS];
		unsigned n = 0;
		for (uint32_t t = 0; t < e->world.ntasks && n < MAX_EVENTS; t++)
			if (world_can(&e->world, t))
				can[n++] = t;
		if (n == 0)
			break;
		if (decision == MAX_EVENTS) {
			e->is_too_large = true;
			break;
		}
		if (decision == e->ndecisions)
			e->choice[e->ndecisions++] = 0;
		e->nchoices_at[decision] = n;
		uint32_t t = can[e->choice[decision]];
		bool enters = e->world.task[t].next.kind == SNAG_ACT_ISOLATED_BEGIN;
		act(e, t);
		/* Entering a block and its first access: nobody can tell them apart. */
		if (enters && !is_private(e->world.task[t].next.kind) && !e->is_too_large)
			act(e, t);
		run_private(e);
	}
	e->is_too_large |= e->world.is_cut;
}

static bool is_access(const struct event *v)
{
	return v->effect.action.kind == SNAG_ACT_READ || v->effect.action.kind == SNAG_ACT_WRITE;
}

static bool conflict(const struct event *a, const struct event *b)
{
	return is_access(a) && is_access(b) && a->task != b->task &&
	       a->effect.action.target == b->effect.action.target &&
	       (a->effect.action.kind == SNAG_ACT_WRITE || b->effect.action.kind == SNAG_ACT_WRITE);
}

static void find_conflicting_blocks(struct enumeration *e)
{
	memset(e->conflicting, 0, sizeof(e->conflicting));
	for (unsigned j = 0; j < e->nevents; j++)
		for (unsigned i = 0; i < j && e->event[j].block; i++)
			if (e->event[i].block && conflict(&e->event[i], &e->event[j]))
				e->conflicting[e->event[j].block] |= 1ull << e->event[i].block;
}

/* Whether a, earlier, comes directly before b in the computation graph. */
static bool is_edge(const struct enumeration *e, const struct event *a, const struct event *b)
{
	const struct snag_action *x = &a->effect.action, *y = &b->effect.action;
	if (a->task == b->task)
		return true;
	if (x->kind == SNAG_ACT_ASYNC || x->kind == SNAG_ACT_SPAWN)
		return a->effect.created == b->task;
	if (x->kind == SNAG_ACT_SET && !a->effect.has_failed && y->kind == SNAG_ACT_GET)
		return x->target == y->target;
	if (x->kind == SNAG_ACT_END && y->kind == SNAG_ACT_FINISH_END)
		return a->effect.scope == b->effect.scope;
	if (x->kind == SNAG_ACT_END && y->kind == SNAG_ACT_SYNC)
		return a->spawned_in == b->effect.scope;
	return a->block && b->block && e->conflicting[b->block] >> a->block & 1;
}

static void find_races(struct enumeration *e)
{
	find_conflicting_blocks(e);
	for (unsigned j = 0; j < e->nevents; j++) {
		struct event *b = &e->event[j];
		b->before = 0;
		for (unsigned i = 0; i < j; i++)
			if (is_edge(e, &e->event[i], b))
				b->before |= e->event[i].before | 1ull << i;
		for (unsigned i = 0; i < j; i++) {
			const struct event *a = &e->event[i];
			uint32_t slot = b->effect.action.target;
			if (conflict(a, b) && !(b->before >> i & 1) && !(a->block && b->block))
				e->result->racy |=
					slot < e->world.nslots ? 1u << slot : BRUTE_CELLS;
		}
	}
}

struct writing {
	char *text;
	int n;
	const struct world *w;
	int64_t cell[MAX_EVENTS], promise[MAX_EVENTS];
	unsigned ncells, npromises;
};

static unsigned number_of(int64_t *list, unsigned *n, int64_t v)
{
	for (unsigned i = 0; i < *n; i++)
		if (list[i] == v)
			return i;
	list[*n] = v;
	return (*n)++;
}

static void write_value(struct writing *t, struct snag_value v)
{
	const char *kind = v.kind == SNAG_INTEGER ? "" : v.kind == SNAG_CELL ? "c" : "p";
	if (v.kind == SNAG_CELL)
		v.v = number_of(t->cell, &t->ncells, v.v);
	else if (v.kind == SNAG_PROMISE)
		v.v = number_of(t->promise, &t->npromises, v.v);
	t->n += snprintf(t->text + t->n, (size_t)(STATE_TEXT - t->n), "%s%lld ", kind,
			 (long long)v.v);
}

static void write_state(const struct enumeration *e, char text[STATE_TEXT])
{
	const struct world *w = &e->world;
	struct writing t = {.text = text, .w = w};
	uint64_t name[MAX_EVENTS];
	unsigned nnames = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < w->nslots; i++)
		write_value(&t, w->slot[i].value);
	for (unsigned i = 0; i < t.ncells; i++)
		write_value(&t, w->slot[w->nslots + (uint32_t)t.cell[i]].value);
	/* Tasks that have not ended, in the order of their names. */
	for (uint32_t i = 0; i < w->ntasks; i++)
		if (w->task[i].state != WORLD_ENDED) {
			unsigned at = nnames++;
			for (; at > 0 && name[at - 1] > w->task[i].name; at--)
				name[at] = name[at - 1];
			name[at] = w->task[i].name;
		}
	for (unsigned k = 0; k < nnames; k++)
		for (uint32_t i = 0; i < w->ntasks; i++)
			if (w->task[i].name == name[k])
				t.n += snprintf(text + t.n, (size_t)(STATE_TEXT - t.n), "%llx@%u ",
						(unsigned long long)name[k], w->task[i].next.loc);
}

static void finish_schedule(struct enumeration *e)
{
	char text[STATE_TEXT], graph[STATE_TEXT];
	bool has_failed = false, is_stuck = false;
	find_races(e);
	for (uint32_t i = 0; i < e->world.ntasks; i++) {
		const struct world_task *t = &e->world.task[i];
		has_failed |= t->state == WORLD_FAILED;
		is_stuck |= t->state == WORLD_LIVE;
		if (t->state == WORLD_FAILED)
			note_error(e->result, t->next.loc);
	}
	e->result->deadlock |= is_stuck && !has_failed;
	write_state(e, text);
	states_add(e, &e->states, text);
	snprintf(graph, sizeof(graph), "%llx", (unsigned long long)world_graph_digest(&e->world));
	states_add(e, &e->graphs, graph);
	snprintf(graph, sizeof(graph), "%llx",
		 (unsigned long long)world_structure_digest(&e->world));
	states_add(e, &e->structures, graph);
}

/* The next schedule in the order of choices; false: that was the last. */
static bool advance(struct enumeration *e)
{
	while (e->ndecisions > 0) {
		unsigned last = e->ndecisions - 1;
		if (++e->choice[last] < e->nchoices_at[last])
			return true;
		e->ndecisions--;
	}
	return false;
}

void brute_explore(const struct snag_program *program, unsigned long max_schedules,
		   struct brute *ret_brute)
{
	static struct enumeration e;
	*ret_brute = (struct brute){0};
	e = (struct enumeration){.result = ret_brute};
	world_init(&e.world, program);
	do {
		run(&e);
		finish_schedule(&e);
		ret_brute->schedules++;
	} while (!e.is_too_large && ret_brute->schedules <= max_schedules && advance(&e));
	ret_brute->is_exact = !e.is_too_large && ret_brute->schedules <= max_schedules;
	ret_brute->final_states = e.states.n;
	ret_brute->graphs = e.graphs.n;
	ret_brute->structures = e.structures.n;
	free(e.states.text);
	free(e.graphs.text);
	free(e.structures.text);
	world_done(&e.world);
}
