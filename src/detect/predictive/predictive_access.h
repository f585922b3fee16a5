/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_access.h - [read] [write]: which conflicting sections an access is ordered after
 *
 * For each held lock, the access joins or owes what predictive_conflicts.h keeps of the sections
 * of other threads, as the rules say.  Then this section replaces them there.
 */
#ifndef SNAG_DETECT_PREDICTIVE_ACCESS_H
#define SNAG_DETECT_PREDICTIVE_ACCESS_H

#include "detect/predictive/predictive_deep.h"

/* Part of a loop that is compiled once for each record of rules. */
#define ENGINE static inline __attribute__((always_inline))

ENGINE bool section_known(const struct snag_vclock *clock, const struct snag_section *s)
{
	return snag_vclock_get(clock, s->thread) > s->release;
}

/* Adds a release to the clock.  Returns whether that was new. */
ENGINE bool section_join(struct snag_predictive *p, struct snag_vclock **clock, uint32_t number)
{
	const struct snag_section *s = &p->sections.section[number];
	if (__builtin_expect(section_known(*clock, s), 1))
		return false;
	snag_vclock_join(&p->pool, clock, p->sections.rest[number].clock, s->thread,
			 s->release + 1);
	return true;
}

struct snag_locked_access { /* one access, at one of the locks held */
	struct snag_predictive_thread *t;
	struct snag_predictive_variable *x;
	snag_tid thread;
	uint32_t section; /* of this thread */
	bool is_shared;
	struct snag_predictive_lock *l; /* the lock of the section */
};

ENGINE bool is_of_other(const struct snag_predictive *p, const struct snag_locked_access *step,
			uint32_t section)
{
	return section && p->sections.section[section].thread != step->thread;
}

/* A conflict orders the release of another thread's section before this access. */
ENGINE void conflict(const struct snag_order_rules *rules, struct snag_predictive *p,
		     const struct snag_locked_access *step, uint32_t section, bool both_write)
{
	if (!is_of_other(p, step, section))
		return;
	if (rules->to == SNAG_TO_ACCESS_OR_READ && both_write) {
		if (!section_known(step->t->now, &p->sections.section[section]))
			snag_predictive_owe_read(p, step->x, step->t, section);
		if (rules->write_write_sections)
			section_join(p, &step->t->wrote, section);
	} else {
		section_join(p, &step->t->now, section);
	}
}

/* Composing: what follows the release of a section of the lock also follows those of all earlier
 * ones, and a thread that takes a lock learns what its last holder knew.  So later holders need
 * not examine what one holder knows.  (This does not mean that they know it by a write-write
 * conflict.) */
ENGINE bool is_known_to_holders(const struct snag_order_rules *rules,
				const struct snag_locked_access *step, uint32_t section)
{
	return snag_order_hands_on(rules) && section <= step->l->known;
}

/* The same for a section that held the lock alone. */
ENGINE void alone_conflict(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_locked_access *step, uint32_t section, bool both_write)
{
	if (is_known_to_holders(rules, step, section) || !is_of_other(p, step, section))
		return;
	conflict(rules, p, step, section, both_write);
	if (snag_order_hands_on(rules) && !step->is_shared &&
	    section_known(step->t->now, &p->sections.section[section]))
		step->l->known = section;
}

/* The further sections: those that hold the lock alone, or all. */
ENGINE void more_conflict(const struct snag_order_rules *rules, struct snag_predictive *p,
			  const struct snag_locked_access *step, const struct snag_conflict *c,
			  bool is_write)
{
	for (uint32_t i = c->more; i; i = p->nodes.node[i].next) {
		const struct snag_conflict_node *node = &p->nodes.node[i];
		if (step->is_shared && p->sections.rest[node->section].is_shared)
			continue;
		if (is_write || node->is_write)
			conflict(rules, p, step, node->section, is_write && node->is_write);
	}
}

/* Keeps one further section per thread and kind.  Returns whether it was there. */
ENGINE bool more_put(struct snag_predictive *p, const struct snag_locked_access *step,
		     struct snag_conflict *c, bool is_write)
{
	for (uint32_t i = c->more; i; i = p->nodes.node[i].next) {
		struct snag_conflict_node *node = &p->nodes.node[i];
		if (node->section == step->section && node->is_write == is_write)
			return true;
		const struct snag_section *s = &p->sections.section[node->section];
		if (s->thread == step->thread && node->is_write == is_write &&
		    p->sections.rest[node->section].is_shared == step->is_shared) {
			node->section = step->section;
			return false;
		}
	}
	uint32_t number = snag_conflict_node_new(&p->nodes);
	p->nodes.node[number] = (struct snag_conflict_node){step->section, c->more, is_write};
	c->more = number;
	return false;
}

