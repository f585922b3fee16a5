/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_engine.h - the loop over events, compiled once for each record of rules
 *
 * See predictive.h; the tags of its rules recur here and in predictive_access.h.
 */
#ifndef SNAG_DETECT_PREDICTIVE_ENGINE_H
#define SNAG_DETECT_PREDICTIVE_ENGINE_H

#include "base/memory.h"
#include "detect/predictive/predictive_access.h"
#include "detect/predictive/predictive_fetch.h"

ENGINE void clock_set(struct snag_predictive *p, struct snag_vclock **to, struct snag_vclock *from)
{
	if (*to == from)
		return;
	snag_vclock_drop(&p->pool, *to);
	*to = snag_vclock_share(from);
}

ENGINE void clock_join(struct snag_predictive *p, struct snag_vclock **to,
		       const struct snag_vclock *from)
{
	if (from && from != *to)
		snag_vclock_join(&p->pool, to, from, 0, 0);
}

/* What another thread learns of t by a hard edge: composing relations hand on hb. */
ENGINE struct snag_vclock *handed_on(const struct snag_order_rules *rules,
				     const struct snag_predictive_thread *t)
{
	return rules->composes_with_hb ? t->hb : t->now;
}

/* A clock may end here: the sections that are open export something. */
ENGINE void sections_export(struct snag_predictive *p, const struct snag_predictive_thread *t)
{
	struct snag_section_rest *rest = p->sections.rest;
	for (uint32_t i = t->innermost; i && !rest[i].exports; i = rest[i].outer)
		rest[i].exports = true;
	for (uint32_t i = t->deep; i && !rest[i].exports; i = rest[i].outer)
		rest[i].exports = true;
}

/* The stack without the section; if that is not on top, the next write builds it anew. */
ENGINE void held_release(struct snag_predictive *p, struct snag_predictive_thread *t,
			 uint32_t number)
{
	uint32_t top = t->held;
	t->held_is_stale |= !top || p->held.at[top].section != number;
	t->held = t->held_is_stale ? 0 : snag_held_share(&p->held, p->held.at[top].below);
	snag_held_drop(&p->held, top);
	t->held_is_stale &= (t->innermost | t->deep) != 0;
}

/* Whether a section makes a thread one that holds many, and then is deep. */
ENGINE bool counts_as_direct(const struct snag_order_rules *rules, uint32_t lock, bool is_shared)
{
	return rules->sections == SNAG_CONFLICTING && !is_shared && lock != SNAG_ATOMIC_LOCK;
}

ENGINE uint32_t section_open(const struct snag_order_rules *rules, struct snag_predictive *p,
			     struct snag_predictive_thread *t, snag_tid thread, uint32_t event,
			     struct snag_predictive_lock *l, uint32_t lock, bool is_shared)
{
	uint32_t number = snag_section_new(&p->sections);
	struct snag_section_rest *rest = p->sections.rest;
	p->sections.section[number].thread = thread;
	p->sections.section[number].lock = lock;
	p->sections.section[number].acquire = event;
	rest[number].is_shared = is_shared;
	bool counts = counts_as_direct(rules, lock, is_shared);
	bool is_deep = counts && t->ndirect >= p->max_direct;
	uint32_t *innermost = is_deep ? &t->deep : &t->innermost;
	rest[number].is_deep = is_deep;
	rest[number].outer = *innermost;
	if (*innermost)
		rest[*innermost].inner = number;
	*innermost = number;
	t->nshared += is_shared;
	t->ndirect += counts && !is_deep;
	t->state = ++p->states;
	if (is_deep)
		snag_predictive_deep_open(p, t, l, number);
	if ((is_deep || rules->sections == SNAG_LAST_WRITE_READ) && !t->held_is_stale)
		t->held = snag_held_push(&p->held, t->held, number);
	return number;
}

ENGINE void section_unlink(struct snag_predictive *p, struct snag_predictive_thread *t,
			   uint32_t number)
{
	struct snag_section_rest *rest = p->sections.rest, *s = &rest[number];
	uint32_t *innermost = s->is_deep ? &t->deep : &t->innermost;
	if (*innermost == number)
		*innermost = s->outer;
	else
		rest[s->inner].outer = s->outer;
	if (s->outer)
		rest[s->outer].inner = s->inner;
	t->state = ++p->states;
}

