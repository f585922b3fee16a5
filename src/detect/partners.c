/* SPDX-License-Identifier: Apache-2.0
 *
 * partners.c - with which earlier accesses does a racy access race?
 */
#include "detect/partners.h"

#include "base/memory.h"
#include "order/lockset.h"

#include <string.h>

#define NONE UINT32_MAX

enum { MANY_QUESTIONS = 1 << 20, MIN_SLOTS = 1 << 10 };

struct chain {
	uint32_t *event;
	size_t n, cap;
	uint32_t variable, thread;
	snag_loc loc;
	uint8_t op;
	snag_lockset locks;
	uint32_t sibling; /* the next chain of the variable, or NONE */
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
	uint32_t
		*first_chain; /* per variable: 0: not racy, 1: racy, no chain yet, k + 2: chain k */
	size_t nvariables;
	struct chain *chain;
	size_t nchains, cap;
	uint32_t *slot; /* open addressing: chain number + 1 */
	size_t nslots;
	struct snag_locksets locksets; /* disjoint_locksets: what each thread holds */
	snag_lockset *held;
	size_t held_cap;
};

void snag_partners_init(struct snag_partners *p, bool disjoint_locksets,
			snag_partners_handler *handler, void *ctx)
{
	*p = (struct snag_partners){
		.disjoint_locksets = disjoint_locksets, .handler = handler, .ctx = ctx};
}

static void questions_drop(struct snag_partners *p)
{
	for (size_t i = 0; i < p->n; i++)
		snag_vclock_drop(p->pool, p->question[i].before);
	p->n = 0;
}

void snag_partners_done(struct snag_partners *p)
{
	questions_drop(p);
	free(p->question);
}

void snag_partners_ask(struct snag_partners *p, const struct snag_event *ev, uint32_t event,
		       struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	p->pool = pool;
	p->question = snag_grow(p->question, &p->cap, p->n + 1, sizeof(*p->question));
	p->question[p->n++] = (struct snag_question){event, ev->target, snag_vclock_share(before)};
}

bool snag_partners_should_answer(const struct snag_partners *p)
{
	return p->n >= MANY_QUESTIONS;
}

static size_t slot_start(const struct pass *s, struct key key)
{
	const struct snag_event *ev = key.ev;
	uint64_t x = ((uint64_t)ev->target << 32 | ev->loc) * 0x9e3779b97f4a7c15u;
	x ^= ((uint64_t)ev->thread << 1 | (ev->op == SNAG_OP_WRITE)) * 0xc2b2ae3d27d4eb4fu;
	x ^= key.locks * 0x165667b19e3779f9u;
	return (size_t)((x ^ x >> 29) * 0xff51afd7ed558ccdu >> 32) & (s->nslots - 1);
}

static void slot_insert(struct pass *s, uint32_t number)
{
	const struct chain *c = &s->chain[number];
	struct snag_event ev = {
		.thread = c->thread, .target = c->variable, .loc = c->loc, .op = c->op};
	size_t i = slot_start(s, (struct key){&ev, c->locks});
	while (s->slot[i])
		i = (i + 1) & (s->nslots - 1);
	s->slot[i] = number + 1;
}

static struct chain *chain_new(struct pass *s, struct key key)
{
	const struct snag_event *ev = key.ev;
	uint32_t number = (uint32_t)s->nchains++;
	s->chain = snag_grow(s->chain, &s->cap, s->nchains, sizeof(*s->chain));
	struct chain *c = &s->chain[number];
	c->variable = ev->target;
	c->thread = ev->thread;
	c->loc = ev->loc;
	c->op = ev->op;
	c->locks = key.locks;
	c->sibling = s->first_chain[ev->target] - 2; /* 1 - 2 is NONE */
	s->first_chain[ev->target] = number + 2;
	if (s->nchains * 2 < s->nslots) {
		slot_insert(s, number);
		return c;
	}
	free(s->slot);
	s->nslots *= 2;
	s->slot = snag_calloc(s->nslots, sizeof(*s->slot));
	for (uint32_t i = 0; i < s->nchains; i++)
		slot_insert(s, i);
	return c;
}

static struct chain *chain_of(struct pass *s, struct key key)
{
	const struct snag_event *ev = key.ev;
	for (size_t i = slot_start(s, key); s->slot[i]; i = (i + 1) & (s->nslots - 1)) {
		struct chain *c = &s->chain[s->slot[i] - 1];
		if (c->variable == ev->target && c->thread == ev->thread && c->loc == ev->loc &&
		    c->op == ev->op && c->locks == key.locks)
			return c;
	}
	return chain_new(s, key);
}

/* How many of the chain's accesses have a number below `limit`. */
static size_t chain_below(const struct chain *c, uint32_t limit)
{
	size_t low = 0, high = c->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (c->event[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The pass has filed all accesses before this one. */
static void question_answer(struct pass *s, struct key key)
{
	const struct snag_event *ev = key.ev;
	const struct snag_question *q = s->next++;
	for (uint32_t i = s->first_chain[ev->target] - 2; i != NONE; i = s->chain[i].sibling) {
		const struct chain *c = &s->chain[i];
		if (c->thread == ev->thread || (c->op != SNAG_OP_WRITE && ev->op != SNAG_OP_WRITE))
			continue;
		uint32_t from = snag_vclock_get(q->before, c->thread);
		if (c->event[c->n - 1] < from ||
		    snag_lockset_excludes(&s->locksets, c->locks, key.locks))
			continue;
		size_t ordered = chain_below(c, from);
		struct snag_partners_found found = {
			.first = {.event = c->event[c->n - 1],
				  .thread = c->thread,
				  .target = c->variable,
				  .loc = c->loc,
				  .op = c->op},
			.second = {.event = q->event,
				   .thread = ev->thread,
				   .target = ev->target,
				   .loc = ev->loc,
				   .op = ev->op},
			.event = c->event + ordered,
			.n = c->n - ordered,
			.before = q->before,
		};
		s->partners->handler(s->partners->ctx, &found);
	}
}

static void pass_init(struct pass *s, struct snag_partners *p)
{
	*s = (struct pass){.partners = p, .next = p->question, .end = p->question + p->n};
	for (size_t i = 0; i < p->n; i++) {
		uint32_t variable = p->question[i].variable;
		s->first_chain = snag_grow(s->first_chain, &s->nvariables, (size_t)variable + 1,
					   sizeof(*s->first_chain));
		s->first_chain[variable] = 1;
	}
	s->nslots = MIN_SLOTS;
	s->slot = snag_calloc(s->nslots, sizeof(*s->slot));
	snag_locksets_init(&s->locksets);
}

static void pass_done(struct pass *s)
{
	for (size_t i = 0; i < s->nchains; i++)
		free(s->chain[i].event);
	free(s->chain);
	free(s->slot);
	free(s->first_chain);
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
		/* Hardly any variable is racy: ask that first. */
		if (ev->target >= s->nvariables || !s->first_chain[ev->target] ||
		    !snag_op_is_access(ev->op))
			continue;
		uint32_t event = (uint32_t)(batch->first + i);
		struct key key = {ev, counts_locks ? s->held[ev->thread] : 0};
		if (s->next->event == event)
			question_answer(s, key);
		struct chain *c = chain_of(s, key);
		c->event = snag_grow(c->event, &c->cap, c->n + 1, sizeof(*c->event));
		c->event[c->n++] = event;
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
	for (size_t i = 0; i < n; i++) {
		pass_done(&s[i]);
		questions_drop(p[i]);
	}
	free(s);
	return rc < 0 ? rc : 0;
}
