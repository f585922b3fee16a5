/* SPDX-License-Identifier: Apache-2.0
 *
 * partners.c - with which earlier accesses does a racy access race?
 */
#include "detect/partners/partners.h"

#include "base/memory.h"
#include "base/slots.h"
#include "order/lockset.h"

#include <string.h>

#define NONE UINT32_MAX

enum { MANY_QUESTIONS = 1 << 20, MIN_CHAINS = 1 << 9, FEW = 2, FETCH_SLOT = 16, FETCH_CHAIN = 8 };

/* Questions keep clocks alive: this many bytes are too many. */
static const size_t many_bytes = (size_t)256 << 20;

struct chain {
	union {
		uint32_t few[FEW]; /* up to FEW events */
		uint32_t *many;
	};
	size_t n, cap; /* cap: of many; 0: few */
	uint32_t variable, thread;
	snag_loc loc;
	uint8_t op;
	snag_lockset locks;
	uint32_t sibling; /* the next chain of the group, or NONE */
};

/* A racy variable.  Most of its accesses hold one lock, the guard, and cannot race with each
 * other: the groups that hold it are listed separately. */
struct racy {
	snag_lockset guard;	 /* held alone by all groups of the first list; 0: none yet */
	uint32_t guarded, plain; /* group, or NONE */
};

/* The chains of one variable that hold the same locks. */
struct group {
	uint32_t variable;
	snag_lockset locks;
	uint32_t first;	  /* chain */
	uint32_t sibling; /* the next group of its list, or NONE */
};

/* What identifies a chain. */
struct key {
	const struct snag_event *ev;
	snag_lockset locks;
};

/* One set of questions during a reading. */
struct pass {
	struct snag_partners *partners;
	const struct snag_question *next, *end; /* the questions to come */
	uint32_t *number; /* per variable: 0: not racy; else 1 + its place in racy[] */
	size_t nvariables;
	struct racy *racy;
	size_t nracy, racy_cap;
	struct chain *chain;
	struct table {
		size_t n, cap;
		struct snag_slots slots;
	} chains, groups;
	struct group *group;
	struct snag_locksets locksets; /* disjoint_locksets: what each thread holds */
	snag_lockset *held;
	size_t held_cap;
};

void snag_partners_init(struct snag_partners *p, bool disjoint_locksets,
			snag_partners_handler *handler, void (*on_cut)(void *ctx, uint32_t event),
			void *ctx)
{
	*p = (struct snag_partners){.disjoint_locksets = disjoint_locksets,
				    .spare = UINT64_MAX,
				    .handler = handler,
				    .on_cut = on_cut,
				    .ctx = ctx};
}

void snag_partners_drop(struct snag_partners *p)
{
	for (size_t i = 0; i < p->n; i++)
		snag_vclock_drop(p->pool, p->question[i].before);
	p->n = 0;
}

void snag_partners_done(struct snag_partners *p)
{
	snag_partners_drop(p);
	free(p->question);
}

void snag_partners_ask(struct snag_partners *p, const struct snag_event *ev, uint32_t event,
		       struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	p->pool = pool;
	p->question = snag_grow(p->question, &p->cap, p->n + 1, sizeof(*p->question));
	p->question[p->n++] = (struct snag_question){event, ev->target, snag_vclock_share(before)};
}

