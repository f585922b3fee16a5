/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_races.c - [race] the accesses of a race are ordered as two sections would be
 *
 * Idea.   With env->order_races, each access of a race counts as a critical section of its own,
 *         of a lock that only this race has.  The rules of the relation then say what follows:
 *         conflicting sections are ordered to the access, to the next read, or to the next
 *         branch.  Within such a section there is nothing but the access, so the rule about
 *         releases adds nothing.
 * Rules.  e1, e2 race, e1 first.
 *         composing    e1 is HB-before e2
 *         to access    e1 is before e2
 *         to access or read
 *                      e1 is before e2 unless both write; both write: e1 is before the next read
 *                      of the variable by e2's thread, and what is before e1 is before e2, as e1
 *                      is HB-before it; write_write_sections: wrote learns e1
 *         to branch    if e2 reads what e1 wrote, e1 is before the branches that depend on e2
 *         An access that may race later is in use as a clock (raced.h).  So it exports the
 *         sections it is in, as a fork would.
 * Cost.   raced.h.
 */
#include "detect/predictive/predictive_engine.h"

#define RACE_LOCK (UINT32_MAX - 2)

/* The access as a section. */
static uint32_t section_of(struct snag_predictive *p, const struct snag_raced_access *e)
{
	uint32_t number = snag_section_new(&p->sections);
	p->sections.section[number] =
		(struct snag_section){e->thread, e->time - 1, e->time - 1, RACE_LOCK};
	p->sections.rest[number] = (struct snag_section_rest){.clock = snag_vclock_share(e->clock)};
	return number;
}

/* Returns whether the thread owes this access, or a later one of its thread, to its next read.
 * An earlier one gives way to it. */
static bool owes(struct snag_predictive *p, const struct snag_predictive_variable *x,
		 const struct snag_predictive_thread *t, const struct snag_raced_access *e)
{
	for (uint32_t i = x->owed; i; i = p->owed[i].next) {
		const struct snag_section *s = &p->sections.section[p->owed[i].section];
		if (p->owed[i].who != t->who || s->lock != RACE_LOCK || s->thread != e->thread)
			continue;
		if (s->release < e->time - 1)
			p->owed[i].section = section_of(p, e);
		return true;
	}
	return false;
}

static void order(struct snag_predictive *p, const struct snag_order_rules *rules,
		  const struct snag_event *ev, const struct snag_raced_access *e)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_predictive_variable *x = &p->x[ev->target];
	bool both_write = e->is_write && ev->op == SNAG_OP_WRITE;
	if (rules->composes_with_hb)
		snag_vclock_join(&p->pool, &t->hb, e->clock, e->thread, e->time);
	if (rules->to == SNAG_TO_BRANCH) {
		if (x->last_write.time == e->time) /* not if e2 writes: then it is the last */
			snag_predictive_owe_branch(p, x, t, section_of(p, e));
		return;
	}
	if (rules->to == SNAG_TO_ACCESS_OR_READ && both_write) {
		if (!owes(p, x, t, e))
			snag_predictive_owe(p, x, t, section_of(p, e));
		clock_join(p, &t->now, e->now);
		if (rules->write_write_sections)
			snag_vclock_join(&p->pool, &t->wrote, e->clock, e->thread, e->time);
		return;
	}
	snag_vclock_join(&p->pool, &t->now, e->clock, e->thread, e->time);
}

void snag_predictive_order_races(struct snag_predictive *p, const struct snag_order_rules *rules,
				 const struct snag_event *ev, snag_tid thread, uint32_t event)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_vclock *before = snag_vclock_share(t->now);
	struct snag_raced *x = &p->raced[ev->target];
	struct snag_raced_access new = {.thread = ev->thread,
					.time = event + 1,
					.locks = rules->disjoint_locksets ? t->lockset : 0,
					.is_write = ev->op == SNAG_OP_WRITE};
	bool is_racy = false;
	for (uint32_t i = 0; i < x->n; i++)
		if (snag_raced_with(&p->locksets, &x->at[i], &new, before)) {
			order(p, rules, ev, &x->at[i]);
			is_racy = true;
		}
	if (is_racy) {
		struct snag_event of_thread = *ev;
		of_thread.thread = thread;
		p->env->on_racy(p->env->ctx, &of_thread, event, 0, before, &p->pool);
	}
	snag_vclock_drop(&p->pool, before);
	sections_export(p, t);
	new.clock = handed_on(rules, t);
	if (rules->to == SNAG_TO_ACCESS_OR_READ)
		new.now = t->now;
	snag_raced_add(x, &p->pool, &p->locksets, &new, t->now,
		       rules->to != SNAG_TO_ACCESS_OR_READ);
}
