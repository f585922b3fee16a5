/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_result.c - the results of an exploration so far
 *
 * Theorem 11 of Jin et al. (DRDP): a program with promises that is free of races ends with the
 * same memory and the same computation graph in every schedule.  The reduction relies on the
 * same facts as its proof, so it would find one schedule and never see a counterexample.  The
 * confirmation does not rely on them: it lets the tasks take turns at random, action by action,
 * and compares.
 */
#include "lang/explore_result.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { RANDOM_SCHEDULES = 100 };

void record_init(struct explore_record *r, struct snag_explored *result)
{
	*r = (struct explore_record){.result = result};
}

void record_done(struct explore_record *r)
{
	digest_set_done(&r->memories);
	digest_set_done(&r->graphs);
}

void record_clear(struct explore_record *r)
{
	struct snag_explored *result = r->result;
	record_done(r);
	snag_explored_done(result);
	record_init(r, result);
}

static void stuck_done(struct snag_explored_stuck *stuck)
{
	free(stuck->wait);
	free(stuck->schedule.task);
}

void snag_explored_done(struct snag_explored *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->nraces; i++) {
		free(x->race[i].variable);
		free(x->race[i].schedule.task);
	}
	for (size_t i = 0; i < x->nerrors; i++) {
		free(x->error[i].message);
		free(x->error[i].schedule.task);
	}
	free(x->race);
	free(x->error);
	stuck_done(&x->deadlock);
	stuck_done(&x->endless);
	*x = (struct snag_explored){0};
}

static struct snag_schedule schedule_copy(const struct explore_steps *s)
{
	struct snag_schedule c = {.n = s->order.nevents};
	c.task = snag_calloc(c.n, sizeof(*c.task));
	for (size_t i = 0; i < c.n; i++)
		c.task[i] = s->order.event[i].task;
	return c;
}

static char *text_copy(const char *text)
{
	size_t nbytes = strlen(text) + 1;
	return memcpy(snag_alloc(nbytes), text, nbytes);
}

void record_race(struct explore_record *r, const struct explore_steps *s,
		 const struct order_race *race)
{
	struct snag_explored *x = r->result;
	char name[SNAG_SLOT_NAME];
	size_t at = 0;
	world_slot_name(&s->world, race->slot, name);
	while (at < x->nraces && strcmp(x->race[at].variable, name) < 0)
		at++;
	if (at < x->nraces && strcmp(x->race[at].variable, name) == 0)
		return;
	x->race = snag_grow(x->race, &r->race_cap, x->nraces + 1, sizeof(*x->race));
	memmove(&x->race[at + 1], &x->race[at], (x->nraces - at) * sizeof(*x->race));
	x->nraces++;
	x->race[at] = (struct snag_explored_race){
		.variable = text_copy(name),
		.first = {.task = race->first.task,
			  .loc = race->first.loc,
			  .is_write = race->first.is_write,
			  .is_isolated = race->first.is_isolated},
		.second = {.task = s->order.event[s->order.nevents - 1].task,
			   .loc = race->second.loc,
			   .is_write = race->second.is_write,
			   .is_isolated = race->second.is_isolated},
		.schedule = schedule_copy(s)};
}

static void fail_set(const struct world *w, const struct snag_action *set, struct snag_error *err)
{
	char name[SNAG_SLOT_NAME];
	struct snag_place before = snag_program_place(w->program, w->promise[set->target].set_at);
	world_promise_name(w, set->target, name);
	snag_program_fail(w->program, set->loc, err, "promise '%s' is set already, at %u:%u", name,
			  before.line, before.column);
}

void record_error(struct explore_record *r, const struct explore_steps *s, snag_tid task)
{
	struct snag_explored *x = r->result;
	const struct snag_action *next = &s->world.task[task].next;
	struct snag_error err;
	for (size_t i = 0; i < x->nerrors; i++)
		if (x->error[i].loc == next->loc)
			return;
	if (next->kind == SNAG_ACT_FAULT)
		snag_machine_fault(s->world.program, next, &err);
	else
		fail_set(&s->world, next, &err);
	x->error = snag_grow(x->error, &r->error_cap, x->nerrors + 1, sizeof(*x->error));
	x->error[x->nerrors++] = (struct snag_explored_error){
		.loc = next->loc, .message = text_copy(err.msg), .schedule = schedule_copy(s)};
}

