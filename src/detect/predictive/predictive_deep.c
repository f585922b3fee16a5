/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_deep.c - threads that hold very many locks
 */
#include "detect/predictive/predictive_deep.h"

#include "base/memory.h"
#include "detect/predictive/predictive_access.h"

void snag_predictive_deep_open(struct snag_predictive *p, struct snag_predictive_thread *t,
			       struct snag_predictive_lock *l, uint32_t section)
{
	snag_run_file(&l->deep, &p->sections, section);
	t->ndeep++;
	t->deep_locks = snag_lockset_add(&p->locksets, t->deep_locks,
					 p->sections.section[section].lock, false);
}

void snag_predictive_deep_close(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t section)
{
	t->ndeep--;
	t->deep_locks =
		snag_lockset_remove(&p->locksets, t->deep_locks, p->sections.section[section].lock);
}

/* The deep section of the lock in which the recorded access was made, or 0. */
static uint32_t section_of(const struct snag_predictive *p, uint32_t lock,
			   const struct snag_deep_record *r)
{
	if (lock == SNAG_ATOMIC_LOCK)
		return 0;
	const struct snag_section_run *deep = &p->lock[lock].deep;
	size_t low = 0, high = deep->n; /* the last that was entered before */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (deep->at[mid].acquire < r->event)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return 0;
	uint32_t section = deep->at[low - 1].section;
	const struct snag_section *s = &p->sections.section[section];
	return s->thread == r->thread && s->release > r->event ? section : 0;
}

/* [any, deep] */
/* Of two sections of one thread, either of which may be 0, the one that was released last. */
static uint32_t later(const struct snag_predictive *p, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	return p->sections.section[a].release > p->sections.section[b].release ? a : b;
}

static bool holds(const struct snag_predictive *p, snag_tid thread, uint32_t lock)
{
	uint32_t holder = p->lock[lock].holder;
	return holder && p->sections.section[holder].thread == thread;
}

/* Returns whether the result of the thread's last comparison with the stack is still valid for
 * the sections it had then: some may have ended, but it holds the lock of what it found. */
static bool is_seen(const struct snag_predictive *p, uint32_t node,
		    const struct snag_predictive_thread *t, snag_tid thread)
{
	const struct snag_held_seen *seen = &p->held.seen[node];
	return seen->found && seen->by == t->who &&
	       holds(p, thread, p->sections.section[seen->found].lock);
}

/* Compares the thread's deep sections with the stack of a record, which has some of their locks.
 * Returns the one of these sections of the stack that was released last. */
static uint32_t stack_compare(struct snag_predictive *p, const struct snag_predictive_thread *t,
			      snag_tid thread, const struct snag_deep_record *r, uint32_t event)
{
	struct snag_held_seen *seen = snag_held_seen(&p->held);
	uint32_t n = r->held, found = 0, since = 0;
	/* Down the stack, until it has been seen or there are fewer sections on the other side. */
	for (uint32_t left = t->ndeep; left && n && !is_seen(p, n, t, thread); left--) {
		uint32_t section = p->held.at[n].section;
		if (holds(p, thread, p->sections.section[section].lock))
			found = later(p, found, section);
		n = p->held.at[n].below;
	}
	if (n && is_seen(p, n, t, thread)) {
		since = seen[n].event;
		found = later(p, found, seen[n].found);
	}
	for (uint32_t i = n ? t->deep : 0; i && p->sections.section[i].acquire >= since;
	     i = p->sections.rest[i].outer)
		found = later(p, found, section_of(p, p->sections.section[i].lock, r));
	seen[r->held] = (struct snag_held_seen){.by = t->who, .event = event, .found = found};
	return found;
}

static void record_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			     struct snag_locked_access *step, const struct snag_deep_record *r,
			     uint32_t event, bool is_write)
{
	bool both_write = is_write && r->is_write;
	for (uint32_t i = step->t->innermost; i; i = p->sections.rest[i].outer)
		conflict(rules, p, step, section_of(p, p->sections.section[i].lock, r), both_write);
	if (step->t->deep && snag_lockset_excludes(&p->locksets, r->locks, step->t->deep_locks))
		conflict(rules, p, step, stack_compare(p, step->t, step->thread, r, event),
			 both_write);
}

