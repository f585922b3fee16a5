/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_steps.c - one schedule of a program, step by step
 */
#include "lang/explore_steps.h"

#include "base/memory.h"

#include <assert.h>

void steps_init(struct explore_steps *s, const struct snag_program *program)
{
	*s = (struct explore_steps){0};
	world_init(&s->world, program);
	order_init(&s->order);
	s->marked = snag_calloc(s->world.nslots, sizeof(*s->marked));
}

void steps_done(struct explore_steps *s)
{
	world_done(&s->world);
	order_done(&s->order);
	free(s->live);
	free(s->loop);
	free(s->marked);
	*s = (struct explore_steps){0};
}

static void live_add(struct explore_steps *s, snag_tid task)
{
	s->live = snag_grow(s->live, &s->live_cap, s->nlive + 1, sizeof(*s->live));
	s->live[s->nlive++] = task;
	s->loop = snag_grow(s->loop, &s->loop_cap, (size_t)task + 1, sizeof(*s->loop));
	s->loop[task] = (struct steps_loop){.from = WORLD_NONE};
	if (s->world.task[task].state == WORLD_FAILED)
		s->on_fail(s->ctx, task);
}

static bool is_step(uint8_t kind)
{
	return kind == SNAG_ACT_READ || kind == SNAG_ACT_WRITE || kind == SNAG_ACT_SET ||
	       kind == SNAG_ACT_ISOLATED_BEGIN;
}

static void act(struct explore_steps *s, snag_tid task)
{
	struct world_effect e;
	world_act(&s->world, task, &e);
	order_effect(&s->order, &s->world, task, &e);
	if (e.action.kind == SNAG_ACT_ASYNC || e.action.kind == SNAG_ACT_SPAWN)
		live_add(s, e.created);
	s->has_woken |= e.action.kind == SNAG_ACT_SET || e.action.kind == SNAG_ACT_END ||
			e.action.kind == SNAG_ACT_ASYNC || e.action.kind == SNAG_ACT_SPAWN;
	if (e.action.kind != SNAG_ACT_READ || e.is_isolated)
		s->loop[task].from = WORLD_NONE; /* not a loop that only reads */
	if (s->world.task[task].state == WORLD_FAILED)
		s->on_fail(s->ctx, task);
}

static void settle_task(struct explore_steps *s, snag_tid task)
{
	while (!is_step(s->world.task[task].next.kind) && world_can(&s->world, task))
		act(s, task);
}

/* [step] Does everything that needs no step. */
static void settle(struct explore_steps *s)
{
	while (s->has_woken) {
		size_t kept = 0;
		s->has_woken = false;
		for (size_t i = 0; i < s->nlive; i++)
			settle_task(s, s->live[i]);
		for (size_t i = 0; i < s->nlive; i++)
			if (s->world.task[s->live[i]].state != WORLD_ENDED)
				s->live[kept++] = s->live[i];
		s->nlive = kept;
	}
}

void steps_begin(struct explore_steps *s, uint64_t instructions)
{
	world_begin(&s->world, instructions);
	order_begin(&s->order);
	s->nlive = 0;
	live_add(s, 0);
	s->has_woken = true;
	settle(s);
}

static bool is_marked(const struct explore_steps *s, uint32_t slot)
{
	return slot < s->world.nslots ? s->marked[slot] : s->cells_marked;
}

bool steps_mark(struct explore_steps *s, uint32_t slot)
{
	bool *mark = slot < s->world.nslots ? &s->marked[slot] : &s->cells_marked;
	bool is_new = !*mark;
	*mark = true;
	s->order.splits = true;
	return is_new;
}

/* Whether the slots read since that step have been written since. */
static bool loop_disturbed(const struct explore_steps *s, snag_tid task)
{
	const struct order *o = &s->order;
	uint32_t from = s->loop[task].from;
	for (size_t i = from; i < o->nevents; i++) {
		if (o->event[i].task != task)
			continue;
		assert(o->event[i].naccesses == 1);
		uint32_t slot = o->access[o->event[i].access].slot;
		for (uint32_t e = o->head[0][slot]; e; e = o->entry[e - 1].next)
			if (o->entry[e - 1].is_write && o->entry[e - 1].event >= from)
				return true;
	}
	return false;
}

/* [loop] Handles a read of the task.  Brent's method: one state is remembered, and replaced by a
 * newer one after twice as many reads, so that every period is found. */
static void loop_check(struct explore_steps *s, snag_tid task)
{
	struct steps_loop *l = &s->loop[task];
	uint64_t state = world_task_digest(&s->world, task);
	if (l->from != WORLD_NONE && l->state == state && !loop_disturbed(s, task)) {
		l->is_looping = true;
		return;
	}
	if (l->from == WORLD_NONE || ++l->reads == l->until) {
		l->until = l->from == WORLD_NONE ? 1 : 2 * l->until;
		l->from = (uint32_t)s->order.nevents;
		l->state = state;
		l->reads = 0;
	}
}

bool steps_can(struct explore_steps *s, snag_tid task)
{
	if (!world_can(&s->world, task))
		return false;
	if (s->loop[task].is_looping && loop_disturbed(s, task))
		s->loop[task] = (struct steps_loop){.from = WORLD_NONE};
	return !s->loop[task].is_looping;
}

/* [block] */
static void take_block(struct explore_steps *s, snag_tid task)
{
	const struct world_task *t = &s->world.task[task];
	do {
		bool is_access = t->next.kind == SNAG_ACT_READ || t->next.kind == SNAG_ACT_WRITE;
		s->has_marked &= t->is_isolated;
		s->has_marked |= is_access && is_marked(s, t->next.target);
		act(s, task);
		is_access = t->next.kind == SNAG_ACT_READ || t->next.kind == SNAG_ACT_WRITE;
		if (is_access && s->has_marked && is_marked(s, t->next.target))
			break;
	} while (t->is_isolated && t->state == WORLD_LIVE);
}

void steps_take(struct explore_steps *s, snag_tid task)
{
	const struct world_task *t = &s->world.task[task];
	bool is_block = t->is_isolated || t->next.kind == SNAG_ACT_ISOLATED_BEGIN;
	if (s->loop[task].is_looping) /* no longer, then */
		s->loop[task] = (struct steps_loop){.from = WORLD_NONE};
	order_step_begin(&s->order, task, is_block);
	if (is_block)
		take_block(s, task);
	else
		act(s, task);
	t = &s->world.task[task];
	order_step_accessed(&s->order, !t->is_isolated || t->state != WORLD_LIVE);
	settle_task(s, task);
	settle(s);
	t = &s->world.task[task];
	if (!is_block && t->state == WORLD_LIVE && t->next.kind == SNAG_ACT_READ)
		loop_check(s, task);
}
