/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_world.c - all tasks of a program and what they share, action by action
 *
 * Memory is kept from one schedule to the next: beginning again costs what the last one touched.
 */
#include "lang/explore_world.h"

#include "base/memory.h"
#include "lang/explore_digest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void slot_reset(struct world *w, uint32_t slot)
{
	w->slot[slot] = (struct world_slot){.value = snag_program_initial(w->program, slot),
					    .name = digest_mix(slot)};
}

void world_init(struct world *w, const struct snag_program *program)
{
	*w = (struct world){.program = program, .nslots = snag_program_slots(program)};
	w->slot = snag_grow(w->slot, &w->slot_cap, w->nslots, sizeof(*w->slot));
	for (uint32_t i = 0; i < w->nslots; i++)
		slot_reset(w, i);
}

void world_done(struct world *w)
{
	for (size_t i = 0; i < w->task_cap; i++)
		snag_machine_done(&w->task[i].machine);
	free(w->task);
	free(w->scope);
	free(w->slot);
	free(w->promise);
	free(w->touched);
	*w = (struct world){0};
}

static uint32_t scope_new(struct world *w, uint32_t outer)
{
	w->scope = snag_grow(w->scope, &w->scope_cap, w->nscopes + 1, sizeof(*w->scope));
	w->scope[w->nscopes] = (struct world_scope){.outer = outer};
	return (uint32_t)w->nscopes++;
}

static uint32_t slot_new(struct world *w, uint64_t name, snag_loc loc)
{
	w->slot = snag_grow(w->slot, &w->slot_cap, w->nall + 1, sizeof(*w->slot));
	w->slot[w->nall] = (struct world_slot){.value = snag_integer(0), .name = name, .loc = loc};
	return (uint32_t)w->nall++;
}

static uint32_t promise_new(struct world *w, uint64_t name, snag_loc loc)
{
	w->promise = snag_grow(w->promise, &w->promise_cap, w->npromises + 1, sizeof(*w->promise));
	w->promise[w->npromises] = (struct world_promise){.name = name, .loc = loc};
	return (uint32_t)w->npromises++;
}

/* A task in `home`; its machine is up to the caller. */
static uint32_t task_new(struct world *w, uint64_t name, uint32_t home, uint32_t spawned_in)
{
	uint32_t frame = scope_new(w, WORLD_NONE);
	w->task = snag_grow(w->task, &w->task_cap, w->ntasks + 1, sizeof(*w->task));
	struct world_task *t = &w->task[w->ntasks];
	struct snag_machine machine = t->machine;
	*t = (struct world_task){.machine = machine,
				 .finish = home,
				 .home = home,
				 .frame = frame,
				 .spawned_in = spawned_in,
				 .name = name,
				 .graph = name,
				 .structure = name};
	w->scope[home].pending++;
	if (spawned_in != WORLD_NONE)
		w->scope[spawned_in].pending++;
	return (uint32_t)w->ntasks++;
}

static void task_fail(struct world *w, uint32_t id)
{
	w->task[id].state = WORLD_FAILED;
	if (w->isolated == id)
		w->isolated = WORLD_NONE;
}

/* Computes what the task does next. */
static void task_advance(struct world *w, uint32_t id)
{
	struct world_task *t = &w->task[id];
	snag_machine_step(&t->machine, w->program, &w->steps, &t->next);
	if (t->next.kind == SNAG_ACT_LIMIT)
		w->is_cut = true;
	if (t->next.kind == SNAG_ACT_FAULT || t->next.kind == SNAG_ACT_LIMIT)
		task_fail(w, id);
}

void world_begin(struct world *w, uint64_t steps)
{
	w->steps = steps;
	w->is_cut = false;
	w->isolated = WORLD_NONE;
	w->ntasks = w->nscopes = w->npromises = 0;
	w->nall = w->nslots;
	while (w->ntouched)
		slot_reset(w, w->touched[--w->ntouched]);
	for (uint32_t i = 0, n = snag_program_promises(w->program); i < n; i++)
		promise_new(w, digest_mix(i), 0);
	task_new(w, 1, scope_new(w, WORLD_NONE), WORLD_NONE);
	snag_machine_begin(&w->task[0].machine, w->program);
	task_advance(w, 0);
}

bool world_can(const struct world *w, uint32_t id)
{
	const struct world_task *t = &w->task[id];
	assert(id < w->ntasks);
	if (t->state != WORLD_LIVE)
		return false;
	switch (t->next.kind) {
	case SNAG_ACT_GET:
		return w->promise[t->next.target].is_set;
	case SNAG_ACT_FINISH_END:
		return w->scope[t->finish].pending == 0;
	case SNAG_ACT_SYNC:
		return w->scope[t->frame].pending == 0;
	case SNAG_ACT_ISOLATED_BEGIN:
		return w->isolated == WORLD_NONE;
	default:
		return true;
	}
}

