/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_order.c - the order of the steps of one schedule
 *
 * explore_order.h has the idea and the rules.  Time is the number of the step: if a clock has k
 * for a task, the steps of that task numbered below k come before.
 */
#include "lang/explore_order.h"

#include "base/memory.h"

void order_init(struct order *o)
{
	*o = (struct order){0};
	snag_vclock_pool_init(&o->pool);
}

static void clock_drop(struct order *o, struct order_clock *c)
{
	snag_vclock_drop(&o->pool, c->need);
	snag_vclock_drop(&o->pool, c->sync);
	*c = (struct order_clock){0};
}

static void clocks_drop(struct order *o, struct order_clock *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		clock_drop(o, &c[i]);
}

static uint32_t *list_head(struct order *o, uint32_t slot)
{
	int which = slot >= ORDER_PROMISE;
	uint32_t i = slot & ~ORDER_PROMISE;
	o->head[which] = snag_grow(o->head[which], &o->head_cap[which], (size_t)i + 1,
				   sizeof(*o->head[which]));
	return &o->head[which][i];
}

void order_begin(struct order *o)
{
	for (size_t i = 0; i < o->nevents; i++)
		clock_drop(o, &o->event[i].clock);
	clocks_drop(o, o->task, o->task_cap);
	clocks_drop(o, o->scope, o->scope_cap);
	clocks_drop(o, o->promise, o->promise_cap);
	clock_drop(o, &o->before);
	for (size_t i = 0; i < o->naccesses; i++)
		*list_head(o, o->access[i].slot) = 0;
	o->nevents = o->naccesses = o->nblocks = o->nentries = o->ncandidates = 0;
}

void order_done(struct order *o)
{
	order_begin(o);
	snag_vclock_pool_done(&o->pool);
	free(o->event);
	free(o->access);
	free(o->block);
	free(o->entry);
	free(o->head[0]);
	free(o->head[1]);
	free(o->task);
	free(o->scope);
	free(o->promise);
	free(o->candidate);
	*o = (struct order){0};
}

static void join(struct order *o, struct snag_vclock **to, struct snag_vclock *from, snag_tid task,
		 uint32_t time)
{
	if (!*to)
		*to = snag_vclock_share(o->pool.empty);
	snag_vclock_join(&o->pool, to, from ? from : o->pool.empty, task, time);
}

/* Joins into `to` all that `from` knows, and what `task` did before `time`. */
static void clock_join(struct order *o, struct order_clock *to, const struct order_clock *from,
		       snag_tid task, uint32_t time)
{
	join(o, &to->need, from->need, task, time);
	join(o, &to->sync, from->sync, task, time);
}

static void clock_share(struct order *o, struct order_clock *to, const struct order_clock *from)
{
	clock_drop(o, to);
	to->need = from->need ? snag_vclock_share(from->need) : NULL;
	to->sync = from->sync ? snag_vclock_share(from->sync) : NULL;
}

static bool knows(const struct snag_vclock *c, snag_tid task, uint32_t event)
{
	return c && snag_vclock_get(c, task) > event;
}

static struct order_clock *clock_at(struct order_clock **clocks, size_t *cap, uint32_t i)
{
	*clocks = snag_grow(*clocks, cap, (size_t)i + 1, sizeof(**clocks));
	return &(*clocks)[i];
}

void order_step_begin(struct order *o, snag_tid task, bool is_block)
{
	uint32_t n = (uint32_t)o->nevents, block = WORLD_NONE;
	clock_share(o, &o->before, clock_at(&o->task, &o->task_cap, task));
	o->ncandidates = 0;
	if (is_block) {
		struct order_block *last = o->nblocks ? &o->block[o->nblocks - 1] : NULL;
		if (!last || last->last != WORLD_NONE) {
			o->block = snag_grow(o->block, &o->block_cap, o->nblocks + 1,
					     sizeof(*o->block));
			o->block[o->nblocks++] =
				(struct order_block){.task = task,
						     .first = n,
						     .last = WORLD_NONE,
						     .access = (uint32_t)o->naccesses};
		}
		block = (uint32_t)o->nblocks - 1;
	}
	o->event = snag_grow(o->event, &o->event_cap, o->nevents + 1, sizeof(*o->event));
	o->event[o->nevents++] = (struct order_event){
		.task = task, .access = (uint32_t)o->naccesses, .block = block};
}

