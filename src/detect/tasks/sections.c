/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.c - races of a run of tasks, with its sections in the order in which they ran
 *
 * Idea.   A section is an isolated block, or what a task does while it holds a lock.  drdp says
 *         that sections order nothing, because another schedule may run them in another order.
 *         This detector judges one run: of two sections that exclude each other and conflict, the
 *         one that ran first comes before what the other one does from its conflicting access on.
 *         A section is therefore a promise: its end sets the promise, and a conflicting access of a
 *         later section gets it.  drdp (drdp.c) judges the run with these promises.
 *
 *         Reads commute with reads, and an update with updates of its kind (trace/event.h).  So the
 *         accesses to a variable form groups that commute, and an access waits for the group before
 *         its own.
 *
 * State.  task[t]      the sections that a task is in, one for each lock; its update
 *         entry[]      of a variable and a lock: the kind of the last accesses, the sections that
 *                      made them, and the sections of the group before; in a list for each variable
 * Rules.  [access]     of the kind of the last ones: gets the promises of the group before; of
 *                      another kind, or a write: begins a group, and gets the promises of the last
 *                      one
 *         [end]        sets the promise of the section
 *         [locks]      isolated blocks always count; locks if env->ordered.locks says so
 *         [atomics]    order what they order in C11 (atomic_orders.h), if env->ordered.atomics
 *                      says so
 *         [shared]     a lock that several tasks may have keeps only their reads apart from the
 *                      writes of a task that has it alone; it orders no other access
 *         [updates]    commute, unless env->ordered.updates says that they are plain accesses
 *
 * Guarantee.  Names a race for exactly the variables with two conflicting accesses that neither
 *         exclude each other nor are ordered, in the order of sections that was observed.  A race
 *         of two such accesses is one of the program: the sections before them can be run again in
 *         the same order, the two accesses then come next, in any order.  Race-free on every
 *         schedule if no section had to be ordered after another one.
 * Cost.   As drdp; an access in a section 16 bytes for each variable and lock, and what joins.h
 *         needs for a wait.
 * Reference.  Storey et al., Optimized sound and complete data race detection in structured
 *         parallel programs, 2020, whose graph also orders sections that do not conflict.
 */
#include "base/memory.h"
#include "detect/detector.h"
#include "detect/inside.h"
#include "detect/tasks/atomic_orders.h"

#include <stdlib.h>

enum { ISOLATED, LOCKS }; /* the isolated blocks are the sections of one lock */

struct section {
	uint32_t lock, number; /* number: of its promise */
	bool is_used;
	bool is_shared; /* others may have the lock as well */
};

enum { WRITES, READS, UPDATES }; /* kinds of accesses; the kinds of updates are the last */

struct group {
	uint32_t *section;
	size_t n, cap;
};

struct entry {
	uint32_t lock;
	uint32_t next; /* of the same variable; 0: none */
	uint32_t kind; /* of the accesses of `last` */
	struct group last, before;
};

struct sections {
	const struct snag_detector_env *env;
	const struct snag_detector *judge; /* drdp, */
	void *judging;			   /* and its state */
	uint32_t n;			   /* sections so far */
	bool has_ordered;		   /* a section was ordered after one of another task */
	struct member {
		struct section *at;
		size_t n, cap;
		uint32_t update; /* 1 + the kind of the update that it is in; 0: none */
		bool commutes;	 /* it is in one, whatever [updates] says */
	} * task;
	size_t task_cap;
	uint32_t *of; /* by variable */
	size_t of_cap;
	struct entry *entry; /* from 1 on */
	size_t nentries, entry_cap;
	struct snag_atomic_orders atomics;
};

static void *sections_open(const struct snag_detector_env *env)
{
	struct sections *s = snag_calloc(1, sizeof(*s));
	s->env = env;
	s->nentries = 1;
	s->judge = snag_detector_find("drdp", 4);
	s->judging = s->judge->open(env);
	return s;
}

static void sections_close(void *state)
{
	struct sections *s = state;
	if (!s)
		return;
	s->judge->close(s->judging);
	for (size_t i = 0; i < s->task_cap; i++)
		free(s->task[i].at);
	for (size_t i = 1; i < s->nentries; i++) {
		free(s->entry[i].last.section);
		free(s->entry[i].before.section);
	}
	snag_atomic_orders_done(&s->atomics);
	free(s->task);
	free(s->of);
	free(s->entry);
	free(s);
}

