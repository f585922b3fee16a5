/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive.h - one engine for the orders that predict races
 *
 * Idea.   WCP, DC, SDP and WDP keep of the observed order only what other runs must keep
 *         too.  They differ in which critical sections of a lock are ordered, from the
 *         release to which event, and whether they include program order or compose with
 *         happens-before (struct snag_order_rules; the records stand in orders.c).
 *
 * State.  thread[t]   now: what is ordered before its next event (C_t).  A relation that
 *                     includes program order leaves out t's own entry; one that composes
 *                     with HB keeps it, and hb beside it (H_t).  The sections it holds, its
 *                     lockset, what it owes to the next branch (B_t).
 *         lock[l]     its holder, its last release (H_l, C_l), the filed sections
 *         atomic[x]   the same for the lock that atomic accesses of x are taken to hold
 *         x[v]        accesses to race with; conflicting sections by lock (L_l,x); what is
 *                     owed to the next read (B_t,x); its last write
 *
 * Rules.  [acquire]   composing: hb and now join those of the last release.
 *                     write_write_sections: if the acquire of an earlier section of the lock
 *                     is known through a write-write conflict (wrote), its release is owed
 *         [release]   now joins the releases of all sections of the lock whose acquire it
 *                     knows, and what is owed; the section's clock is hb, or now
 *         [fork] [join]  hard edges: now joins the other thread's hb, or now
 *         [read] [write] for each lock held, conflicting sections of other threads: now
 *                     joins their release, or it is owed to the next read or branch
 *         [branch]    now joins what is owed to it.  A branch depends on all earlier reads
 *                     of its thread; a precise set would pick from pending here.
 *         [atomic]    [acquire] [read] and/or [write] [release] of a lock of the variable
 *         Then a plain access is racy if some conflicting one is not ordered before it
 *         (.disjoint_locksets: and holds no common lock).
 *
 * Cost.   An access O(locks held that have not seen this variable in this section), and for
 *         relations with program order O(threads) each; a release O(log sections), or
 *         O(threads log sections); joins O(threads).
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, table 2 and section 5; Kini, Mathur and
 *         Viswanathan, PLDI 2017 (WCP); Roemer, Genç and Bond, PLDI 2018 (DC).
 */
#ifndef SNAG_DETECT_PREDICTIVE_H
#define SNAG_DETECT_PREDICTIVE_H

#include "base/memory.h"
#include "detect/access.h"
#include "detect/detector.h"
#include "detect/predictive_conflicts.h"
#include "order/history.h"
#include "order/lockset.h"

struct snag_order_rules {
	/* Which sections of one lock are ordered: with any conflict, or only if the later one
	 * reads what the earlier one wrote last. */
	enum { SNAG_CONFLICTING, SNAG_LAST_WRITE_READ } sections;
	/* The release of the first is ordered before what of the second: the access; the access
	 * unless both write, then the next read of its thread; or the next branch. */
	enum { SNAG_TO_ACCESS, SNAG_TO_ACCESS_OR_READ, SNAG_TO_BRANCH } to;
	bool includes_program_order;
	bool composes_with_hb;
	/* Also order the releases of sections whose acquires a write-write conflict orders. */
	bool write_write_sections;
	/* Accesses with a lock in common do not race. */
	bool disjoint_locksets;
};

/* What a release hands to a later acquire, when the relation composes with HB. */
struct snag_predictive_handover {
	struct snag_vclock *now;   /* of the relation, or NULL */
	struct snag_vclock *wrote; /* write_write_sections: the same */
};

struct snag_predictive_lock {
	uint32_t holder; /* the section that holds it alone, or 0 */
	uint32_t last;	 /* composing: the last released section, alone; or 0 */
	struct snag_predictive_handover alone;	/* by that release */
	struct snag_predictive_handover shared; /* by the shared releases since */
	struct snag_vclock *shared_hb;		/* of these; NULL: there are none */
	struct snag_run *run;
	size_t nruns, run_cap;
};