/* Forgets the further sections; if told so, except the reads of this thread. */
ENGINE void more_clear(struct snag_predictive *p, const struct snag_locked_access *step,
		       struct snag_conflict *c, bool keeps_own_reads)
{
	for (uint32_t *link = &c->more; *link;) {
		uint32_t number = *link;
		struct snag_conflict_node *node = &p->nodes.node[number];
		if (keeps_own_reads && !node->is_write && !is_of_other(p, step, node->section)) {
			link = &node->next;
			continue;
		}
		*link = node->next;
		node->next = p->nodes.unused;
		p->nodes.unused = number;
	}
}

ENGINE bool write_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			    const struct snag_locked_access *step, struct snag_conflict *c)
{
	if (c->write == step->section)
		return true;
	alone_conflict(rules, p, step, c->read[0], false); /* the last one first */
	alone_conflict(rules, p, step, c->read[1], false);
	alone_conflict(rules, p, step, c->write, true);
	more_conflict(rules, p, step, c, true);
	if (step->is_shared)
		return more_put(p, step, c, true);
	/* An access that conflicts with a read of this thread must learn of it from that read,
	 * where a write-write conflict would not say so. */
	bool keeps_own_reads = rules->to == SNAG_TO_ACCESS_OR_READ;
	for (int i = 0; i < 2; i++)
		if (!keeps_own_reads || is_known_to_holders(rules, step, c->read[i]) ||
		    is_of_other(p, step, c->read[i]))
			c->read[i] = 0;
	if (c->more)
		more_clear(p, step, c, keeps_own_reads);
	c->write = step->section;
	return false;
}

ENGINE bool reader_put(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_locked_access *step, struct snag_conflict *c)
{
	if (step->is_shared)
		return more_put(p, step, c, false);
	if (!rules->includes_program_order) {
		if (!is_known_to_holders(rules, step, c->read[0]) &&
		    is_of_other(p, step, c->read[0]))
			c->read[1] = c->read[0];
		c->read[0] = step->section;
		return false;
	}
	for (int i = 0; i < 2; i++) {
		const struct snag_section *s = &p->sections.section[c->read[i]];
		if (!c->read[i] || s->thread == step->thread || section_known(step->t->now, s)) {
			c->read[i] = step->section;
			return false;
		}
	}
	return more_put(p, step, c, false);
}

ENGINE bool read_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_locked_access *step, struct snag_conflict *c)
{
	bool write_counts_as_read = rules->to == SNAG_TO_ACCESS;
	if ((c->write == step->section && write_counts_as_read) || c->read[0] == step->section ||
	    c->read[1] == step->section)
		return true;
	alone_conflict(rules, p, step, c->write, false);
	if (c->more)
		more_conflict(rules, p, step, c, false);
	return reader_put(rules, p, step, c);
}

/* Whether the thread holds the lock of another's section, not both shared. */
ENGINE bool holds_too(const struct snag_predictive *p, const struct snag_predictive_thread *t,
		      const struct snag_event *ev, uint32_t section)
{
	uint32_t lock = p->sections.section[section].lock;
	const struct snag_predictive_lock *l =
		lock == SNAG_ATOMIC_LOCK ? &p->atomic[ev->target] : &p->lock[lock];
	if (l->holder)
		return p->sections.section[l->holder].thread == ev->thread;
	if (!t->nshared || p->sections.rest[section].is_shared)
		return false;
	for (uint32_t i = t->innermost; i; i = p->sections.rest[i].outer)
		if (p->sections.section[i].lock == lock)
			return true;
	return false;
}

/* A thread that reads the last write is owed, at a branch, the release of each section of the
 * write whose lock is also held at the read. */
ENGINE void last_write_orders(struct snag_predictive *p, const struct snag_event *ev)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_predictive_variable *x = &p->x[ev->target];
	for (uint32_t i = x->last_write.held; i; i = p->held.at[i].below) {
		uint32_t section = p->held.at[i].section;
		if (!section_known(t->now, &p->sections.section[section]) &&
		    holds_too(p, t, ev, section))
			snag_predictive_owe_branch(p, x, t, section);
	}
}

/* Sections are visited from the innermost.  Once one has seen such an access, the sections
 * around it have too, because they were open then. */
ENGINE void access_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			     const struct snag_event *ev, uint32_t event, bool is_write)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_locked_access step = {t, &p->x[ev->target], ev->thread};
	bool done = false;
	for (uint32_t i = t->innermost; i && !done; i = p->sections.rest[i].outer) {
		uint32_t lock = p->sections.section[i].lock;
		step.section = i;
		step.is_shared = p->sections.rest[i].is_shared;
		step.l = lock == SNAG_ATOMIC_LOCK ? &p->atomic[ev->target] : &p->lock[lock];
		struct snag_conflict *c =
			snag_conflict_get(&p->conflicts, &step.x->conflicts, lock);
		done = is_write ? write_conflicts(rules, p, &step, c)
				: read_conflicts(rules, p, &step, c);
	}
	if (__builtin_expect(t->deep || step.x->deep, 0))
		snag_predictive_deep_access(rules, p, ev, event, is_write);
}

#endif