/* Promises of the program have even numbers, those of sections odd ones. */
static void promise_event(struct sections *s, const struct snag_event *at, uint32_t event,
			  enum snag_op op, uint32_t section)
{
	struct snag_event ev = *at;
	struct snag_counts counts = {0};
	ev.op = (uint8_t)op;
	ev.target = 2 * section + 1;
	s->has_ordered |= op == SNAG_OP_PROMISE_GET;
	counts.n[SNAG_SPACE_PROMISE] = ev.target + 1;
	counts.n[SNAG_SPACE_THREAD] = (uint32_t)s->task_cap;
	counts.n[SNAG_SPACE_VARIABLE] = (uint32_t)s->of_cap;
	s->judge->inside->reserve(s->judging, &counts);
	s->judge->inside->sync(s->judging, &ev, event);
}

static struct entry *entry_get(struct sections *s, uint32_t variable, uint32_t lock)
{
	uint32_t e = s->of[variable];
	while (e && s->entry[e].lock != lock)
		e = s->entry[e].next;
	if (e)
		return &s->entry[e];
	s->entry = snag_grow(s->entry, &s->entry_cap, s->nentries + 1, sizeof(*s->entry));
	e = (uint32_t)s->nentries++;
	s->entry[e] = (struct entry){.lock = lock, .next = s->of[variable]};
	s->of[variable] = e;
	return &s->entry[e];
}

/* A write and what the same section did before it are one group. */
static void group_begin(struct entry *e, uint32_t kind)
{
	struct group before = e->before;
	e->before = e->last;
	e->last = before;
	e->last.n = 0;
	e->kind = kind;
}

static void section_access(struct sections *s, struct section *in, const struct snag_event *ev,
			   uint32_t event) /* [access] */
{
	struct entry *e = entry_get(s, ev->target, in->lock);
	uint32_t update = s->task[ev->thread].update, own = in->number;
	uint32_t kind = update ? UPDATES + update - 1 : snag_op_writes(ev->op) ? WRITES : READS;
	struct group *g = &e->last;
	bool is_last = g->n && g->section[g->n - 1] == own;
	if (is_last && (e->kind == kind || (e->kind == WRITES && g->n == 1)))
		return;
	if (!g->n || e->kind != kind || kind == WRITES)
		group_begin(e, kind);
	for (size_t i = 0; i < e->before.n; i++)
		if (e->before.section[i] != own)
			promise_event(s, ev, event, SNAG_OP_PROMISE_GET, e->before.section[i]);
	in->is_used = true;
	g->section = snag_grow(g->section, &g->cap, g->n + 1, sizeof(*g->section));
	g->section[g->n++] = own;
}

static void section_begin(struct sections *s, snag_tid task, uint32_t lock, bool is_shared)
{
	struct member *m = &s->task[task];
	m->at = snag_grow(m->at, &m->cap, m->n + 1, sizeof(*m->at));
	m->at[m->n++] = (struct section){.lock = lock, .number = s->n++, .is_shared = is_shared};
}

static void section_end(struct sections *s, const struct snag_event *ev, uint32_t event,
			uint32_t lock) /* [end] */
{
	struct member *m = &s->task[ev->thread];
	for (size_t i = 0; i < m->n; i++) {
		if (m->at[i].lock != lock)
			continue;
		if (m->at[i].is_used)
			promise_event(s, ev, event, SNAG_OP_PROMISE_SET, m->at[i].number);
		m->at[i] = m->at[--m->n];
		return;
	}
}

/* Whether the event begins or ends a section. */
static void boundary(struct sections *s, const struct snag_event *ev, uint32_t event)
{
	bool counts = s->env->ordered.locks && !(ev->flags & SNAG_NESTED); /* [locks] */
	bool begins_shared = ev->op == SNAG_OP_ACQUIRE_SHARED;
	if (ev->op == SNAG_OP_ISOLATED_BEGIN)
		section_begin(s, ev->thread, ISOLATED, false);
	else if (ev->op == SNAG_OP_ISOLATED_END)
		section_end(s, ev, event, ISOLATED);
	else if ((ev->op == SNAG_OP_ACQUIRE || begins_shared) && counts)
		section_begin(s, ev->thread, LOCKS + ev->target, begins_shared);
	else if ((ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED) && counts)
		section_end(s, ev, event, LOCKS + ev->target);
}

