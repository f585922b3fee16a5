/* SPDX-License-Identifier: Apache-2.0
 *
 * partners_variable.c - the partners of all racy accesses to one variable
 */
#include "detect/partners/partners_variable.h"

#include "base/memory.h"

#define NONE UINT32_MAX

enum { FETCH_QUESTION = 16 };

struct snag_variable_chain {
	struct snag_variable_access first; /* what its accesses have in common, and the first */
	uint32_t begin, n;		   /* in event[] */
	uint32_t sibling;		   /* the next chain of the group, or NONE */
};

struct snag_variable_group {
	snag_lockset locks;
	uint32_t n;	  /* accesses */
	uint32_t first;	  /* chain */
	uint32_t sibling; /* the next group of its list, or NONE */
};

void snag_variable_partners_done(struct snag_variable_partners *v)
{
	free(v->chain);
	free(v->group);
	free(v->chain_of);
	free(v->event);
	snag_slots_done(&v->chains);
	snag_slots_done(&v->groups);
}

static inline uint64_t access_hash(const struct snag_variable_access *a)
{
	return snag_hash((uint64_t)a->loc << 32 | a->who, a->locks);
}

static uint64_t chain_hash(const void *ctx, uint32_t number)
{
	const struct snag_variable_partners *v = ctx;
	return access_hash(&v->chain[number].first);
}

static inline bool chain_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_variable_partners *v = ctx;
	const struct snag_variable_access *a = &v->chain[number].first, *b = key;
	return a->loc == b->loc && a->who == b->who && a->locks == b->locks;
}

static uint64_t group_hash(const void *ctx, uint32_t number)
{
	const struct snag_variable_partners *v = ctx;
	return snag_hash(v->group[number].locks, 0);
}

static inline bool group_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_variable_partners *v = ctx;
	return v->group[number].locks == *(const snag_lockset *)key;
}

static uint32_t chain_of(struct snag_variable_partners *v, const struct snag_variable_access *a)
{
	uint32_t number = snag_slots_find(&v->chains, access_hash(a), chain_equals, v, a);
	if (number != SNAG_SLOTS_NONE)
		return number;
	number = (uint32_t)v->nchains++;
	v->chain = snag_grow(v->chain, &v->chain_cap, v->nchains, sizeof(*v->chain));
	v->chain[number] = (struct snag_variable_chain){.first = *a, .sibling = NONE};
	snag_slots_add(&v->chains, number, chain_hash, v);
	return number;
}

static struct snag_variable_group *group_of(struct snag_variable_partners *v, snag_lockset locks)
{
	uint32_t number = snag_slots_find(&v->groups, snag_hash(locks, 0), group_equals, v, &locks);
	if (number != SNAG_SLOTS_NONE)
		return &v->group[number];
	number = (uint32_t)v->ngroups++;
	v->group = snag_grow(v->group, &v->group_cap, v->ngroups, sizeof(*v->group));
	v->group[number] = (struct snag_variable_group){locks, 0, NONE, NONE};
	snag_slots_add(&v->groups, number, group_hash, v);
	return &v->group[number];
}

static void chains_build(struct snag_variable_partners *v,
			 const struct snag_variable_access *access, size_t n)
{
	uint32_t at = 0;
	v->nchains = 0;
	snag_slots_reset(&v->chains, n);
	v->chain_of = snag_grow(v->chain_of, &v->chain_of_cap, n, sizeof(*v->chain_of));
	v->event = snag_grow(v->event, &v->event_cap, n, sizeof(*v->event));
	for (size_t i = 0; i < n; i++) {
		v->chain_of[i] = chain_of(v, &access[i]);
		v->chain[v->chain_of[i]].n++;
	}
	for (size_t i = 0; i < v->nchains; i++) {
		v->chain[i].begin = at;
		at += v->chain[i].n;
		v->chain[i].n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct snag_variable_chain *c = &v->chain[v->chain_of[i]];
		v->event[c->begin + c->n++] = access[i].event;
	}
}

/* By majority: locks of a group that outweighs all others win; any are right. */
static snag_lockset guard_find(const struct snag_variable_partners *v, struct snag_locksets *s)
{
	snag_lockset guard = 0;
	uint32_t lead = 0;
	for (size_t i = 0; i < v->ngroups; i++) {
		const struct snag_variable_group *g = &v->group[i];
		snag_lockset common = snag_lockset_common(s, guard, g->locks);
		if (common) {
			guard = common;
			lead += g->n;
		} else if (lead >= g->n) {
			lead -= g->n;
		} else { /* what two have in common is what counts: begin with all */
			guard = g->locks;
			lead = g->n - lead;
		}
	}
	return snag_lockset_common(s, guard, guard); /* those held alone */
}

