/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive.c - one engine for the orders that predict races: what need not be specialised
 */
#include "detect/predictive/predictive.h"

#include "base/memory.h"
#include "detect/predictive/predictive_access.h"

#include <string.h>

enum { MAX_DIRECT = 16 };

void *snag_predictive_open(const struct snag_detector_env *env)
{
	struct snag_predictive *p = snag_calloc(1, sizeof(*p));
	p->env = env;
	p->nowed = 1;
	p->section_limit = SNAG_SECTIONS_FEW;
	p->max_direct = MAX_DIRECT;
	snag_vclock_pool_init(&p->pool);
	snag_sections_init(&p->sections);
	snag_frontier_pool_init(&p->frontiers);
	snag_locksets_init(&p->locksets);
	snag_histories_init(&p->histories, &p->locksets);
	return p;
}

static void locks_free(struct snag_predictive *p, struct snag_predictive_lock *lock, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		snag_vclock_drop(&p->pool, lock[i].alone.now);
		snag_vclock_drop(&p->pool, lock[i].alone.wrote);
		if (lock[i].shared_hb)
			snag_predictive_forget_shared(p, &lock[i]);
		for (size_t k = 0; k < lock[i].nruns; k++)
			free(lock[i].run[k].at);
		free(lock[i].run);
		free(lock[i].deep.at);
	}
	free(lock);
}

void snag_predictive_end(struct snag_predictive *p, const struct snag_order_rules *rules)
{
	for (size_t i = 0; i < p->nthreads; i++) {
		snag_vclock_drop(&p->pool, p->thread[i].now);
		snag_vclock_drop(&p->pool, p->thread[i].hb);
		snag_vclock_drop(&p->pool, p->thread[i].wrote);
		free(p->thread[i].pending.at);
		free(p->thread[i].unnamed.at);
		free(p->thread[i].named);
	}
	free(p->thread);
	locks_free(p, p->lock, p->lock_cap);
	locks_free(p, p->atomic, p->atomic_cap);
	snag_huge_free(p->x, p->x_cap, sizeof(*p->x));
	snag_arrays_done(&p->conflicts, sizeof(struct snag_conflict));
	free(p->nodes.node);
	snag_huge_free(p->held.at, p->held.cap, sizeof(*p->held.at));
	free(p->held.seen);
	free(p->deep.at);
	free(p->owed);
	snag_raced_free(p->raced, p->raced_cap, &p->pool);
	snag_sections_done(&p->sections, &p->pool);
	snag_frontier_pool_done(&p->frontiers);
	snag_histories_done(&p->histories);
	snag_locksets_done(&p->locksets);
	*p = (struct snag_predictive){.env = p->env, .pool = p->pool, .has_ended = true};
}

void snag_predictive_close(struct snag_predictive *p, const struct snag_order_rules *rules)
{
	if (!p)
		return;
	if (!p->has_ended)
		snag_predictive_end(p, rules);
	snag_vclock_pool_done(&p->pool);
	free(p);
}

/* Forgets the locks of these sections and those around them, which no thread holds any more. */
static void locks_forget(struct snag_predictive *p, uint32_t innermost)
{
	for (uint32_t i = innermost; i; i = p->sections.rest[i].outer)
		if (p->lock[p->sections.section[i].lock].holder == i)
			p->lock[p->sections.section[i].lock].holder = 0;
}

void snag_predictive_reseat(struct snag_predictive *p, snag_tid seat, struct snag_vclock **ret_last,
			    struct snag_vclock *last)
{
	struct snag_predictive_thread *t = &p->thread[seat];
	*ret_last = snag_vclock_share(last);
	t->pending.n = t->unnamed.n = 0;
	t->nnamed = 0;
	t->names = false;
	t->who = UINT32_MAX - p->reseated++; /* seats count from the other end */
	snag_vclock_drop(&p->pool, t->now);
	snag_vclock_drop(&p->pool, t->hb);
	snag_vclock_drop(&p->pool, t->wrote);
	t->now = snag_vclock_share(p->pool.empty);
	t->hb = snag_vclock_share(p->pool.empty);
	t->wrote = snag_vclock_share(p->pool.empty);
	locks_forget(p, t->innermost); /* what it held it holds for ever */
	locks_forget(p, t->deep);
	t->innermost = t->nshared = t->ndirect = t->deep = t->ndeep = 0;
	snag_held_drop(&p->held, t->held);
	t->held = 0;
	t->held_is_stale = false;
	t->lockset = t->deep_locks = 0;
	t->state = ++p->states;
}