/* [release] the releases of sections whose acquire `knows` knows join *to. */
ENGINE bool runs_join(struct snag_predictive *p, const struct snag_predictive_lock *l,
		      bool is_shared, struct snag_vclock *const *knows, struct snag_vclock **to)
{
	bool changed = false;
	for (size_t i = 0; i < l->nruns; i++) {
		const struct snag_section_run *run = &l->run[i];
		if (run->is_shared && is_shared)
			continue;
		uint32_t last = snag_run_last_known(run, *knows);
		if (last)
			changed |= section_join(p, to, last);
	}
	return changed;
}

ENGINE void release_rules(const struct snag_order_rules *rules, struct snag_predictive *p,
			  struct snag_predictive_thread *t, const struct snag_predictive_lock *l,
			  uint32_t number)
{
	struct snag_section_rest *s = &p->sections.rest[number];
	if (rules->write_write_sections && s->owed) {
		clock_join(p, &t->now, s->owed);
		snag_vclock_drop(&p->pool, s->owed);
		s->owed = NULL;
	}
	/* Once is enough where every release has followed this rule: what it knew of the lock's
	 * earlier sections it knew whole.  Shared releases do not, among each other. */
	while (runs_join(p, l, s->is_shared, &t->now, &t->now) && l->has_shared_runs)
		;
}

ENGINE void section_close(const struct snag_order_rules *rules, struct snag_predictive *p,
			  struct snag_predictive_thread *t, struct snag_predictive_lock *l,
			  uint32_t number, uint32_t event)
{
	struct snag_section_rest *s = &p->sections.rest[number];
	release_rules(rules, p, t, l, number);
	p->sections.section[number].release = event;
	s->clock = snag_vclock_share(handed_on(rules, t));
	section_unlink(p, t, number);
	t->nshared -= s->is_shared;
	if (s->is_deep)
		snag_predictive_deep_close(p, t, number);
	else
		t->ndirect -=
			counts_as_direct(rules, p->sections.section[number].lock, s->is_shared);
	if (s->is_deep || rules->sections == SNAG_LAST_WRITE_READ)
		held_release(p, t, number);
	sections_export(p, t);
	if (s->exports || rules->write_write_sections)
		snag_predictive_file(p, l, number, rules->includes_program_order || s->is_shared);
}

ENGINE void handover_take(const struct snag_order_rules *rules, struct snag_predictive *p,
			  struct snag_predictive_thread *t,
			  const struct snag_predictive_handover *from)
{
	clock_join(p, &t->now, from->now);
	if (rules->write_write_sections)
		clock_join(p, &t->wrote, from->wrote);
}

/* [acquire] composing */
ENGINE void lock_take(const struct snag_order_rules *rules, struct snag_predictive *p,
		      struct snag_predictive_thread *t, snag_tid thread,
		      const struct snag_predictive_lock *l, bool is_shared)
{
	if (l->last && p->sections.section[l->last].thread != thread &&
	    section_join(p, &t->hb, l->last))
		handover_take(rules, p, t, &l->alone);
	if (!is_shared && l->shared_hb) {
		clock_join(p, &t->hb, l->shared_hb);
		handover_take(rules, p, t, &l->shared);
	}
}

ENGINE void lock_acquire(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event,
			 struct snag_predictive_lock *l, uint32_t lock, bool is_shared)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	if (rules->composes_with_hb)
		lock_take(rules, p, t, ev->thread, l, is_shared);
	uint32_t number = section_open(rules, p, t, ev->thread, event, l, lock, is_shared);
	if (!is_shared)
		l->holder = number;
	if (rules->write_write_sections && l->nruns) {
		struct snag_vclock *owed = snag_vclock_share(p->pool.empty);
		runs_join(p, l, is_shared, &t->wrote, &owed);
		p->sections.rest[number].owed = owed;
	}
}

ENGINE void lock_release(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event,
			 struct snag_predictive_lock *l)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	uint32_t number = l->holder;
	l->holder = 0;
	section_close(rules, p, t, l, number, event);
	if (rules->composes_with_hb) {
		l->last = number;
		clock_set(p, &l->alone.now, t->now);
		if (rules->write_write_sections)
			clock_set(p, &l->alone.wrote, t->wrote);
		if (l->shared_hb)
			snag_predictive_forget_shared(p, l); /* the holder has taken it in */
	}
}

