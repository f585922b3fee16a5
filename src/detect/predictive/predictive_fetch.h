/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_fetch.h - prefetches what later events will look at
 *
 * Idea.   The predictive orders would spend most of their time waiting for memory.  The next
 *         events are known, so what they will look at is prefetched in three steps, each of
 *         which uses what the previous one fetched: the variable; the entries of the locks that
 *         its thread will hold, which are tracked that far ahead, and the accesses to race with;
 *         the sections of the entries.
 *
 * Guarantee.  Affects nothing but time: a wrong guess is a useless prefetch.
 */
#ifndef SNAG_DETECT_PREDICTIVE_FETCH_H
#define SNAG_DETECT_PREDICTIVE_FETCH_H

#include "detect/predictive/predictive_access.h"

enum { FETCH_VARIABLE = 24, FETCH_CONFLICT = 12, FETCH_SECTION = 5 };

_Static_assert(FETCH_CONFLICT - FETCH_SECTION <= SNAG_AHEAD, "entries of ahead[] are in use");

ENGINE const struct snag_event *event_ahead(const struct snag_batch *batch, size_t i)
{
	return i < batch->n ? &batch->ev[i] : NULL;
}

/* Which locks its thread will hold after the event. */
ENGINE void locks_ahead(struct snag_predictive_thread *t, const struct snag_event *ev)
{
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED) {
		t->ahead[1] = t->ahead[0];
		t->ahead[0] = ev->target + 1;
	} else if (t->ahead[0] == ev->target + 1 &&
		   (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED)) {
		t->ahead[0] = t->ahead[1];
		t->ahead[1] = 0;
	}
}

/* The entries of the locks that will be held. */
ENGINE void conflicts_fetch(const struct snag_predictive *p, const struct snag_predictive_thread *t,
			    const struct snag_conflicts *c, struct snag_slots_ahead *ahead)
{
	for (int k = 0; k < 2; k++) {
		ahead->slot[k] = 0;
		if (!t->ahead[k] || !c->nslots)
			continue;
		ahead->slot[k] = c->first + snag_conflict_slot(c, t->ahead[k] - 1);
		__builtin_prefetch((struct snag_conflict *)p->conflicts.at + ahead->slot[k]);
	}
}

ENGINE void sections_fetch(const struct snag_predictive *p, const struct snag_slots_ahead *ahead)
{
	for (int k = 0; k < 2; k++) {
		const struct snag_conflict *c =
			(const struct snag_conflict *)p->conflicts.at + ahead->slot[k];
		if (!ahead->slot[k] || c->lock == UINT32_MAX)
			continue;
		__builtin_prefetch(&p->sections.section[c->write]);
		__builtin_prefetch(&p->sections.section[c->read[0]]);
	}
}

ENGINE void held_fetch(const struct snag_predictive *p, const struct snag_predictive_variable *x)
{
	uint32_t held = x->last_write.held;
	if (held)
		__builtin_prefetch(&p->sections.section[p->held.at[held].section]);
}

ENGINE void fetch_ahead(const struct snag_order_rules *rules, struct snag_predictive *p,
			const struct snag_batch *batch, size_t i)
{
	bool has_conflicts = rules->sections == SNAG_CONFLICTING;
	const struct snag_event *ev = event_ahead(batch, i + FETCH_VARIABLE);
	if (ev && snag_op_is_access(ev->op))
		__builtin_prefetch(&p->x[ev->target]);
	ev = event_ahead(batch, i + FETCH_CONFLICT);
	uint32_t seat = ev ? snag_seat(&p->pool.seats, ev->thread) : SNAG_NO_SEAT;
	if (seat != SNAG_NO_SEAT && snag_op_is_access(ev->op)) {
		const struct snag_predictive_variable *x = &p->x[ev->target];
		if (has_conflicts)
			conflicts_fetch(p, &p->thread[seat], &x->conflicts,
					&p->ahead[(i + FETCH_CONFLICT) % SNAG_AHEAD]);
		else
			__builtin_prefetch(&p->held.at[x->last_write.held]);
		if (rules->disjoint_locksets)
			snag_history_fetch(&p->histories, &x->history, seat);
	} else if (seat != SNAG_NO_SEAT && has_conflicts) {
		locks_ahead(&p->thread[seat], ev);
	}
	ev = event_ahead(batch, i + FETCH_SECTION);
	if (!ev || !snag_op_is_access(ev->op))
		return;
	if (!has_conflicts)
		held_fetch(p, &p->x[ev->target]);
	else if (!snag_order_hands_on(rules)) /* where it does, few are looked at */
		sections_fetch(p, &p->ahead[(i + FETCH_SECTION) % SNAG_AHEAD]);
}

#endif