static void access_take(struct sections *s, const struct snag_event *ev, uint32_t event)
{
	struct member *m = &s->task[ev->thread];
	bool is_read = ev->op == SNAG_OP_READ || ev->op == SNAG_OP_ATOMIC_READ;
	for (size_t i = 0; i < m->n; i++)
		if (is_read || !m->at[i].is_shared) /* [shared] */
			section_access(s, &m->at[i], ev, event);
}

static void atomic_take(struct sections *s, const struct snag_event *ev,
			uint32_t event) /* [atomics] */
{
	bool commutes = s->task[ev->thread].commutes;
	const struct snag_promise_list *list = snag_atomic_acquires(&s->atomics, ev, commutes);
	for (size_t i = 0; i < list->n; i++)
		promise_event(s, ev, event, SNAG_OP_PROMISE_GET, list->at[i]);
	s->judge->inside->sync(s->judging, ev, event);
	if (snag_atomic_releases(&s->atomics, ev, commutes, s->n))
		promise_event(s, ev, event, SNAG_OP_PROMISE_SET, s->n++);
}

static void sections_read(void *state, const struct snag_event *ev, uint32_t event)
{
	struct sections *s = state;
	access_take(s, ev, event);
	s->judge->inside->read(s->judging, ev, event);
}

static void sections_write(void *state, const struct snag_event *ev, uint32_t event)
{
	struct sections *s = state;
	access_take(s, ev, event);
	s->judge->inside->write(s->judging, ev, event);
}

static void sections_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct sections *s = state;
	struct snag_event own = *ev;
	if (snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE)
		access_take(s, ev, event);
	if (snag_op_info[ev->op].space == SNAG_SPACE_PROMISE)
		own.target = 2 * ev->target;
	if (SNAG_OPS_OF_UPDATES >> ev->op & 1)
		s->task[ev->thread].commutes = ev->op == SNAG_OP_UPDATE_BEGIN;
	if (SNAG_OPS_OF_UPDATES >> ev->op & 1 && !s->env->ordered.updates) /* [updates] */
		s->task[ev->thread].update = ev->op == SNAG_OP_UPDATE_BEGIN ? ev->target + 1 : 0;
	boundary(s, ev, event);
	if (snag_op_is_atomic(ev->op) && s->env->ordered.atomics)
		atomic_take(s, ev, event);
	else
		s->judge->inside->sync(s->judging, &own, event);
}

static void sections_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = sections_read, .write = sections_write, .sync = sections_sync};
	struct sections *s = state;
	struct snag_counts counts = batch->counts;
	counts.n[SNAG_SPACE_PROMISE] *= 2;
	s->task = snag_grow(s->task, &s->task_cap, counts.n[SNAG_SPACE_THREAD], sizeof(*s->task));
	s->of = snag_grow(s->of, &s->of_cap, counts.n[SNAG_SPACE_VARIABLE], sizeof(*s->of));
	if (s->env->ordered.atomics)
		snag_atomic_orders_reserve(&s->atomics, counts.n[SNAG_SPACE_THREAD],
					   counts.n[SNAG_SPACE_VARIABLE]);
	s->judge->inside->reserve(s->judging, &counts);
	snag_handlers_run(&handlers, s, batch);
}

static bool sections_proves(const void *state)
{
	const struct sections *s = state;
	return !s->has_ordered && s->judge->proves(s->judging);
}

static void sections_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct sections *s = state;
	handler(ctx, "sections", s->n);
	s->judge->stats(s->judging, handler, ctx);
}

const struct snag_detector snag_detector_sections = {
	.name = "sections",
	.summary = "drdp, with isolated blocks that conflict in the order observed",
	.kind = "tasks",
	.guarantee = "exact for the observed order of isolated blocks; proves race freedom if "
		     "none conflict",
	.cost = "as drdp, and a wait for each conflict of two blocks",
	.reference = "Jin et al., DRDP; Storey et al., 2020",
	.ops = SNAG_OPS_COMMON | SNAG_OPS_OF_LOCKS | SNAG_OPS_OF_ATOMICS | SNAG_OPS_OF_TASKS,
	.verdict = SNAG_OBSERVED,
	.open = sections_open,
	.events = sections_events,
	.proves = sections_proves,
	.stats = sections_stats,
	.close = sections_close,
};