static const char *wait_text(const struct explore_steps *s, snag_tid task)
{
	if (steps_is_looping(s, task))
		return "loop";
	switch (s->world.task[task].next.kind) {
	case SNAG_ACT_GET:
		return "get";
	case SNAG_ACT_FINISH_END:
		return "finish";
	case SNAG_ACT_SYNC:
		return "sync";
	default:
		return "isolated";
	}
}

static void stuck_fill(struct snag_explored_stuck *stuck, const struct explore_steps *s)
{
	if (stuck->n)
		return;
	stuck->wait = snag_calloc(s->nlive, sizeof(*stuck->wait));
	for (size_t i = 0; i < s->nlive; i++)
		stuck->wait[stuck->n++] =
			(struct snag_explored_wait){.task = s->live[i],
						    .loc = s->world.task[s->live[i]].next.loc,
						    .what = wait_text(s, s->live[i])};
	stuck->schedule = schedule_copy(s);
}

void record_end(struct explore_record *r, const struct explore_steps *s)
{
	bool has_failed = false, has_loop = false;
	for (size_t i = 0; i < s->nlive; i++) {
		has_failed |= s->world.task[s->live[i]].state == WORLD_FAILED;
		has_loop |= steps_is_looping(s, s->live[i]);
	}
	if (s->nlive && !has_failed)
		stuck_fill(has_loop ? &r->result->endless : &r->result->deadlock, s);
	r->has_isolated |= s->order.nblocks > 0;
	digest_set_add(&r->memories, world_memory_digest(&s->world));
	digest_set_add(&r->graphs, world_graph_digest(&s->world));
}

/* One schedule, action by action; `seed` decides who goes on. */
static void run_random(struct world *w, uint64_t seed, uint64_t instructions)
{
	struct world_effect effect;
	world_begin(w, instructions);
	for (uint64_t i = 0;; i++) {
		uint32_t start = (uint32_t)(digest_pair(seed, i) % w->ntasks), t = start;
		while (!world_can(w, t)) {
			t = t + 1 == w->ntasks ? 0 : t + 1;
			if (t == start)
				return;
		}
		world_act(w, t, &effect);
	}
}

bool record_can_confirm(const struct explore_record *r)
{
	const struct snag_explored *x = r->result;
	return x->exhaustive && x->nraces == 0 && x->nerrors == 0 && x->endless.n == 0 &&
	       !r->has_isolated && x->confirmed < RANDOM_SCHEDULES;
}

void record_confirm(struct explore_record *r, struct world *w, uint64_t instructions)
{
	struct snag_explored *x = r->result;
	run_random(w, x->confirmed, instructions);
	bool same_memory = digest_set_has(&r->memories, world_memory_digest(w));
	bool same_graph = digest_set_has(&r->graphs, world_graph_digest(w));
	x->same_memory = same_memory && (x->same_memory || x->confirmed == 0);
	x->same_graph = same_graph && (x->same_graph || x->confirmed == 0);
	x->confirmed++;
}

void record_conclude(struct explore_record *r)
{
	struct snag_explored *x = r->result;
	x->exhaustive = x->gap == SNAG_EXPLORE_COMPLETE;
	x->final_states = r->memories.digests.n;
	x->graphs = r->graphs.digests.n;
	x->deterministic = x->exhaustive && x->final_states == 1;
}

const char *snag_explore_gap_text(enum snag_explore_gap gap)
{
	static const char *const text[] = {
		[SNAG_EXPLORE_COMPLETE] = "every schedule is covered",
		[SNAG_EXPLORE_SCHEDULES] = "the limit of schedules was reached",
		[SNAG_EXPLORE_SECONDS] = "the limit of time was reached",
		[SNAG_EXPLORE_STEPS_CUT] = "schedules were cut off at the limit of steps",
		[SNAG_EXPLORE_STOPPED] = "it was interrupted",
	};
	return text[gap];
}