struct snag_predictive_thread {
	struct snag_vclock *now;
	struct snag_vclock *hb;	   /* composing */
	struct snag_vclock *wrote; /* write_write_sections: what write-write conflicts order
				    * before its next event */
	uint32_t innermost;	   /* of the sections it holds, or 0 */
	uint32_t state;		   /* another number whenever the sections it holds change */
	snag_lockset lockset;
	uint32_t *pending; /* to branch: sections whose release is owed, one per thread */
	size_t npending, pending_cap;
};

struct snag_predictive_variable {
	union {
		struct snag_access_state access;
		struct snag_history history;
	};
	struct snag_conflicts conflicts;
	uint32_t owed; /* to the next read of a thread: a list of nodes; 0: none */
	struct {
		snag_tid thread;
		uint32_t time; /* event + 1; 0: never */
		uint32_t seen; /* state of the thread that read it last */
	} last_write;
};

struct snag_owed_node {
	snag_tid thread; /* whose next read */
	uint32_t section;
	uint32_t next;
};

struct snag_predictive {
	const struct snag_detector_env *env;
	struct snag_vclock_pool pool;
	struct snag_sections sections;
	struct snag_frontier_pool frontiers;
	struct snag_locksets locksets;
	struct snag_conflict_tables conflicts;
	struct snag_conflict_nodes nodes;
	struct snag_owed_node *owed; /* owed[0] is not used */
	size_t nowed, owed_cap;
	uint32_t unused_owed;
	uint32_t states; /* numbers given to thread states */
	size_t nfiled;
	size_t file_minimum, file_limit; /* so many are not worth trimming */

	struct snag_predictive_thread *thread;
	size_t nthreads, thread_cap;
	struct snag_predictive_lock *lock;
	size_t lock_cap;
	struct snag_predictive_lock *atomic; /* by variable */
	size_t atomic_cap;
	struct snag_predictive_variable *x;
	size_t nx, x_cap;
};

void *snag_predictive_open(const struct snag_detector_env *env);
void snag_predictive_close(struct snag_predictive *p, const struct snag_order_rules *rules);
void snag_predictive_reserve(struct snag_predictive *p, const struct snag_batch *batch);

/* The slower parts, not specialised. */
void snag_predictive_owe_read(struct snag_predictive *p, struct snag_predictive_variable *x,
			      snag_tid thread, uint32_t section);
void snag_predictive_take_owed(struct snag_predictive *p, struct snag_predictive_variable *x,
			       snag_tid thread);
void snag_predictive_owe_branch(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t section);
/* Composing: the shared releases of a lock since the last that was alone. */
void snag_predictive_add_shared(struct snag_predictive *p, struct snag_predictive_lock *l,
				snag_tid thread, uint32_t time);
void snag_predictive_forget_shared(struct snag_predictive *p, struct snag_predictive_lock *l);
void snag_predictive_file(struct snag_predictive *p, struct snag_predictive_lock *l,
			  uint32_t section, bool by_thread);

/* Between batches: forgets sections that can no longer matter.  `now`: the next event. */
void snag_predictive_trim(struct snag_predictive *p, const struct snag_order_rules *rules,
			  uint32_t now);

#define ENGINE static inline __attribute__((always_inline))

/* ---- taking in ---- */

ENGINE bool section_known(const struct snag_vclock *clock, const struct snag_section *s)
{
	return snag_vclock_get(clock, s->thread) > s->release;
}

/* The clock learns of a release.  Returns whether that was news. */
ENGINE bool section_join(struct snag_predictive *p, struct snag_vclock **clock, uint32_t number)
{
	const struct snag_section *s = &p->sections.section[number];
	if (__builtin_expect(section_known(*clock, s), 1))
		return false;
	snag_vclock_join(&p->pool, clock, p->sections.rest[number].clock, s->thread,
			 s->release + 1);
	return true;
}

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

/* ---- sections ---- */

/* A clock may end here: the sections that are open export something. */
ENGINE void sections_export(struct snag_predictive *p, const struct snag_predictive_thread *t)
{
	struct snag_section_rest *rest = p->sections.rest;
	for (uint32_t i = t->innermost; i && !rest[i].exports; i = rest[i].outer)
		rest[i].exports = true;
}