static void groups_build(struct snag_variable_partners *v, struct snag_locksets *s)
{
	v->ngroups = 0;
	snag_slots_reset(&v->groups, v->nchains);
	for (uint32_t i = 0; i < v->nchains; i++) {
		struct snag_variable_group *g = group_of(v, v->chain[i].first.locks);
		v->chain[i].sibling = g->first;
		g->first = i;
		g->n += v->chain[i].n;
	}
	v->guard = guard_find(v, s);
	v->guarded = v->plain = NONE;
	for (uint32_t i = 0; i < v->ngroups; i++) {
		bool is_guarded = v->guard && snag_lockset_within(s, v->guard, v->group[i].locks);
		uint32_t *list = is_guarded ? &v->guarded : &v->plain;
		v->group[i].sibling = *list;
		*list = i;
	}
}

/* How many of the events are below the limit. */
static uint32_t below(const uint32_t *event, uint32_t n, uint32_t limit)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (event[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct asked {
	struct snag_partners *p;
	uint32_t variable;
	const struct snag_variable_access *access;
	const struct snag_vclock *before;
	uint32_t looked; /* at so many chains and groups */
};

static struct snag_site site_of(uint32_t event, uint32_t variable,
				const struct snag_variable_access *a)
{
	return (struct snag_site){.event = event,
				  .thread = a->who / 2,
				  .target = variable,
				  .loc = a->loc,
				  .op = a->who % 2 ? SNAG_OP_WRITE : SNAG_OP_READ};
}

static inline bool chain_answer(const struct snag_variable_partners *v,
				const struct snag_variable_chain *c, const struct asked *q)
{
	const uint32_t *event = v->event + c->begin;
	uint32_t thread = c->first.who / 2;
	if (thread == q->access->who / 2 || !((c->first.who | q->access->who) % 2) ||
	    event[0] > q->access->event)
		return true;
	uint32_t from = snag_vclock_of_thread(q->p->pool, q->before, thread);
	if (event[c->n - 1] < from)
		return true;
	uint32_t first = event[0] >= from ? 0 : below(event, c->n, from);
	uint32_t end = first + below(event + first, c->n - first, q->access->event);
	if (first == end)
		return true;
	struct snag_partners_found found = {
		.first = site_of(event[end - 1], q->variable, &c->first),
		.second = site_of(q->access->event, q->variable, q->access),
		.event = event + first,
		.n = end - first,
		.before = q->before,
		.pool = q->p->pool,
	};
	return q->p->handler(q->p->ctx, &found);
}

/* Returns whether the question goes on. */
static bool groups_answer(const struct snag_variable_partners *v, struct snag_locksets *s,
			  uint32_t list, struct asked *q)
{
	for (uint32_t g = list; g != NONE; g = v->group[g].sibling) {
		bool is_excluded = snag_lockset_excludes(s, v->group[g].locks, q->access->locks);
		uint32_t i = is_excluded ? NONE : v->group[g].first;
		bool may_look = snag_partners_may_look(q->p, q->looked++);
		for (; may_look && i != NONE; i = v->chain[i].sibling) {
			if (!chain_answer(v, &v->chain[i], q))
				return false;
			may_look = snag_partners_may_look(q->p, q->looked++);
		}
		if (!may_look) {
			q->p->on_cut(q->p->ctx, q->access->event);
			return false;
		}
	}
	return true;
}

void snag_variable_partners_answer(struct snag_variable_partners *v, struct snag_partners *p,
				   struct snag_locksets *locksets, uint32_t variable,
				   const struct snag_variable_access *access, size_t n,
				   const uint32_t *order, size_t norder)
{
	size_t at = 0;
	chains_build(v, access, n);
	groups_build(v, locksets);
	for (size_t i = 0; i < norder; i++) {
		const struct snag_question *question = &p->question[order[i]];
		if (i + FETCH_QUESTION < norder)
			__builtin_prefetch(&p->question[order[i + FETCH_QUESTION]]);
		while (at < n && access[at].event < question->event)
			at++;
		if (at == n)
			return;
		if (access[at].event != question->event)
			continue;
		struct asked q = {p, variable, &access[at], question->before, 0};
		bool is_guarded =
			v->guard && snag_lockset_within(locksets, v->guard, access[at].locks);
		if (is_guarded || groups_answer(v, locksets, v->guarded, &q))
			groups_answer(v, locksets, v->plain, &q);
	}
}