static void act_create(struct world *w, uint32_t id, struct world_effect *e)
{
	uint64_t name = digest_pair(w->task[id].name, w->task[id].created++);
	if (e->action.kind == SNAG_ACT_NEW) {
		e->created = promise_new(w, name, e->action.loc);
		snag_machine_give(&w->task[id].machine,
				  (struct snag_value){.v = e->created, .kind = SNAG_PROMISE});
	} else if (e->action.kind == SNAG_ACT_ALLOC) {
		e->created = slot_new(w, name, e->action.loc);
		snag_machine_give(
			&w->task[id].machine,
			(struct snag_value){.v = e->created - w->nslots, .kind = SNAG_CELL});
	} else {
		e->created =
			task_new(w, name, w->task[id].finish,
				 e->action.kind == SNAG_ACT_SPAWN ? w->task[id].frame : WORLD_NONE);
		snag_machine_fork(&w->task[id].machine, &e->action, &w->task[e->created].machine);
		task_advance(w, e->created);
	}
}

static void act_set(struct world_promise *p, struct world_effect *e)
{
	e->has_failed = p->is_set;
	if (!p->is_set)
		p->set_at = e->action.loc;
	p->is_set = true;
}

static void act_end(struct world *w, uint32_t id, struct world_effect *e)
{
	struct world_task *t = &w->task[id];
	t->state = WORLD_ENDED;
	e->scope = t->home;
	w->scope[t->home].pending--;
	if (t->spawned_in != WORLD_NONE)
		w->scope[t->spawned_in].pending--;
}

/* Finish, frames and sync. */
static void act_scope(struct world *w, uint32_t id, struct world_effect *e)
{
	uint8_t kind = e->action.kind;
	bool is_finish = kind == SNAG_ACT_FINISH_BEGIN || kind == SNAG_ACT_FINISH_END;
	uint32_t *current = is_finish ? &w->task[id].finish : &w->task[id].frame;
	e->scope = *current;
	if (kind == SNAG_ACT_FINISH_BEGIN || kind == SNAG_ACT_FRAME_BEGIN)
		*current = scope_new(w, *current);
	else if (kind == SNAG_ACT_FINISH_END || kind == SNAG_ACT_FRAME_END)
		*current = w->scope[*current].outer;
}

static void act_isolated(struct world *w, uint32_t id, bool begins)
{
	assert(w->isolated == (begins ? WORLD_NONE : id));
	w->isolated = begins ? id : WORLD_NONE;
	w->task[id].is_isolated = begins;
}

static void slot_touch(struct world *w, uint32_t slot)
{
	if (slot >= w->nslots || w->slot[slot].is_touched)
		return;
	w->slot[slot].is_touched = true;
	w->touched = snag_grow(w->touched, &w->touched_cap, w->ntouched + 1, sizeof(*w->touched));
	w->touched[w->ntouched++] = slot;
}

void world_act(struct world *w, uint32_t id, struct world_effect *e)
{
	struct world_task *t = &w->task[id];
	*e = (struct world_effect){.action = t->next, .is_isolated = t->is_isolated};
	if (t->next.kind == SNAG_ACT_WRITE || (t->next.kind == SNAG_ACT_READ && t->is_isolated))
		slot_touch(w, t->next.target);
	digest_action(w, t);
	switch (t->next.kind) {
	case SNAG_ACT_READ:
		snag_machine_give(&t->machine, w->slot[t->next.target].value);
		break;
	case SNAG_ACT_WRITE:
		w->slot[t->next.target].value = t->next.value;
		break;
	case SNAG_ACT_SET:
		act_set(&w->promise[t->next.target], e);
		break;
	case SNAG_ACT_NEW:
	case SNAG_ACT_ALLOC:
	case SNAG_ACT_ASYNC:
	case SNAG_ACT_SPAWN:
		act_create(w, id, e);
		break;
	case SNAG_ACT_ISOLATED_BEGIN:
	case SNAG_ACT_ISOLATED_END:
		act_isolated(w, id, t->next.kind == SNAG_ACT_ISOLATED_BEGIN);
		break;
	case SNAG_ACT_END:
		act_end(w, id, e);
		return;
	case SNAG_ACT_GET:
		break;
	default:
		act_scope(w, id, e);
		break;
	}
	if (e->has_failed)
		task_fail(w, id);
	else
		task_advance(w, id);
}

void world_slot_name(const struct world *w, uint32_t slot, char ret_name[SNAG_SLOT_NAME])
{
	if (slot < w->nslots)
		snag_program_slot_name(w->program, slot, ret_name);
	else
		snprintf(ret_name, SNAG_SLOT_NAME, "@%u",
			 snag_program_place(w->program, w->slot[slot].loc).line);
}

void world_promise_name(const struct world *w, uint32_t promise, char ret_name[SNAG_SLOT_NAME])
{
	if (promise < snag_program_promises(w->program))
		snprintf(ret_name, SNAG_SLOT_NAME, "%.100s",
			 snag_program_promise_name(w->program, promise));
	else
		snprintf(ret_name, SNAG_SLOT_NAME, "new@%u",
			 snag_program_place(w->program, w->promise[promise].loc).line);
}