ENGINE uint32_t section_open(struct snag_predictive *p, struct snag_predictive_thread *t,
			     snag_tid thread, uint32_t event, uint32_t lock, bool is_shared)
{
	uint32_t number = snag_section_new(&p->sections);
	struct snag_section_rest *rest = p->sections.rest;
	p->sections.section[number].thread = thread;
	p->sections.section[number].acquire = event;
	rest[number].lock = lock;
	rest[number].is_shared = is_shared;
	rest[number].outer = t->innermost;
	if (t->innermost)
		rest[t->innermost].inner = number;
	t->innermost = number;
	t->state = ++p->states;
	return number;
}

ENGINE void section_unlink(struct snag_predictive *p, struct snag_predictive_thread *t,
			   uint32_t number)
{
	struct snag_section_rest *rest = p->sections.rest, *s = &rest[number];
	if (t->innermost == number)
		t->innermost = s->outer;
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
		const struct snag_run *run = &l->run[i];
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
	while (runs_join(p, l, s->is_shared, &t->now, &t->now) && l->nruns > 1)
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
	sections_export(p, t);
	if (s->exports || rules->write_write_sections)
		snag_predictive_file(p, l, number, !rules->composes_with_hb || s->is_shared);
}

/* ---- locks ---- */

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
	uint32_t number = section_open(p, t, ev->thread, event, lock, is_shared);
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
		snag_section_set(&p->sections, &p->pool, &l->last, number);
		clock_set(p, &l->alone.now, t->now);
		if (rules->write_write_sections)
			clock_set(p, &l->alone.wrote, t->wrote);
		if (l->shared_hb)
			snag_predictive_forget_shared(p, l); /* the holder has taken it in */
	}
	snag_section_drop(&p->sections, &p->pool, number);
}

ENGINE void shared_release(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_event *ev, uint32_t event,
			   struct snag_predictive_lock *l)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	uint32_t number = t->innermost;
	while (p->sections.rest[number].lock != ev->target)
		number = p->sections.rest[number].outer;
	section_close(rules, p, t, l, number, event);
	if (rules->composes_with_hb)
		snag_predictive_add_shared(p, l, ev->thread, event + 1);
	snag_section_drop(&p->sections, &p->pool, number);
}

/* ---- conflicts ---- */

struct snag_step { /* one access, at one of the locks held */
	struct snag_predictive_thread *t;
	struct snag_predictive_variable *x;
	snag_tid thread;
	uint32_t section; /* of this thread */
	bool is_shared;
};

ENGINE bool is_of_other(const struct snag_predictive *p, const struct snag_step *step,
			uint32_t section)
{
	return section && p->sections.section[section].thread != step->thread;
}

/* The release of another's section is before this access, by a conflict. */
ENGINE void conflict(const struct snag_order_rules *rules, struct snag_predictive *p,
		     const struct snag_step *step, uint32_t section, bool both_write)
{
	if (!is_of_other(p, step, section))
		return;
	if (rules->to == SNAG_TO_ACCESS_OR_READ && both_write) {
		if (!section_known(step->t->now, &p->sections.section[section]))
			snag_predictive_owe_read(p, step->x, step->thread, section);
		if (rules->write_write_sections)
			section_join(p, &step->t->wrote, section);
	} else {
		section_join(p, &step->t->now, section);
	}
}

ENGINE void section_put(struct snag_predictive *p, uint32_t *to, uint32_t section)
{
	snag_section_set(&p->sections, &p->pool, to, section);
}

