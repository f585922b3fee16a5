/* SPDX-License-Identifier: Apache-2.0
 *
 * depend.c - depend clauses: which sibling tasks come before which
 *
 * Idea.   Each task with such children has a table.  It holds for each address the last task with
 *         out, and the tasks with in, or with mutexinoutset, since.  Each of these tasks has a
 *         promise and sets it at its end.  A task that depends on it gets the promise at its
 *         beginning, whether the other one has ended or not.
 *
 * Rules.  [in]       after the last out, and the set of mutexinoutset before
 *         [out]      after the last out and all since
 *         [mutex]    as in, but after the ins before; and a lock for the address, of the siblings
 *         [set]      inoutset: as mutex, without the lock
 *         [segment]  Tasks of two iterations are siblings only if one thread happens to have both.
 *                    So each segment has a table, and depends on the table of the phase, too.
 *
 * Reference.  Jin et al., DRDP, section 5.2.
 */
#include "omp/task.h"

#include <string.h>

struct mp_successor {
	struct mp_successor *next;
	struct mp_task *task;
};

struct member {
	struct member *next;
	struct mp_task *task;
};

/* The tasks that depend on an address: those of the latest set, and those of the set before. */
struct place {
	enum mp_depend_kind kind; /* the kind of the latest set */
	struct member *latest, *before;
	struct mp_lock *lock; /* [mutex]; NULL: none so far */
};

struct mp_depends {
	struct mp_map places;
};

static void members_free(struct member *m)
{
	while (m) {
		struct member *next = m->next;
		mp_task_forget(m->task);
		mp_free(m);
		m = next;
	}
}

void mp_depends_free(struct mp_task *parent)
{
	struct mp_depends *d = parent->depends;
	if (!d)
		return;
	parent->depends = NULL;
	const struct mp_map_entry *entry = (const struct mp_map_entry *)d->places.table.at;
	for (size_t i = 0; i < d->places.table.nslots; i++) {
		struct place *p = entry[i].value;
		if (!p)
			continue;
		members_free(p->latest);
		members_free(p->before);
		mp_lock_release(p->lock);
		mp_free(p);
	}
	mp_map_free(&d->places);
	mp_free(d);
}

void mp_depends_enter(struct mp_task *t) /* [segment] */
{
	t->outside = t->depends;
	t->depends = NULL;
}

void mp_depends_leave(struct mp_task *t)
{
	mp_depends_free(t);
	t->depends = t->outside;
	t->outside = NULL;
}

/* Made if need be. */
static struct mp_dependent *dependent_of(struct mp_task *t)
{
	if (!t->dependent)
		t->dependent = mp_alloc(sizeof(*t->dependent));
	return t->dependent;
}

void mp_dependent_free(struct mp_task *t)
{
	struct mp_dependent *d = t->dependent;
	for (unsigned i = 0; i < d->nexclusive; i++)
		mp_lock_release(d->exclusive[i]);
	mp_free(d->get);
	mp_free(d->exclusive);
	mp_free(d);
}

static void promise_add(struct mp_dependent *d, uint32_t promise)
{
	enum { ROOM = 4 };
	for (unsigned i = 0; i < d->nget; i++)
		if (d->get[i] == promise)
			return;
	if ((d->nget & (d->nget - 1)) == 0 && (d->nget == 0 || d->nget >= ROOM)) {
		size_t room = d->nget ? 2 * d->nget : ROOM;
		uint32_t *grown = mp_alloc(room * sizeof(*grown));
		if (d->nget)
			memcpy(grown, d->get, d->nget * sizeof(*grown));
		mp_free(d->get);
		d->get = grown;
	}
	d->get[d->nget++] = promise;
}

/* A task that is part of its thread sets no promise: it has run before the thread creates
 * others. */
static void get_add(struct mp_task *t, struct mp_task *first)
{
	struct mp_dependent *d = t->dependent, *before = first->dependent;
	if (first == t)
		return;
	if (!first->is_part)
		promise_add(d, before->promise);
	if (before->has_ended)
		return;
	struct mp_successor *s = mp_alloc(sizeof(*s));
	s->task = t;
	s->next = before->successors;
	before->successors = s;
	d->waits_for++;
}