static void candidate_add(struct order *o, uint32_t event)
{
	for (size_t i = 0; i < o->ncandidates; i++)
		if (o->candidate[i] == event)
			return;
	o->candidate = snag_grow(o->candidate, &o->candidate_cap, o->ncandidates + 1,
				 sizeof(*o->candidate));
	o->candidate[o->ncandidates++] = event;
}

/* The last step of what excludes others together with this one. */
static uint32_t unit_last(const struct order *o, uint32_t event)
{
	uint32_t b = o->event[event].block;
	return b == WORLD_NONE || o->block[b].last == WORLD_NONE ? event : o->block[b].last;
}

/* [access] Handles one earlier access that conflicts.  If its block ran in pieces, it can come
 * later only if the whole block does. */
static void entry_before(struct order *o, snag_tid task, const struct order_entry *e,
			 const struct order_access *a)
{
	struct order_clock *c = &o->task[task];
	bool both = e->is_isolated && a->is_isolated;
	uint32_t last = both ? unit_last(o, e->event) : e->event;
	uint32_t b = o->event[e->event].block;
	bool in_split = both && b != WORLD_NONE && o->block[b].is_split;
	uint32_t first = in_split ? o->block[b].first : e->event;
	if (!knows(o->before.need, e->task, first))
		candidate_add(o, first);
	if (!knows(c->need, e->task, last))
		join(o, &c->need, o->event[last].clock.need, e->task, last + 1);
	if (both && !knows(c->sync, e->task, last))
		join(o, &c->sync, o->event[last].clock.sync, e->task, last + 1);
}

/* Replaces the last access of this task of this kind. */
static void entry_put(struct order *o, snag_tid task, const struct order_access *a)
{
	uint32_t *head = list_head(o, a->slot), i = *head;
	struct order_entry new = {.event = (uint32_t)o->nevents - 1,
				  .task = task,
				  .loc = a->loc,
				  .is_write = a->is_write,
				  .is_isolated = a->is_isolated,
				  .update = a->update};
	while (i && (o->entry[i - 1].task != task || o->entry[i - 1].is_write != a->is_write ||
		     o->entry[i - 1].is_isolated != a->is_isolated ||
		     o->entry[i - 1].update != a->update))
		i = o->entry[i - 1].next;
	if (i) {
		new.next = o->entry[i - 1].next;
		o->entry[i - 1] = new;
		return;
	}
	o->entry = snag_grow(o->entry, &o->entry_cap, o->nentries + 1, sizeof(*o->entry));
	new.next = *head;
	o->entry[o->nentries++] = new;
	*head = (uint32_t)o->nentries;
}

static void access_races(struct order *o, snag_tid task, const struct order_access *a)
{
	if (a->slot >= ORDER_PROMISE)
		return;
	for (uint32_t i = *list_head(o, a->slot); i; i = o->entry[i - 1].next) {
		const struct order_entry *e = &o->entry[i - 1];
		if (e->task == task || !(e->is_write || a->is_write) ||
		    (e->is_isolated && a->is_isolated) ||
		    knows(o->task[task].sync, e->task, e->event))
			continue;
		struct order_race race = {
			.slot = a->slot, .event = e->event, .first = *e, .second = *a};
		o->on_race(o->ctx, &race);
	}
}

static bool may_conflict(bool is_write, uint8_t update, const struct order_access *a)
{
	bool commute = update && update == a->update; /* [updates] */
	return (is_write || a->is_write) && !commute;
}

static void order_access(struct order *o, snag_tid task, const struct order_access *a)
{
	for (uint32_t i = *list_head(o, a->slot); i; i = o->entry[i - 1].next) {
		const struct order_entry *e = &o->entry[i - 1];
		if (e->task != task && may_conflict(e->is_write, e->update, a))
			entry_before(o, task, e, a);
	}
	if (!a->is_isolated)
		access_races(o, task, a); /* those of a block: when all its edges are known */
	entry_put(o, task, a);
	o->access = snag_grow(o->access, &o->access_cap, o->naccesses + 1, sizeof(*o->access));
	o->access[o->naccesses++] = *a;
	o->event[o->nevents - 1].naccesses++;
}