/* The further sections: those that hold the lock alone, or all. */
ENGINE void more_conflict(const struct snag_order_rules *rules, struct snag_predictive *p,
			  const struct snag_step *step, const struct snag_conflict *c,
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
ENGINE bool more_put(struct snag_predictive *p, const struct snag_step *step,
		     struct snag_conflict *c, bool is_write)
{
	for (uint32_t i = c->more; i; i = p->nodes.node[i].next) {
		struct snag_conflict_node *node = &p->nodes.node[i];
		if (node->section == step->section && node->is_write == is_write)
			return true;
		const struct snag_section *s = &p->sections.section[node->section];
		if (s->thread == step->thread && node->is_write == is_write &&
		    p->sections.rest[node->section].is_shared == step->is_shared) {
			section_put(p, &node->section, step->section);
			return false;
		}
	}
	uint32_t number = snag_conflict_node_new(&p->nodes);
	p->nodes.node[number] = (struct snag_conflict_node){
		snag_section_share(&p->sections, step->section), c->more, is_write};
	c->more = number;
	return false;
}

/* Forgets the further sections, but where told so the reads of this thread. */
ENGINE void more_clear(struct snag_predictive *p, const struct snag_step *step,
		       struct snag_conflict *c, bool keeps_own_reads)
{
	for (uint32_t *link = &c->more; *link;) {
		uint32_t number = *link;
		struct snag_conflict_node *node = &p->nodes.node[number];
		if (keeps_own_reads && !node->is_write && !is_of_other(p, step, node->section)) {
			link = &node->next;
			continue;
		}
		snag_section_drop(&p->sections, &p->pool, node->section);
		*link = node->next;
		node->next = p->nodes.unused;
		p->nodes.unused = number;
	}
}

ENGINE bool write_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			    const struct snag_step *step, struct snag_conflict *c)
{
	if (c->write == step->section)
		return true;
	if (rules->sections == SNAG_CONFLICTING) {
		conflict(rules, p, step, c->write, true);
		conflict(rules, p, step, c->read[0], false);
		conflict(rules, p, step, c->read[1], false);
		more_conflict(rules, p, step, c, true);
	}
	if (step->is_shared)
		return more_put(p, step, c, true);
	/* Who conflicts with a read of this thread must learn of it from that read where
	 * a write-write conflict would not tell. */
	bool keeps_own_reads = rules->to == SNAG_TO_ACCESS_OR_READ;
	for (int i = 0; i < 2; i++)
		if (!keeps_own_reads || is_of_other(p, step, c->read[i]))
			section_put(p, &c->read[i], 0);
	if (c->more)
		more_clear(p, step, c, keeps_own_reads);
	section_put(p, &c->write, step->section);
	return false;
}

ENGINE bool reader_put(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_step *step, struct snag_conflict *c)
{
	if (step->is_shared)
		return more_put(p, step, c, false);
	if (rules->composes_with_hb) {
		if (is_of_other(p, step, c->read[0]))
			section_put(p, &c->read[1], c->read[0]);
		section_put(p, &c->read[0], step->section);
		return false;
	}
	for (int i = 0; i < 2; i++) {
		const struct snag_section *s = &p->sections.section[c->read[i]];
		if (!c->read[i] || s->thread == step->thread || section_known(step->t->now, s)) {
			section_put(p, &c->read[i], step->section);
			return false;
		}
	}
	return more_put(p, step, c, false);
}

ENGINE bool read_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			   const struct snag_step *step, struct snag_conflict *c)
{
	bool write_counts_as_read = rules->to == SNAG_TO_ACCESS;
	if ((c->write == step->section && write_counts_as_read) || c->read[0] == step->section ||
	    c->read[1] == step->section)
		return true;
	conflict(rules, p, step, c->write, false);
	if (c->more)
		more_conflict(rules, p, step, c, false);
	return reader_put(rules, p, step, c);
}

/* Does this section contain the variable's last write, by another thread? */
ENGINE bool contains_last_write(const struct snag_predictive *p, const struct snag_step *step,
				uint32_t number)
{
	const struct snag_section *s = &p->sections.section[number];
	uint32_t event = step->x->last_write.time - 1;
	return number && s->thread == step->x->last_write.thread && s->acquire <= event &&
	       event <= s->release && !(step->is_shared && p->sections.rest[number].is_shared);
}

ENGINE void last_write_conflicts(struct snag_predictive *p, const struct snag_step *step,
				 const struct snag_conflict *c)
{
	uint32_t found = contains_last_write(p, step, c->write) ? c->write : 0;
	for (uint32_t i = c->more; i && !found; i = p->nodes.node[i].next)
		if (contains_last_write(p, step, p->nodes.node[i].section))
			found = p->nodes.node[i].section;
	if (found && !section_known(step->t->now, &p->sections.section[found]))
		snag_predictive_owe_branch(p, step->t, found);
}