void snag_predictive_reserve(struct snag_predictive *p, const struct snag_batch *batch)
{
	size_t nthreads =
		snag_seats_reserve(&p->pool.seats, batch->counts.n[SNAG_SPACE_THREAD], batch->n);
	p->thread = snag_grow(p->thread, &p->thread_cap, nthreads, sizeof(*p->thread));
	for (; p->nthreads < nthreads; p->nthreads++) {
		struct snag_predictive_thread *t = &p->thread[p->nthreads];
		t->now = snag_vclock_share(p->pool.empty);
		t->hb = snag_vclock_share(p->pool.empty);
		t->wrote = snag_vclock_share(p->pool.empty);
		t->who = (uint32_t)p->nthreads;
	}
	p->lock = snag_grow(p->lock, &p->lock_cap, batch->counts.n[SNAG_SPACE_LOCK],
			    sizeof(*p->lock));
	size_t nx = batch->counts.n[SNAG_SPACE_VARIABLE];
	p->x = snag_huge_grow(p->x, &p->x_cap, nx, sizeof(*p->x));
	if (nx > p->nx) {
		memset(p->x + p->nx, 0, (nx - p->nx) * sizeof(*p->x));
		p->nx = nx;
	}
	if (p->env->order_races)
		p->raced = snag_grow(p->raced, &p->raced_cap, nx, sizeof(*p->raced));
}

static uint32_t owed_new(struct snag_predictive *p)
{
	uint32_t number = p->unused_owed;
	if (number) {
		p->unused_owed = p->owed[number].next;
	} else {
		number = (uint32_t)p->nowed++;
		p->owed = snag_grow(p->owed, &p->owed_cap, p->nowed, sizeof(*p->owed));
	}
	return number;
}

void snag_predictive_owe(struct snag_predictive *p, struct snag_predictive_variable *x,
			 const struct snag_predictive_thread *t, uint32_t section)
{
	uint32_t number = owed_new(p);
	p->owed[number] = (struct snag_owed_node){t->who, section, x->owed};
	x->owed = number;
}

void snag_predictive_owe_read(struct snag_predictive *p, struct snag_predictive_variable *x,
			      const struct snag_predictive_thread *t, uint32_t section)
{
	/* A later section of the same lock stands for an earlier one, unless both are shared. */
	const struct snag_section *s = &p->sections.section[section];
	bool is_shared = p->sections.rest[section].is_shared;
	for (uint32_t i = x->owed; i; i = p->owed[i].next) {
		const struct snag_section *other = &p->sections.section[p->owed[i].section];
		if (p->owed[i].who == t->who &&
		    (p->owed[i].section == section ||
		     (other->lock == s->lock && !is_shared && other->release < s->acquire))) {
			p->owed[i].section = section;
			return;
		}
	}
	snag_predictive_owe(p, x, t, section);
}

void snag_predictive_take_owed(struct snag_predictive *p, struct snag_predictive_variable *x,
			       struct snag_predictive_thread *t)
{
	for (uint32_t *link = &x->owed; *link;) {
		uint32_t number = *link;
		struct snag_owed_node *node = &p->owed[number];
		if (node->who != t->who) {
			link = &node->next;
			continue;
		}
		section_join(p, &t->now, node->section);
		*link = node->next;
		node->next = p->unused_owed;
		p->unused_owed = number;
	}
}

