/* SPDX-License-Identifier: Apache-2.0
 *
 * partners.c - with which earlier accesses does a racy access race?
 */
#include "detect/partners.h"

#include "base/memory.h"

#include <string.h>

#define NONE UINT32_MAX

enum { MOST_QUESTIONS = 1 << 20, MIN_SLOTS = 1 << 10 };

struct chain {
	uint32_t *event;
	size_t n, cap;
	uint32_t variable, thread;
	snag_loc loc;
	uint32_t op;
	uint32_t sibling; /* the next chain of the variable, or NONE */
};

/* One pass over the log. */
struct pass {
	uint32_t
		*first_chain; /* per variable: 0: not racy, 1: racy, no chain yet, k + 2: chain k */
	size_t nvariables;
	struct chain *chain;
	size_t nchains, cap;
	uint32_t *slot; /* open addressing: chain number + 1 */
	size_t nslots;
};

void snag_partners_init(struct snag_partners *p, const struct snag_log *log,
			snag_partners_found *found, void *ctx)
{
	*p = (struct snag_partners){.log = log, .found = found, .ctx = ctx};
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

void snag_partners_ask(struct snag_partners *p, uint32_t event, struct snag_vclock *before,
		       struct snag_vclock_pool *pool)
{
	if (p->n >= MOST_QUESTIONS)
		snag_partners_answer(p);
	p->pool = pool;
	p->question = snag_grow(p->question, &p->cap, p->n + 1, sizeof(*p->question));
	p->question[p->n++] = (struct snag_question){event, snag_vclock_share(before)};
}

static size_t slot_start(const struct pass *s, const struct snag_log_entry *e)
{
	uint64_t x = ((uint64_t)e->target << 32 | e->loc) * 0x9e3779b97f4a7c15u;
	x ^= ((uint64_t)e->thread << 1 | (e->op == SNAG_OP_WRITE)) * 0xc2b2ae3d27d4eb4fu;
	return (size_t)((x ^ x >> 29) * 0xff51afd7ed558ccdu >> 32) & (s->nslots - 1);
}

static void slot_insert(struct pass *s, uint32_t number)
{
	const struct chain *c = &s->chain[number];
	struct snag_log_entry key = {c->variable, c->loc, c->thread, c->op};
	size_t i = slot_start(s, &key);
	while (s->slot[i])
		i = (i + 1) & (s->nslots - 1);
	s->slot[i] = number + 1;
}

static struct chain *chain_new(struct pass *s, const struct snag_log_entry *e)
{
	uint32_t number = (uint32_t)s->nchains++;
	s->chain = snag_grow(s->chain, &s->cap, s->nchains, sizeof(*s->chain));
	struct chain *c = &s->chain[number];
	c->variable = e->target;
	c->thread = e->thread;
	c->loc = e->loc;
	c->op = e->op;
	c->sibling = s->first_chain[e->target] - 2; /* 1 - 2 is NONE */
	s->first_chain[e->target] = number + 2;
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

static struct chain *chain_of(struct pass *s, const struct snag_log_entry *e)
{
	for (size_t i = slot_start(s, e); s->slot[i]; i = (i + 1) & (s->nslots - 1)) {
		struct chain *c = &s->chain[s->slot[i] - 1];
		if (c->variable == e->target && c->thread == e->thread && c->loc == e->loc &&
		    c->op == e->op)
			return c;
	}
	return chain_new(s, e);
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

/* The pass has filed all accesses before the question's. */
static void question_answer(struct snag_partners *p, const struct pass *s,
			    const struct snag_question *q)
{
	const struct snag_log_entry *e = &p->log->at[q->event];
	for (uint32_t i = s->first_chain[e->target] - 2; i != NONE; i = s->chain[i].sibling) {
		const struct chain *c = &s->chain[i];
		if (c->thread == e->thread || (c->op != SNAG_OP_WRITE && e->op != SNAG_OP_WRITE))
			continue;
		uint32_t from = snag_vclock_get(q->before, c->thread);
		if (c->event[c->n - 1] < from)
			continue;
		size_t ordered = chain_below(c, from);
		p->found(p->ctx, q->event, c->event + ordered, c->n - ordered, q->before);
	}
}

static void pass_init(struct pass *s, const struct snag_partners *p)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < p->n; i++) {
		uint32_t variable = p->log->at[p->question[i].event].target;
		s->first_chain = snag_grow(s->first_chain, &s->nvariables, (size_t)variable + 1,
					   sizeof(*s->first_chain));
		s->first_chain[variable] = 1;
	}
	s->nslots = MIN_SLOTS;
	s->slot = snag_calloc(s->nslots, sizeof(*s->slot));
}

static void pass_done(struct pass *s)
{
	for (size_t i = 0; i < s->nchains; i++)
		free(s->chain[i].event);
	free(s->chain);
	free(s->slot);
	free(s->first_chain);
}

void snag_partners_answer(struct snag_partners *p)
{
	if (p->n == 0)
		return;
	struct pass s;
	pass_init(&s, p);
	uint32_t last = p->question[p->n - 1].event;
	const struct snag_question *q = p->question;
	for (uint32_t event = 0; event <= last; event++) {
		const struct snag_log_entry *e = &p->log->at[event];
		/* Hardly any variable is racy: ask that first. */
		if (e->target >= s.nvariables || !s.first_chain[e->target] ||
		    !snag_op_is_access((uint8_t)e->op))
			continue;
		if (q->event == event)
			question_answer(p, &s, q++);
		struct chain *c = chain_of(&s, e);
		c->event = snag_grow(c->event, &c->cap, c->n + 1, sizeof(*c->event));
		c->event[c->n++] = event;
	}
	pass_done(&s);
	questions_drop(p);
}