/* Sections are visited from the innermost; once one has seen such an access, so have those
 * around it, which were open then. */
ENGINE void access_conflicts(const struct snag_order_rules *rules, struct snag_predictive *p,
			     const struct snag_event *ev, bool is_write)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_step step = {t, &p->x[ev->target], ev->thread};
	bool done = false;
	for (uint32_t i = t->innermost; i && !done; i = p->sections.rest[i].outer) {
		uint32_t lock = p->sections.rest[i].lock;
		step.section = i;
		step.is_shared = p->sections.rest[i].is_shared;
		if (rules->sections == SNAG_LAST_WRITE_READ && !is_write) {
			struct snag_conflict *c =
				snag_conflict_find(&p->conflicts, &step.x->conflicts, lock);
			if (c)
				last_write_conflicts(p, &step, c);
			continue;
		}
		struct snag_conflict *c =
			snag_conflict_get(&p->conflicts, &step.x->conflicts, lock);
		done = is_write ? write_conflicts(rules, p, &step, c)
				: read_conflicts(rules, p, &step, c);
	}
}

/* ---- events ---- */

ENGINE void read_orders(const struct snag_order_rules *rules, struct snag_predictive *p,
			const struct snag_event *ev)
{
	struct snag_predictive_variable *x = &p->x[ev->target];
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	if (rules->to == SNAG_TO_ACCESS_OR_READ && x->owed)
		snag_predictive_take_owed(p, x, ev->thread);
	if (rules->sections == SNAG_LAST_WRITE_READ) {
		if (!t->innermost || x->last_write.time == 0 ||
		    x->last_write.thread == ev->thread || x->last_write.seen == t->state)
			return;
		x->last_write.seen = t->state;
	}
	access_conflicts(rules, p, ev, false);
}

ENGINE void write_orders(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event)
{
	access_conflicts(rules, p, ev, true);
	if (rules->sections == SNAG_LAST_WRITE_READ) {
		struct snag_predictive_variable *x = &p->x[ev->target];
		x->last_write.thread = ev->thread;
		x->last_write.time = event + 1;
		x->last_write.seen = 0;
	}
}

ENGINE void plain_access(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event, bool is_write)
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	struct snag_predictive_variable *x = &p->x[ev->target];
	bool is_racy;
	if (is_write)
		write_orders(rules, p, ev, event);
	else
		read_orders(rules, p, ev);
	if (rules->disjoint_locksets)
		is_racy = snag_history_access(
			&x->history, &p->locksets, t->now,
			(struct snag_history_entry){ev->thread, event + 1, t->lockset, is_write});
	else if (is_write)
		is_racy =
			snag_access_write(&p->frontiers, &x->access, t->now, ev->thread, event + 1);
	else
		is_racy =
			snag_access_read(&p->frontiers, &x->access, t->now, ev->thread, event + 1);
	if (is_racy)
		p->env->on_racy(p->env->ctx, ev, event, 0, t->now, &p->pool);
}

ENGINE void branch_event(struct snag_predictive *p, const struct snag_event *ev) /* [branch] */
{
	struct snag_predictive_thread *t = &p->thread[ev->thread];
	for (size_t i = 0; i < t->npending; i++) {
		section_join(p, &t->now, t->pending[i]);
		snag_section_drop(&p->sections, &p->pool, t->pending[i]);
	}
	t->npending = 0;
}

ENGINE void atomic_event(const struct snag_order_rules *rules, struct snag_predictive *p,
			 const struct snag_event *ev, uint32_t event) /* [atomic] */
{
	lock_acquire(rules, p, ev, event, &p->atomic[ev->target], SNAG_ATOMIC_LOCK, false);
	if (ev->op != SNAG_OP_ATOMIC_WRITE)
		read_orders(rules, p, ev);
	if (ev->op != SNAG_OP_ATOMIC_READ)
		write_orders(rules, p, ev, event);
	lock_release(rules, p, ev, event, &p->atomic[ev->target]);
}