static void get_all(struct mp_task *t, const struct member *m)
{
	for (; m; m = m->next)
		get_add(t, m->task);
}

static struct place *place_at(struct mp_task *parent, const void *at)
{
	if (!parent->depends)
		parent->depends = mp_alloc(sizeof(*parent->depends));
	struct place **p = (struct place **)mp_map_at(&parent->depends->places, at);
	if (!*p)
		*p = mp_alloc(sizeof(**p));
	return *p;
}

/* Returns the place of the phase, outside of the segment; NULL: there is none. */
static struct place *place_outside(struct mp_task *parent, const void *at)
{
	struct mp_depends *outside = parent->is_implicit ? parent->outside : NULL;
	return outside ? *mp_map_at(&outside->places, at) : NULL;
}

/* Orders t after the tasks that it depends on there; t joins a set of the same kind, except out. */
static void look(struct mp_task *t, const struct place *p, enum mp_depend_kind kind)
{
	bool is_same = p->kind == kind && kind != MP_DEPEND_OUT;
	get_all(t, is_same ? p->before : p->latest);
}

static void join(struct mp_task *t, struct place *p, enum mp_depend_kind kind)
{
	if (p->latest && p->latest->task == t) {
		if (kind != MP_DEPEND_IN) /* named twice: the stronger counts */
			p->kind = kind;
		return;
	}
	if (p->kind != kind || kind == MP_DEPEND_OUT) {
		members_free(p->before);
		p->before = p->latest;
		p->latest = NULL;
		p->kind = kind;
	}
	struct member *m = mp_alloc(sizeof(*m));
	m->task = t;
	m->next = p->latest;
	p->latest = m;
	t->known++;
}

/* [mutex] */
static struct mp_lock *lock_of(struct mp_task *parent, struct place *p, const void *at)
{
	const struct place *outside = place_outside(parent, at);
	if (!p->lock)
		p->lock = outside && outside->lock ? mp_lock_know(outside->lock) : mp_lock_new(at);
	return p->lock;
}

static void exclusive_add(struct mp_dependent *d, struct mp_lock *lock)
{
	for (unsigned i = 0; i < d->nexclusive; i++)
		if (d->exclusive[i] == lock)
			return;
	struct mp_lock **grown = mp_alloc((d->nexclusive + 1) * sizeof(struct mp_lock *));
	unsigned k = d->nexclusive;
	/* All tasks take locks in the same order, so there is no deadlock. */
	for (; k > 0 && d->exclusive[k - 1] > lock; k--)
		grown[k] = d->exclusive[k - 1];
	grown[k] = mp_lock_know(lock);
	if (k)
		memcpy(grown, d->exclusive, k * sizeof(struct mp_lock *));
	mp_free(d->exclusive);
	d->exclusive = grown;
	d->nexclusive++;
}

void mp_depend_look(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	dependent_of(t);
	for (size_t i = 0; i < n; i++) {
		const struct place *outside = place_outside(t->parent, depend[i].at);
		look(t, place_at(t->parent, depend[i].at), depend[i].kind);
		if (outside)
			look(t, outside, depend[i].kind);
	}
}

void mp_depend_add(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	struct mp_dependent *d = dependent_of(t);
	d->promise = mp_promise();
	mp_depend_look(t, depend, n);
	for (size_t i = 0; i < n; i++) {
		struct place *p = place_at(t->parent, depend[i].at);
		join(t, p, depend[i].kind);
		if (depend[i].kind == MP_DEPEND_MUTEX)
			exclusive_add(d, lock_of(t->parent, p, depend[i].at));
	}
}

void mp_depend_done(struct mp_task *t)
{
	struct mp_dependent *d = t->dependent;
	d->has_ended = true;
	while (d->successors) {
		struct mp_successor *s = d->successors;
		d->successors = s->next;
		if (--s->task->dependent->waits_for == 0)
			mp_task_ready(s->task);
		mp_free(s);
	}
}