/* [deep, direct] */
static void entry_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			    struct snag_locked_access *step, const struct snag_conflict *c,
			    bool is_write)
{
	conflict(rules, p, step, c->write, is_write);
	for (int i = 0; is_write && i < 2; i++)
		conflict(rules, p, step, c->read[i], false);
	more_conflict(rules, p, step, c, is_write);
}

/* Uses the sections entered since the event, or goes through the whole table. */
static void table_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			    struct snag_locked_access *step, uint32_t since, bool is_write)
{
	const struct snag_conflicts *table = &step->x->conflicts;
	const struct snag_section_rest *rest = p->sections.rest;
	uint32_t i = step->t->deep;
	for (uint32_t left = table->nslots; left && i && p->sections.section[i].acquire >= since;
	     left--) {
		const struct snag_conflict *c =
			snag_conflict_find(&p->conflicts, table, p->sections.section[i].lock);
		if (c)
			entry_conflicts(rules, p, step, c, is_write);
		i = rest[i].outer;
	}
	if (!i || p->sections.section[i].acquire < since)
		return;
	for (uint32_t k = 0; k < table->nslots; k++) {
		const struct snag_conflict *c = &snag_conflict_slots(&p->conflicts, table)[k];
		if (c->lock < SNAG_ATOMIC_LOCK && holds(p, step->thread, c->lock) &&
		    rest[p->lock[c->lock].holder].is_deep)
			entry_conflicts(rules, p, step, c, is_write);
	}
}

static void record_free(struct snag_predictive *p, uint32_t *link)
{
	uint32_t number = *link;
	struct snag_deep_record *r = &p->deep.at[number];
	snag_held_drop(&p->held, r->held);
	*link = r->next;
	r->next = p->deep.unused;
	p->deep.unused = number;
}

static uint32_t record_new(struct snag_deep_records *records)
{
	uint32_t number = records->unused;
	if (number) {
		records->unused = records->at[number].next;
		return number;
	}
	records->n += records->n == 0;
	number = (uint32_t)records->n++;
	records->at = snag_grow(records->at, &records->cap, records->n, sizeof(*records->at));
	return number;
}

/* Returns whether the thread's last record of the kind is not older than its stack: then it was
 * here before.  (A stale stack is 0, which no record has.) */
static bool is_here(const struct snag_deep_record *r, const struct snag_predictive_thread *t)
{
	return r->held == t->held;
}

static void record_put(struct snag_predictive *p, const struct snag_locked_access *step,
		       uint32_t event, bool is_write)
{
	struct snag_predictive_thread *t = step->t;
	for (uint32_t *link = &step->x->deep; *link;) {
		const struct snag_deep_record *r = &p->deep.at[*link];
		if (r->thread == step->thread && r->is_write == is_write &&
		    snag_lockset_within(&p->locksets, r->locks, t->deep_locks))
			record_free(p, link);
		else
			link = &p->deep.at[*link].next;
	}
	if (t->held_is_stale)
		snag_predictive_build_held(p, t, t->deep);
	uint32_t number = record_new(&p->deep);
	p->deep.at[number] = (struct snag_deep_record){.thread = step->thread,
						       .event = event,
						       .held = snag_held_share(&p->held, t->held),
						       .locks = t->deep_locks,
						       .next = step->x->deep,
						       .is_write = is_write};
	step->x->deep = number;
}

void snag_predictive_deep_access(const struct snag_order_rules *rules, struct snag_predictive *p,
				 const struct snag_event *ev, uint32_t event, bool is_write)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_locked_access step = {t, &p->x[ev->target], ev->thread, 0, false};
	uint32_t since = 0;
	bool was_here = false;
	for (uint32_t i = step.x->deep; i; i = p->deep.at[i].next) {
		const struct snag_deep_record *r = &p->deep.at[i];
		if (r->thread != ev->thread) {
			if (is_write || r->is_write)
				record_conflicts(rules, p, &step, r, event, is_write);
		} else if (r->is_write == is_write) {
			since = r->event > since ? r->event : since;
			was_here |= is_here(r, t);
		}
	}
	if (!t->deep || was_here)
		return;
	table_conflicts(rules, p, &step, since, is_write);
	record_put(p, &step, event, is_write);
}
