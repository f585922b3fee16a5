/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c - what keeps parallel accesses of tasks apart: locks, atomics, isolated blocks
 */
#include "detect/tasks/guard.h"

#include "base/memory.h"

enum { ISOLATED, ATOMIC, LOCKS }; /* what comes first of the locks in a guard */

void snag_guards_init(struct snag_guards *g)
{
	*g = (struct snag_guards){.nentries = 1};
	snag_locksets_init(&g->sets);
	g->isolated = snag_lockset_add(&g->sets, 0, ISOLATED, false);
	g->atomic = snag_lockset_add(&g->sets, 0, ATOMIC, false);
}

void snag_guards_done(struct snag_guards *g)
{
	snag_locksets_done(&g->sets);
	free(g->held);
	free(g->kind);
	snag_huge_free(g->of, g->of_cap, sizeof(*g->of));
	free(g->entry);
}

static void held_grow(struct snag_guards *g, size_t ntasks)
{
	g->held = snag_grow(g->held, &g->held_cap, ntasks, sizeof(*g->held));
}

static void of_grow(struct snag_guards *g, size_t nvariables)
{
	g->of = snag_huge_grow(g->of, &g->of_cap, nvariables, sizeof(*g->of));
}

void snag_guards_reserve(struct snag_guards *g, size_t ntasks, size_t nvariables)
{
	if (g->held)
		held_grow(g, ntasks);
	if (g->of)
		of_grow(g, nvariables);
}

static bool is_in(struct snag_guards *g, snag_lockset what, snag_lockset a, snag_lockset b)
{
	return snag_lockset_within(&g->sets, what, a) && snag_lockset_within(&g->sets, what, b);
}

static void kind_add(struct snag_guards *g, uint32_t lock)
{
	snag_lockset kind = snag_lockset_add(&g->sets, 0, lock, true);
	for (size_t i = 0; i < g->nkinds; i++)
		if (g->kind[i] == kind)
			return;
	g->kind = snag_grow(g->kind, &g->kind_cap, g->nkinds + 1, sizeof(*g->kind));
	g->kind[g->nkinds++] = kind;
}

bool snag_guards_commute(struct snag_guards *g, snag_lockset a, snag_lockset b)
{
	for (size_t i = 0; i < g->nkinds; i++)
		if (is_in(g, g->kind[i], a, b))
			return true;
	return false;
}

void snag_guards_event(struct snag_guards *g, const struct snag_event *ev, size_t ntasks)
{
	bool is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED || ev->op == SNAG_OP_UPDATE_BEGIN;
	uint32_t lock = ev->target + LOCKS;
	switch (ev->op) {
	case SNAG_OP_ISOLATED_BEGIN:
	case SNAG_OP_ISOLATED_END:
		lock = ISOLATED;
		break;
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
	case SNAG_OP_RELEASE:
	case SNAG_OP_RELEASE_SHARED:
	case SNAG_OP_UPDATE_END:
		break;
	case SNAG_OP_UPDATE_BEGIN:
		kind_add(g, lock);
		break;
	default:
		return;
	}
	held_grow(g, ntasks);
	snag_lockset *held = &g->held[ev->thread];
	bool takes = ev->op == SNAG_OP_ISOLATED_BEGIN || ev->op == SNAG_OP_ACQUIRE || is_shared;
	*held = takes ? snag_lockset_add(&g->sets, *held, lock, is_shared)
		      : snag_lockset_remove(&g->sets, *held, lock);
}

snag_lockset snag_guard_atomic(struct snag_guards *g, snag_lockset guard)
{
	return guard ? snag_lockset_add(&g->sets, guard, ATOMIC, false) : g->atomic;
}

enum snag_doubt snag_guards_reason(struct snag_guards *g, snag_lockset a, snag_lockset b)
{
	if (is_in(g, g->isolated, a, b))
		return SNAG_DOUBT_ISOLATED;
	return is_in(g, g->atomic, a, b) ? SNAG_DOUBT_ATOMIC : SNAG_DOUBT_LOCK;
}

struct snag_guarded *snag_guarded_entry(struct snag_guards *g, uint32_t variable,
					snag_lockset guard, size_t nvariables)
{
	of_grow(g, nvariables);
	uint32_t e = g->of[variable];
	while (e && g->entry[e].guard != guard)
		e = g->entry[e].next;
	if (e)
		return &g->entry[e];
	e = g->free;
	if (e) {
		g->free = g->entry[e].next;
	} else {
		g->entry = snag_grow(g->entry, &g->entry_cap, g->nentries + 1, sizeof(*g->entry));
		e = (uint32_t)g->nentries++;
	}
	g->entry[e] = (struct snag_guarded){.guard = guard, .next = g->of[variable]};
	g->of[variable] = e;
	return &g->entry[e];
}

void snag_guarded_clear(struct snag_guards *g, uint32_t variable, struct snag_past_pool *pool)
{
	uint32_t e = g->of[variable];
	g->of[variable] = 0;
	while (e) {
		struct snag_guarded *entry = &g->entry[e];
		uint32_t next = entry->next;
		snag_past_clear(pool, &entry->past.writer);
		snag_past_clear(pool, &entry->past.reader);
		entry->next = g->free;
		g->free = e;
		e = next;
	}
}

void snag_guarded_copy(struct snag_guards *g, uint32_t from, uint32_t to,
		       struct snag_past_pool *pool)
{
	for (uint32_t e = g->of[from]; e; e = g->entry[e].next) {
		const struct snag_guarded from_this = g->entry[e];
		struct snag_guarded *copy = snag_guarded_entry(g, to, from_this.guard, g->of_cap);
		copy->past.writer = snag_past_copy(pool, from_this.past.writer);
		copy->past.reader = snag_past_copy(pool, from_this.past.reader);
		copy->events = from_this.events;
	}
}