ENGINE void shared_release(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_event *ev, uint32_t event,
			   struct snag_predictive_lock *l)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	uint32_t number = t->innermost;
	while (p->sections.section[number].lock != ev->target)
		number = p->sections.rest[number].outer;
	section_close(rules, p, t, l, number, event);
	if (rules->composes_with_hb)
		snag_predictive_add_shared(p, l, ev->thread, event + 1);
}

ENGINE void read_orders(const struct snag_order_rules *rules, struct snag_predictive *p,
			const struct snag_event *ev, uint32_t event)
{
	struct snag_predictive_variable *x = &p->x[ev->target];
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	if (rules->to == SNAG_TO_ACCESS_OR_READ && x->owed)
		snag_predictive_take_owed(p, x, t);
	if (rules->sections == SNAG_LAST_WRITE_READ) {
		if (!t->innermost || x->last_write.time == 0 ||
		    x->last_write.thread == ev->thread || x->last_write.seen == t->state)
			return;
		x->last_write.seen = t->state; /* no write under a lock it holds can follow */
		last_write_orders(p, ev);
		return;
	}
	access_conflicts(rules, p, ev, event, false);
}

ENGINE void write_orders(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event)
{
	if (rules->sections == SNAG_LAST_WRITE_READ) {
		struct snag_predictive_variable *x = &p->x[ev->target];
		struct snag_predictive_thread *t = &p->thread[ev->thread];
		if (t->held_is_stale)
			snag_predictive_build_held(p, t, t->innermost);
		uint32_t held = snag_held_share(&p->held, t->held);
		snag_held_drop(&p->held, x->last_write.held);
		x->last_write.thread = ev->thread;
		x->last_write.time = event + 1;
		x->last_write.held = held;
		return;
	}
	access_conflicts(rules, p, ev, event, true);
}

ENGINE void plain_access(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, snag_tid thread, uint32_t event,
			 bool is_write)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_predictive_variable *x = &p->x[ev->target];
	bool is_racy;
	if (is_write)
		write_orders(rules, p, ev, event);
	else
		read_orders(rules, p, ev, event);
	if (__builtin_expect(p->env->order_races, 0)) {
		snag_predictive_order_races(p, rules, ev, thread, event);
		return;
	}
	if (rules->disjoint_locksets)
		is_racy = snag_history_access(
			&p->histories, &x->history, t->now,
			(struct snag_history_entry){ev->thread, event + 1, t->lockset, is_write});
	else if (is_write)
		is_racy =
			snag_access_write(&p->frontiers, &x->access, t->now, ev->thread, event + 1);
	else
		is_racy =
			snag_access_read(&p->frontiers, &x->access, t->now, ev->thread, event + 1);
	if (is_racy) {
		uint32_t since = rules->disjoint_locksets
					 ? 0
					 : snag_access_since(&x->past, t->now, ev->thread);
		struct snag_event of_thread = *ev;
		of_thread.thread = thread;
		p->env->on_racy(p->env->ctx, &of_thread, event, since, t->now, &p->pool);
	} else if (is_write && !rules->disjoint_locksets) {
		snag_access_settle(&x->past, ev->thread, event + 1);
	}
}

ENGINE void branch_event(struct snag_predictive *p, const struct snag_event *ev) /* [branch] */
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	if (t->pending.n)
		snag_predictive_take_sections(p, t, &t->pending);
	if (!t->nnamed)
		snag_predictive_take_sections(p, t, &t->unnamed);
	for (size_t i = 0; i < t->nnamed; i++)
		snag_predictive_take_owed(p, &p->x[t->named[i]], t);
	t->nnamed = 0;
}

ENGINE void depends_event(struct snag_predictive *p, const struct snag_event *ev) /* [depends] */
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	t->named = snag_grow(t->named, &t->named_cap, t->nnamed + 1, sizeof(*t->named));
	t->named[t->nnamed++] = ev->target;
	t->names = true;
}

ENGINE void atomic_event(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event) /* [atomic] */
{
	lock_acquire(rules, p, ev, event, &p->atomic[ev->target], SNAG_ATOMIC_LOCK, false);
	if (ev->op != SNAG_OP_ATOMIC_WRITE)
		read_orders(rules, p, ev, event);
	if (ev->op != SNAG_OP_ATOMIC_READ)
		write_orders(rules, p, ev, event);
	lock_release(rules, p, ev, event, &p->atomic[ev->target]);
}