ENGINE void fork_event(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_event *ev, uint32_t event) /* [fork] */
{
	struct snag_predictive_thread *t = &p->thread[ev->thread], *u = &p->thread[ev->target];
	struct snag_vclock *known = handed_on(rules, t);
	sections_export(p, t);
	snag_vclock_join(&p->pool, &u->now, known, ev->thread, event + 1);
	if (rules->composes_with_hb)
		snag_vclock_join(&p->pool, &u->hb, known, ev->thread, event + 1);
	if (rules->write_write_sections)
		clock_join(p, &u->wrote, t->wrote);
}

ENGINE void join_event(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_event *ev, uint32_t event) /* [join] */
{
	struct snag_predictive_thread *t = &p->thread[ev->thread], *u = &p->thread[ev->target];
	struct snag_vclock *known = handed_on(rules, u);
	snag_vclock_join(&p->pool, &t->now, known, ev->target, event);
	if (rules->composes_with_hb)
		snag_vclock_join(&p->pool, &t->hb, known, ev->target, event);
	if (rules->write_write_sections)
		clock_join(p, &t->wrote, u->wrote);
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

/* ---- the loop ---- */

/* Most of the time goes into waiting for memory.  Events to come are known, so what they will
 * look at is fetched in three steps, each of which finds what the one before has fetched. */
enum { FETCH_VARIABLE = 18, FETCH_CONFLICT = 10, FETCH_SECTION = 5 };

ENGINE const struct snag_event *event_ahead(const struct snag_batch *batch, size_t i)
{
	return i < batch->n && snag_op_is_access(batch->ev[i].op) ? &batch->ev[i] : NULL;
}

/* Where the entry of the thread's innermost lock should be, or NULL. */
ENGINE const struct snag_conflict *conflict_ahead(const struct snag_predictive *p,
						  const struct snag_event *ev)
{
	const struct snag_conflicts *c = &p->x[ev->target].conflicts;
	uint32_t section = p->thread[ev->thread].innermost;
	if (!c->nslots || !section)
		return NULL;
	return p->conflicts.slot + c->first + snag_conflict_slot(c, p->sections.rest[section].lock);
}

ENGINE void fetch_ahead(const struct snag_order_rules *rules, const struct snag_predictive *p,
			const struct snag_batch *batch, size_t i)
{
	const struct snag_event *ev = event_ahead(batch, i + FETCH_VARIABLE);
	if (ev) {
		const struct snag_predictive_variable *x = &p->x[ev->target];
		__builtin_prefetch(x);
		__builtin_prefetch((const char *)(x + 1) - 1);
	}
	ev = event_ahead(batch, i + FETCH_CONFLICT);
	if (ev) {
		__builtin_prefetch(conflict_ahead(p, ev));
		if (rules->disjoint_locksets)
			snag_history_fetch(&p->x[ev->target].history, ev->thread);
	}
	ev = event_ahead(batch, i + FETCH_SECTION);
	const struct snag_conflict *c = ev ? conflict_ahead(p, ev) : NULL;
	if (c && c->lock != UINT32_MAX) {
		__builtin_prefetch(&p->sections.section[c->write]);
		__builtin_prefetch(&p->sections.section[c->read[0]]);
	}
}

ENGINE void engine_run(const struct snag_order_rules *rules, struct snag_predictive *p,
		       const struct snag_batch *batch)
{
	snag_predictive_trim(p, rules, (uint32_t)batch->first);
	snag_predictive_reserve(p, batch);
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		uint32_t event = (uint32_t)(batch->first + i);
		fetch_ahead(rules, p, batch, i);
		if (snag_op_is_access(ev->op))
			plain_access(rules, p, ev, event, ev->op == SNAG_OP_WRITE);
		else if (ev->op == SNAG_OP_BRANCH && rules->to == SNAG_TO_BRANCH)
			branch_event(p, ev);
		else if (!(ev->flags & SNAG_NESTED))
			sync_event(rules, p, ev, event);
	}
}

#endif