void snag_predictive_build_held(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t innermost)
{
	const struct snag_section_rest *rest = p->sections.rest;
	uint32_t i = innermost;
	while (i && rest[i].outer)
		i = rest[i].outer;
	for (; i; i = i == innermost ? 0 : rest[i].inner)
		t->held = snag_held_push(&p->held, t->held, i);
	t->held_is_stale = false;
}

/* The latest release of each thread stands for the earlier ones.  False: not among them yet. */
static bool owed_replace(const struct snag_predictive *p, uint32_t *owed, uint32_t section)
{
	const struct snag_section *s = &p->sections.section[section];
	const struct snag_section *other = &p->sections.section[*owed];
	if (other->thread != s->thread)
		return false;
	if (other->release < s->release)
		*owed = section;
	return true;
}

static void owe_named_branch(struct snag_predictive *p, struct snag_predictive_variable *x,
			     const struct snag_predictive_thread *t, uint32_t section)
{
	for (uint32_t i = x->owed; i; i = p->owed[i].next)
		if (p->owed[i].who == t->who && owed_replace(p, &p->owed[i].section, section))
			return;
	snag_predictive_owe(p, x, t, section);
}

static void sections_add(struct snag_predictive *p, struct snag_owed_sections *owed,
			 uint32_t section)
{
	for (size_t i = 0; i < owed->n; i++)
		if (owed_replace(p, &owed->at[i], section))
			return;
	owed->at = snag_grow(owed->at, &owed->cap, owed->n + 1, sizeof(*owed->at));
	owed->at[owed->n++] = section;
}

void snag_predictive_owe_branch(struct snag_predictive *p, struct snag_predictive_variable *x,
				struct snag_predictive_thread *t, uint32_t section)
{
	sections_add(p, t->names ? &t->unnamed : &t->pending, section);
	if (t->names)
		owe_named_branch(p, x, t, section);
}

void snag_predictive_take_sections(struct snag_predictive *p, struct snag_predictive_thread *t,
				   struct snag_owed_sections *owed)
{
	for (size_t i = 0; i < owed->n; i++)
		section_join(p, &t->now, owed->at[i]);
	owed->n = 0;
}

void snag_predictive_add_shared(struct snag_predictive *p, struct snag_predictive_lock *l,
				snag_tid thread, uint32_t time)
{
	const struct snag_predictive_thread *t = &p->thread[thread];
	if (!l->shared_hb) {
		l->shared_hb = snag_vclock_share(p->pool.empty);
		l->shared.now = snag_vclock_share(p->pool.empty);
		l->shared.wrote = snag_vclock_share(p->pool.empty);
	}
	snag_vclock_join(&p->pool, &l->shared_hb, t->hb, thread, time);
	snag_vclock_join(&p->pool, &l->shared.now, t->now, 0, 0);
	snag_vclock_join(&p->pool, &l->shared.wrote, t->wrote, 0, 0);
}

void snag_predictive_forget_shared(struct snag_predictive *p, struct snag_predictive_lock *l)
{
	snag_vclock_drop(&p->pool, l->shared_hb);
	snag_vclock_drop(&p->pool, l->shared.now);
	snag_vclock_drop(&p->pool, l->shared.wrote);
	l->shared_hb = l->shared.now = l->shared.wrote = NULL;
}

void snag_predictive_file(struct snag_predictive *p, struct snag_predictive_lock *l,
			  uint32_t section, bool by_thread)
{
	bool is_shared = p->sections.rest[section].is_shared;
	snag_tid thread = by_thread ? p->sections.section[section].thread : SNAG_RUN_ALL;
	size_t i = 0;
	while (i < l->nruns && (l->run[i].thread != thread || l->run[i].is_shared != is_shared))
		i++;
	if (i == l->nruns) {
		l->run = snag_grow(l->run, &l->run_cap, ++l->nruns, sizeof(*l->run));
		l->run[i] = (struct snag_section_run){.thread = thread, .is_shared = is_shared};
		l->has_shared_runs |= is_shared;
	}
	snag_run_file(&l->run[i], &p->sections, section);
}