void order_effect(struct order *o, const struct world *w, snag_tid task,
		  const struct world_effect *e)
{
	uint32_t now = (uint32_t)o->nevents, target = e->action.target;
	struct order_clock *c = clock_at(&o->task, &o->task_cap, task);
	switch (e->action.kind) {
	case SNAG_ACT_READ:
	case SNAG_ACT_WRITE:
		order_access(o, task,
			     &(struct order_access){.name = w->slot[target].name,
						    .slot = target,
						    .loc = e->action.loc,
						    .is_write = e->action.kind == SNAG_ACT_WRITE,
						    .is_isolated = e->is_isolated,
						    .update = o->splits ? 0 : world_update(e)});
		break;
	case SNAG_ACT_SET: /* two sets conflict, but are no race */
		order_access(o, task,
			     &(struct order_access){.name = ~w->promise[target].name,
						    .slot = ORDER_PROMISE + target,
						    .loc = e->action.loc,
						    .is_write = true});
		if (!e->has_failed)
			clock_join(o, clock_at(&o->promise, &o->promise_cap, target),
				   &o->task[task], task, now);
		break;
	case SNAG_ACT_GET:
		clock_join(o, c, clock_at(&o->promise, &o->promise_cap, target), task, 0);
		break;
	case SNAG_ACT_ASYNC:
	case SNAG_ACT_SPAWN: /* [create] */
		clock_at(&o->task, &o->task_cap, e->created);
		clock_join(o, &o->task[e->created], &o->task[task], task, now);
		break;
	case SNAG_ACT_END: /* [end] */
		clock_join(o, clock_at(&o->scope, &o->scope_cap, e->scope), c, task, now);
		if (w->task[task].spawned_in != WORLD_NONE)
			clock_join(o, clock_at(&o->scope, &o->scope_cap, w->task[task].spawned_in),
				   c, task, now);
		break;
	case SNAG_ACT_FINISH_END:
	case SNAG_ACT_SYNC:
		clock_join(o, c, clock_at(&o->scope, &o->scope_cap, e->scope), task, 0);
		break;
	default:
		break;
	}
}

/* [block] Blocks of which one has several steps: one comes before the other. */
static void blocks_before(struct order *o, const struct order_block *block)
{
	struct snag_vclock **need = &o->task[block->task].need;
	for (size_t i = 0; i + 1 < o->nblocks; i++) {
		const struct order_block *b = &o->block[i];
		if (b->task == block->task || !(b->is_split || block->is_split))
			continue;
		if (!knows(o->before.need, b->task, b->first))
			candidate_add(o, b->first);
		if (!knows(*need, b->task, b->last))
			join(o, need, o->event[b->last].clock.need, b->task, b->last + 1);
	}
}

void order_step_accessed(struct order *o, bool is_whole)
{
	struct order_event *e = &o->event[o->nevents - 1];
	struct order_block *b = e->block == WORLD_NONE ? NULL : &o->block[e->block];
	if (b) {
		b->is_split |= !is_whole;
		if (o->splits && b->first == o->nevents - 1)
			blocks_before(o, b);
		if (is_whole) {
			b->last = (uint32_t)o->nevents - 1;
			for (uint32_t i = b->access; i < o->naccesses; i++)
				if (o->access[i].is_isolated)
					access_races(o, b->task, &o->access[i]);
		}
	}
	clock_share(o, &e->clock, clock_at(&o->task, &o->task_cap, e->task));
}

void order_reversals(struct order *o)
{
	bool is_block = o->event[o->nevents - 1].block != WORLD_NONE;
	size_t kept = 0;
	for (size_t i = 0; i < o->ncandidates; i++) {
		uint32_t a = o->candidate[i];
		bool is_between = false;
		for (size_t j = 0; j < o->ncandidates && !is_between; j++) {
			uint32_t b = o->candidate[j], last = is_block ? unit_last(o, b) : b;
			is_between = b != a && last > a && order_needs(o, a, last);
		}
		if (is_between)
			continue;
		o->candidate[i] = o->candidate[kept];
		o->candidate[kept++] = a;
	}
	o->ncandidates = kept;
}

struct order_footprint order_footprint(const struct order *o, uint32_t event)
{
	const struct order_event *e = &o->event[event];
	const struct order_block *b = e->block == WORLD_NONE ? NULL : &o->block[e->block];
	return (struct order_footprint){.access = o->access + e->access,
					.n = e->naccesses,
					.is_isolated = b,
					.is_split = b && b->is_split};
}

bool order_conflict(const struct order_footprint *a, const struct order_footprint *b)
{
	if (a->is_isolated && b->is_isolated && (a->is_split || b->is_split))
		return true;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (a->access[i].name == b->access[j].name &&
			    may_conflict(a->access[i].is_write, a->access[i].update, &b->access[j]))
				return true;
	return false;
}
