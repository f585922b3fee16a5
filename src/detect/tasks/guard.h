/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.h - what keeps parallel accesses of tasks apart: locks, atomics, isolated blocks
 *
 * Idea.   All three exclude in the same way, so all are locks: an atomic access holds a lock
 *         that only atomic accesses take, and an isolated block one that only isolated blocks
 *         take.  The guard of an access is the set of locks it holds (order/lockset.h).  A plain
 *         access outside all of these has guard 0, which costs nothing.  The past of a variable
 *         is kept by guard: any third access treats two accesses of one guard alike.
 *         An update (trace/event.h) also holds its kind, shared: this excludes nothing, and says
 *         that its order with other updates of that kind does not matter.
 *
 * State.  held[t]     the guard of task t; allocated with the first lock or isolated block
 *         of[v]       the first entry of a variable, or 0; allocated with the first guard
 *         entry[]     the past of a variable under one guard, in a list by variable
 * Cost.   24 bytes for each variable and guard it was accessed with.
 */
#ifndef SNAG_DETECT_GUARD_H
#define SNAG_DETECT_GUARD_H

#include "detect/past.h"
#include "order/lockset.h"
#include "trace/race.h"

struct snag_guarded {
	snag_lockset guard;
	uint32_t next; /* entry of the same variable, or 0 */
	struct snag_past_cell past, events;
};

struct snag_guards {
	struct snag_locksets sets;
	snag_lockset isolated, atomic; /* the guards that contain nothing else */
	snag_lockset *kind; /* by kind of update so far: the guard that contains only it */
	size_t nkinds, kind_cap;
	snag_lockset *held;
	size_t held_cap;
	uint32_t *of;
	size_t of_cap;
	struct snag_guarded *entry; /* from 1 on */
	size_t nentries, entry_cap;
	uint32_t free; /* the first of those given back */
};

void snag_guards_init(struct snag_guards *g);
void snag_guards_done(struct snag_guards *g);
/* Makes room for so many tasks and variables, if there are guards already. */
void snag_guards_reserve(struct snag_guards *g, size_t ntasks, size_t nvariables);

/* Handles the begin and end of locks, isolated blocks and updates; ignores anything else.
 * `ntasks`: the number of tasks. */
void snag_guards_event(struct snag_guards *g, const struct snag_event *ev, size_t ntasks);

/* The guard of a task's plain accesses, and of an atomic one. */
static inline snag_lockset snag_guard_of(const struct snag_guards *g, snag_tid task)
{
	return task < g->held_cap ? g->held[task] : 0;
}
snag_lockset snag_guard_atomic(struct snag_guards *g, snag_lockset guard);

/* Returns what keeps two accesses with these guards apart; the guards exclude each other. */
enum snag_doubt snag_guards_reason(struct snag_guards *g, snag_lockset a, snag_lockset b);
/* Returns whether accesses with these guards are parts of updates that commute. */
bool snag_guards_commute(struct snag_guards *g, snag_lockset a, snag_lockset b);

/* Returns the entry of a variable with this guard; makes it if there is none. */
struct snag_guarded *snag_guarded_entry(struct snag_guards *g, uint32_t variable,
					snag_lockset guard, size_t nvariables);
/* Forgets all entries of a variable. */
void snag_guarded_clear(struct snag_guards *g, uint32_t variable, struct snag_past_pool *pool);

/* Copies the entries of one variable to another that has none. */
void snag_guarded_copy(struct snag_guards *g, uint32_t from, uint32_t to,
		       struct snag_past_pool *pool);

/* The first entry of a variable, or 0. */
static inline uint32_t snag_guarded_first(const struct snag_guards *g, uint32_t variable)
{
	return variable < g->of_cap ? g->of[variable] : 0;
}

#endif