ENGINE void fork_event(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_event *ev, uint32_t event) /* [fork] */
{
	struct snag_seats *seats = &p->pool.seats;
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_vclock *known = handed_on(rules, t);
	uint32_t before, seat = snag_seats_take(seats, ev->target, known, &before);
	struct snag_predictive_thread *u = &p->thread[seat];
	if (before != ev->target)
		snag_predictive_reseat(p, seat, &seats->thread[before].last, handed_on(rules, u));
	sections_export(p, t);
	snag_vclock_join(&p->pool, &u->now, known, ev->thread, event + 1);
	if (rules->composes_with_hb)
		snag_vclock_join(&p->pool, &u->hb, known, ev->thread, event + 1);
}

ENGINE void join_event(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_event *ev, uint32_t event) /* [join] */
{
	uint32_t seat = snag_seats_acting(&p->pool.seats, ev->target);
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	const struct snag_seated *u = &p->pool.seats.thread[ev->target];
	snag_seats_leave(&p->pool.seats, ev->target, event);
	struct snag_vclock *known = u->last ? u->last : handed_on(rules, &p->thread[seat]);
	snag_vclock_join(&p->pool, &t->now, known, seat, u->end);
	if (rules->composes_with_hb)
		snag_vclock_join(&p->pool, &t->hb, known, seat, u->end);
}

ENGINE void lockset_update(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_event *ev)
{
	snag_lockset *set = &p->thread[ev->thread].lockset;
	if (!rules->disjoint_locksets)
		return;
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
		*set = snag_lockset_add(&p->locksets, *set, ev->target,
					ev->op == SNAG_OP_ACQUIRE_SHARED);
	else
		*set = snag_lockset_remove(&p->locksets, *set, ev->target);
}

ENGINE void sync_event(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_event *ev, uint32_t event)
{
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		lock_acquire(rules, p, ev, event, &p->lock[ev->target], ev->target,
			     ev->op == SNAG_OP_ACQUIRE_SHARED);
		lockset_update(rules, p, ev);
		break;
	case SNAG_OP_RELEASE:
		lock_release(rules, p, ev, event, &p->lock[ev->target]);
		lockset_update(rules, p, ev);
		break;
	case SNAG_OP_RELEASE_SHARED:
		shared_release(rules, p, ev, event, &p->lock[ev->target]);
		lockset_update(rules, p, ev);
		break;
	case SNAG_OP_FORK:
		fork_event(rules, p, ev, event);
		break;
	case SNAG_OP_JOIN:
		join_event(rules, p, ev, event);
		break;
	case SNAG_OP_ATOMIC_READ:
	case SNAG_OP_ATOMIC_WRITE:
	case SNAG_OP_ATOMIC_UPDATE:
		p->atomic = snag_grow(p->atomic, &p->atomic_cap, (size_t)ev->target + 1,
				      sizeof(*p->atomic));
		atomic_event(rules, p, ev, event);
		break;
	default: /* fences order only what atomics do; regions and tasks are no threads */
		break;
	}
}

ENGINE void engine_run(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_batch *batch)
{
	snag_predictive_trim(p, rules, (uint32_t)batch->first);
	snag_predictive_reserve(p, batch);
	for (size_t i = 0; i < batch->n; i++) {
		struct snag_event of_seat = batch->ev[i];
		const struct snag_event *ev = &of_seat;
		uint32_t event = (uint32_t)(batch->first + i);
		of_seat.thread = snag_seats_acting(&p->pool.seats, ev->thread);
		fetch_ahead(rules, p, batch, i);
		if (snag_op_is_access(ev->op))
			plain_access(rules, p, ev, batch->ev[i].thread, event,
				     ev->op == SNAG_OP_WRITE);
		else if (ev->op == SNAG_OP_BRANCH && rules->to == SNAG_TO_BRANCH)
			branch_event(p, ev);
		else if (ev->op == SNAG_OP_DEPENDS && rules->to == SNAG_TO_BRANCH)
			depends_event(p, ev);
		else if (!(ev->flags & SNAG_NESTED))
			sync_event(rules, p, ev, event);
	}
}

#endif