const struct snag_question *snag_partners_question(const struct snag_partners *p, uint32_t event)
{
	size_t low = 0, high = p->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (p->question[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n && p->question[low].event == event ? &p->question[low] : NULL;
}

bool snag_partners_should_answer(const struct snag_partners *p)
{
	return p->n >= MANY_QUESTIONS &&
	       p->n * sizeof(*p->question) + p->pool->live_bytes >= many_bytes;
}

static size_t chain_key_hash(const struct chain *c)
{
	uint64_t x = ((uint64_t)c->variable << 32 | c->loc) * 0x9e3779b97f4a7c15u;
	x ^= ((uint64_t)c->thread << 1 | (c->op == SNAG_OP_WRITE)) * 0xc2b2ae3d27d4eb4fu;
	x ^= c->locks * 0x165667b19e3779f9u;
	return (size_t)((x ^ x >> 29) * 0xff51afd7ed558ccdu >> 32);
}

static uint64_t chain_hash(const void *ctx, uint32_t number)
{
	const struct pass *s = ctx;
	return chain_key_hash(&s->chain[number]);
}

static uint64_t group_hash(const void *ctx, uint32_t number)
{
	const struct pass *s = ctx;
	uint64_t x = (uint64_t)s->group[number].variable << 32 | s->group[number].locks;
	x *= 0x9e3779b97f4a7c15u;
	return (size_t)((x ^ x >> 29) * 0xff51afd7ed558ccdu >> 32);
}

static bool chain_equals(const void *ctx, uint32_t number, const void *sought)
{
	const struct pass *s = ctx;
	const struct chain *x = &s->chain[number], *y = sought;
	return x->variable == y->variable && x->thread == y->thread && x->loc == y->loc &&
	       x->op == y->op && x->locks == y->locks;
}

static bool group_equals(const void *ctx, uint32_t number, const void *sought)
{
	const struct pass *s = ctx;
	const struct group *x = &s->group[number], *y = sought;
	return x->variable == y->variable && x->locks == y->locks;
}

/* Looks up element n, just past the end.  Returns the number of its equal, or n if it was added
 * to the table. */
static inline uint32_t table_find(const struct pass *s, struct table *t, const void *sought,
				  snag_slots_hash *hash, snag_slots_equals *equals)
{
	uint32_t n = (uint32_t)t->n;
	uint32_t found = snag_slots_find(&t->slots, hash(s, n), equals, s, sought);
	if (found != SNAG_SLOTS_NONE)
		return found;
	snag_slots_add(&t->slots, n, hash, s);
	t->n++;
	return n;
}

/* Returns whether the locks include the guard, which shrinks to what they have in common. */
static bool guard_adapt(struct pass *s, struct racy *x, snag_lockset locks)
{
	snag_lockset common = snag_lockset_common(&s->locksets, x->guard ? x->guard : locks, locks);
	if (common)
		x->guard = common;
	return common != 0;
}

static struct group *group_of(struct pass *s, uint32_t variable, snag_lockset locks)
{
	s->group = snag_grow(s->group, &s->groups.cap, s->groups.n + 1, sizeof(*s->group));
	s->group[s->groups.n] = (struct group){variable, locks, NONE, NONE};
	uint32_t last = (uint32_t)s->groups.n;
	uint32_t number =
		table_find(s, &s->groups, &s->group[s->groups.n], group_hash, group_equals);
	if (number == last) {
		struct racy *x = &s->racy[s->number[variable] - 1];
		uint32_t *list = guard_adapt(s, x, locks) ? &x->guarded : &x->plain;
		s->group[number].sibling = *list;
		*list = number;
	}
	return &s->group[number];
}

static struct chain chain_empty(struct key key)
{
	return (struct chain){.variable = key.ev->target,
			      .thread = key.ev->thread,
			      .loc = key.ev->loc,
			      .op = key.ev->op,
			      .locks = key.locks};
}

static struct chain *chain_of(struct pass *s, struct key key)
{
	s->chain = snag_huge_grow(s->chain, &s->chains.cap, s->chains.n + 1, sizeof(*s->chain));
	s->chain[s->chains.n] = chain_empty(key);
	uint32_t last = (uint32_t)s->chains.n;
	uint32_t number = table_find(s, &s->chains, &s->chain[last], chain_hash, chain_equals);
	if (number == last) {
		struct group *g = group_of(s, key.ev->target, key.locks);
		s->chain[number].sibling = g->first;
		g->first = number;
	}
	return &s->chain[number];
}

static const uint32_t *chain_events(const struct chain *c)
{
	return c->cap ? c->many : c->few;
}

static void chain_add(struct chain *c, uint32_t event)
{
	if (c->n < FEW) {
		c->few[c->n++] = event;
		return;
	}
	if (!c->cap) {
		uint32_t *many = snag_grow(NULL, &c->cap, 2 * FEW, sizeof(*many));
		memcpy(many, c->few, sizeof(c->few));
		c->many = many;
	}
	c->many = snag_grow(c->many, &c->cap, c->n + 1, sizeof(*c->many));
	c->many[c->n++] = event;
}

/* How many of the chain's accesses have a number below `limit`. */
static size_t chain_below(const struct chain *c, uint32_t limit)
{
	const uint32_t *event = chain_events(c);
	size_t low = 0, high = c->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (event[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool chain_answer(struct pass *s, const struct chain *c, const struct snag_event *ev,
			 const struct snag_question *q)
{
	const uint32_t *event = chain_events(c);
	uint32_t from = snag_vclock_of_thread(s->partners->pool, q->before, c->thread);
	if (c->thread == ev->thread || (c->op != SNAG_OP_WRITE && ev->op != SNAG_OP_WRITE) ||
	    event[c->n - 1] < from)
		return true;
	size_t ordered = chain_below(c, from);
	struct snag_partners_found found = {
		.first = {.event = event[c->n - 1],
			  .thread = c->thread,
			  .target = c->variable,
			  .loc = c->loc,
			  .op = c->op},
		.second = {.event = q->event,
			   .thread = ev->thread,
			   .target = ev->target,
			   .loc = ev->loc,
			   .op = ev->op},
		.event = event + ordered,
		.n = c->n - ordered,
		.before = q->before,
		.pool = s->partners->pool,
	};
	return s->partners->handler(s->partners->ctx, &found);
}

/* Returns whether the question continues; *looked counts the chains and groups it has examined. */
static bool groups_answer(struct pass *s, uint32_t first, struct key key,
			  const struct snag_question *q, uint32_t *looked)
{
	struct snag_partners *p = s->partners;
	for (uint32_t g = first; g != NONE; g = s->group[g].sibling) {
		bool is_excluded =
			snag_lockset_excludes(&s->locksets, s->group[g].locks, key.locks);
		uint32_t i = is_excluded ? NONE : s->group[g].first;
		bool may_look = snag_partners_may_look(p, (*looked)++);
		for (; may_look && i != NONE; i = s->chain[i].sibling) {
			if (!chain_answer(s, &s->chain[i], key.ev, q))
				return false;
			may_look = snag_partners_may_look(p, (*looked)++);
		}
		if (!may_look) {
			p->on_cut(p->ctx, q->event);
			return false;
		}
	}
	return true;
}

/* Answers a question, when the pass has stored all accesses before this one. */
static void question_answer(struct pass *s, struct key key)
{
	const struct snag_question *q = s->next++;
	const struct racy *x = &s->racy[s->number[key.ev->target] - 1];
	uint32_t looked = 0;
	if (!x->guard || !snag_lockset_within(&s->locksets, x->guard, key.locks))
		if (!groups_answer(s, x->guarded, key, q, &looked))
			return;
	groups_answer(s, x->plain, key, q, &looked);
}

static void pass_init(struct pass *s, struct snag_partners *p)
{
	*s = (struct pass){.partners = p, .next = p->question, .end = p->question + p->n};
	for (size_t i = 0; i < p->n; i++) {
		uint32_t variable = p->question[i].variable;
		s->number = snag_grow(s->number, &s->nvariables, (size_t)variable + 1,
				      sizeof(*s->number));
		if (s->number[variable])
			continue;
		s->racy = snag_grow(s->racy, &s->racy_cap, s->nracy + 1, sizeof(*s->racy));
		s->racy[s->nracy++] = (struct racy){0, NONE, NONE};
		s->number[variable] = (uint32_t)s->nracy;
	}
	snag_slots_reset(&s->chains.slots, MIN_CHAINS);
	snag_locksets_init(&s->locksets);
}

static void pass_done(struct pass *s)
{
	for (size_t i = 0; i < s->chains.n; i++)
		if (s->chain[i].cap)
			free(s->chain[i].many);
	snag_huge_free(s->chain, s->chains.cap, sizeof(*s->chain));
	free(s->group);
	snag_slots_done(&s->chains.slots);
	snag_slots_done(&s->groups.slots);
	free(s->number);
	free(s->racy);
	snag_locksets_done(&s->locksets);
	free(s->held);
}

static void held_update(struct pass *s, const struct snag_event *ev)
{
	snag_lockset *held = &s->held[ev->thread];
	bool is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED || ev->op == SNAG_OP_RELEASE_SHARED;
	if (ev->flags & SNAG_NESTED)
		return;
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
		*held = snag_lockset_add(&s->locksets, *held, ev->target, is_shared);
	else if (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED)
		*held = snag_lockset_remove(&s->locksets, *held, ev->target);
}

static bool is_filed(const struct pass *s, const struct snag_event *ev)
{
	/* Hardly any variable is racy: test that first. */
	return ev->target < s->nvariables && s->number[ev->target] && snag_op_is_access(ev->op);
}

/* Prefetches what a later event will look at, if its thread then holds the same locks as now:
 * its slot, or later the chain found there. */
static void fetch(const struct pass *s, const struct snag_event *ev, bool is_later)
{
	if (!is_filed(s, ev))
		return;
	struct chain key = chain_empty((struct key){ev, s->held ? s->held[ev->thread] : 0});
	const uint32_t *slot =
		&s->chains.slots.slot[chain_key_hash(&key) & (s->chains.slots.nslots - 1)];
	if (!is_later)
		__builtin_prefetch(slot);
	else if (*slot)
		__builtin_prefetch(&s->chain[*slot - 1]);
}

static void pass_batch(struct pass *s, const struct snag_batch *batch)
{
	bool counts_locks = s->partners->disjoint_locksets;
	if (counts_locks)
		s->held = snag_grow(s->held, &s->held_cap, batch->counts.n[SNAG_SPACE_THREAD],
				    sizeof(*s->held));
	for (size_t i = 0; i < batch->n && s->next < s->end; i++) {
		const struct snag_event *ev = &batch->ev[i];
		if (counts_locks && !snag_op_is_access(ev->op))
			held_update(s, ev);
		if (i + FETCH_SLOT < batch->n)
			fetch(s, ev + FETCH_SLOT, false);
		if (i + FETCH_CHAIN < batch->n)
			fetch(s, ev + FETCH_CHAIN, true);
		if (!is_filed(s, ev))
			continue;
		uint32_t event = (uint32_t)(batch->first + i);
		struct key key = {ev, counts_locks ? s->held[ev->thread] : 0};
		if (s->next->event == event)
			question_answer(s, key);
		chain_add(chain_of(s, key), event);
	}
}

static bool passes_left(const struct pass *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].next < s[i].end)
			return true;
	return false;
}

int snag_partners_answer(struct snag_partners **p, size_t n, struct snag_source *src,
			 struct snag_error *err)
{
	struct pass *s = snag_alloc(n * sizeof(*s));
	struct snag_batch batch;
	int rc = 1;
	for (size_t i = 0; i < n; i++)
		pass_init(&s[i], p[i]);
	while (passes_left(s, n) && (rc = snag_source_next(src, &batch, err)) > 0)
		for (size_t i = 0; i < n; i++)
			pass_batch(&s[i], &batch);
	if (rc == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: changed while it was read", src->name);
	for (size_t i = 0; i < n; i++)
		pass_done(&s[i]);
	free(s);
	return rc < 0 ? rc : 0;
}
