/* SPDX-License-Identifier: Apache-2.0
 *
 * reversals.c - which orders of isolated blocks are left to be tried
 */
#include "detect/tasks/reversals.h"

#include "base/memory.h"
#include "base/slots.h"
#include "trace/task_path.h"

#include <stdlib.h>
#include <string.h>

struct tried { /* a block, and what it accessed when it ran here */
	uint64_t id;
	uint64_t *use;
	size_t nuses;
};

struct set {
	struct tried *at;
	size_t n, cap;
};

struct node {
	struct set tried, asleep;
	uint64_t *wanted; /* some of them were tried */
	size_t nwanted, wanted_cap;
};

struct snag_reversals {
	struct node *node;
	size_t n, cap; /* the path; the last plan ends behind node n - 1 */
	bool has_run;
	uint64_t next; /* the block that the plan wants last; 0: the first run */
	uint64_t *key; /* of each order that was run */
	size_t nkeys, key_cap;
	struct snag_slots keys;
};

struct snag_reversals *snag_reversals_new(void)
{
	return snag_calloc(1, sizeof(struct snag_reversals));
}

static void set_done(struct set *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].use);
	free(s->at);
	*s = (struct set){0};
}

static void node_done(struct node *n)
{
	set_done(&n->tried);
	set_done(&n->asleep);
	free(n->wanted);
	*n = (struct node){0};
}

void snag_reversals_free(struct snag_reversals *r)
{
	if (!r)
		return;
	while (r->n)
		node_done(&r->node[--r->n]);
	free(r->node);
	free(r->key);
	snag_slots_done(&r->keys);
	free(r);
}

void snag_order_plan_done(struct snag_order_plan *plan)
{
	free(plan->id);
	*plan = (struct snag_order_plan){0};
}

static const struct tried *set_find(const struct set *s, uint64_t id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].id == id)
			return &s->at[i];
	return NULL;
}

static void set_add(struct set *s, uint64_t id, const uint64_t *use, size_t nuses)
{
	struct tried t = {.id = id, .nuses = nuses, .use = snag_calloc(nuses, sizeof(*use))};
	if (nuses)
		memcpy(t.use, use, nuses * sizeof(*use));
	s->at = snag_grow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	s->at[s->n++] = t;
}

static bool is_wanted(const struct node *n, uint64_t id)
{
	for (size_t i = 0; i < n->nwanted; i++)
		if (n->wanted[i] == id)
			return true;
	return false;
}

static void want(struct node *n, uint64_t id)
{
	if (is_wanted(n, id))
		return;
	n->wanted = snag_grow(n->wanted, &n->wanted_cap, n->nwanted + 1, sizeof(*n->wanted));
	n->wanted[n->nwanted++] = id;
}

/* All that comes before each block. */
static struct snag_block_rows closure_of(const struct snag_blocks *b)
{
	size_t nwords = b->structure.nwords;
	struct snag_block_rows all = {snag_calloc(b->n * nwords, sizeof(uint64_t)), nwords};
	for (size_t k = 0; k < b->n; k++) {
		uint64_t *row = &all.bits[k * nwords];
		for (size_t w = 0; w < nwords; w++)
			row[w] = b->structure.bits[k * nwords + w] |
				 b->conflict.bits[k * nwords + w];
		for (size_t a = 0; a < k; a++)
			if (snag_block_row_has(&b->structure, k, a) ||
			    snag_block_row_has(&b->conflict, k, a))
				for (size_t w = 0; w < nwords; w++)
					row[w] |= all.bits[a * nwords + w];
	}
	return all;
}

static bool is_race(const struct snag_blocks *b, const struct snag_block_rows *all, size_t e,
		    size_t j)
{
	if (!snag_block_row_has(&b->conflict, j, e) || snag_block_row_has(&b->structure, j, e))
		return false;
	for (size_t m = e + 1; m < j; m++)
		if (snag_block_row_has(all, j, m) && snag_block_row_has(all, m, e))
			return false;
	return true;
}

/* Of the blocks between e and j that do not depend on e, one that needs no other of them must be
 * tried at e, be wanted there, or become wanted.  j only if there are none: without e it may
 * behave differently, and then need them. */
static void race_reverse(struct node *at, const struct snag_blocks *b,
			 const struct snag_block_rows *all, size_t e, size_t j) /* [race] */
{
	uint64_t first = 0;
	for (size_t x = e + 1; x <= j && !(x == j && first); x++) {
		bool is_initial = x == j || !snag_block_row_has(all, x, e);
		for (size_t y = e + 1; y < x && x < j && is_initial; y++)
			is_initial =
				snag_block_row_has(all, y, e) || !snag_block_row_has(all, x, y);
		if (!is_initial)
			continue;
		uint64_t id = b->at[x].id;
		if (set_find(&at->tried, id) || is_wanted(at, id))
			return;
		first = first ? first : id;
	}
	want(at, first);
}

/* Makes a node for the next block.  The blocks that sleep before it, or were tried there, sleep
 * in it. */
static struct node *node_new(struct snag_reversals *r)
{
	r->node = snag_grow(r->node, &r->cap, r->n + 1, sizeof(*r->node));
	struct node *new = &r->node[r->n++];
	*new = (struct node){0};
	if (r->n == 1)
		return new;
	struct node *last = new - 1; /* [sleep] */
	const struct tried *ran = &last->tried.at[last->tried.n - 1];
	for (int k = 0; k < 2; k++) {
		const struct set *from = k ? &last->tried : &last->asleep;
		for (size_t i = 0; i < from->n; i++) {
			const struct tried *t = &from->at[i];
			if (t->id != ran->id &&
			    !snag_block_uses_conflict(t->use, t->nuses, ran->use, ran->nuses))
				set_add(&new->asleep, t->id, t->use, t->nuses);
		}
	}
	return new;
}

/* Returns a block that could run instead of block k, and does not sleep; 0 if there is none. */
static uint64_t awake_instead(const struct node *at, const struct snag_blocks *b, size_t k)
{
	for (size_t x = k + 1; x < b->n; x++) {
		bool is_enabled = !set_find(&at->asleep, b->at[x].id);
		for (size_t y = k; y < x && is_enabled; y++)
			is_enabled = !snag_block_row_has(&b->structure, x, y);
		if (is_enabled)
			return b->at[x].id;
	}
	return 0;
}

static bool is_as_planned(const struct snag_reversals *r, const struct snag_blocks *b)
{
	if (!r->has_run)
		return true;
	if (b->n < r->n || b->at[r->n - 1].id != r->next)
		return false;
	for (size_t d = 0; d + 1 < r->n; d++)
		if (b->at[d].id != r->node[d].tried.at[r->node[d].tried.n - 1].id)
			return false;
	return true;
}

static uint64_t key_hash(const void *ctx, uint32_t number)
{
	return ((const struct snag_reversals *)ctx)->key[number];
}

static bool key_equals(const void *ctx, uint32_t number, const void *key)
{
	return key_hash(ctx, number) == *(const uint64_t *)key;
}

/* Returns whether the same blocks have already run with all conflicting ones in the same order. */
static bool is_repeated(struct snag_reversals *r, const struct snag_blocks *b) /* [again] */
{
	uint64_t key = 0;
	for (size_t k = 0; k < b->n; k++) {
		key += snag_mix(b->at[k].id);
		for (size_t a = 0; a < k; a++)
			if (snag_block_row_has(&b->conflict, k, a))
				key += snag_mix(snag_mix(b->at[a].id) + b->at[k].id);
	}
	if (snag_slots_find(&r->keys, key, key_equals, r, &key) != SNAG_SLOTS_NONE)
		return true;
	r->key = snag_grow(r->key, &r->key_cap, r->nkeys + 1, sizeof(*r->key));
	r->key[r->nkeys] = key;
	snag_slots_add(&r->keys, (uint32_t)r->nkeys++, key_hash, r);
	return false;
}

enum snag_order_run snag_reversals_add(struct snag_reversals *r, const struct snag_blocks *b)
{
	enum snag_order_run result = SNAG_ORDER_NEW;
	if (!is_as_planned(r, b))
		return SNAG_ORDER_DIVERGED;
	size_t from = r->has_run ? r->n - 1 : 0, end = from;
	r->has_run = true;
	for (; end < b->n; end++) {
		const struct snag_block *ran = &b->at[end];
		struct node *at = end < r->n ? &r->node[end] : node_new(r);
		if (set_find(&at->asleep, ran->id)) { /* [asleep] */
			uint64_t other = awake_instead(at, b, end);
			if (other)
				want(at, other);
			result = SNAG_ORDER_REDUNDANT;
			break;
		}
		want(at, ran->id);
		set_add(&at->tried, ran->id, ran->use, ran->nuses);
	}
	struct snag_block_rows all = closure_of(b);
	for (size_t j = from; j < end; j++)
		for (size_t e = 0; e < j; e++)
			if (is_race(b, &all, e, j))
				race_reverse(&r->node[e], b, &all, e, j);
	free(all.bits);
	return result == SNAG_ORDER_NEW && is_repeated(r, b) ? SNAG_ORDER_REDUNDANT : result;
}

/* Returns a block that is wanted at a node, was not tried and does not sleep; 0 if there is
 * none. */
static uint64_t left_at(const struct node *n)
{
	for (size_t i = 0; i < n->nwanted; i++)
		if (!set_find(&n->tried, n->wanted[i]) && !set_find(&n->asleep, n->wanted[i]))
			return n->wanted[i];
	return 0;
}

static void plan_add(struct snag_order_plan *plan, size_t *cap, uint64_t id)
{
	plan->id = snag_grow(plan->id, cap, plan->n + 1, sizeof(*plan->id));
	plan->id[plan->n++] = id;
}

bool snag_reversals_next(struct snag_reversals *r, struct snag_order_plan *ret)
{
	struct snag_order_plan plan = {0};
	size_t cap = 0;
	if (!r->has_run) {
		*ret = plan;
		return true;
	}
	while (r->n && !(r->next = left_at(&r->node[r->n - 1])))
		node_done(&r->node[--r->n]);
	if (!r->n)
		return false;
	const struct node *last = &r->node[r->n - 1];
	for (size_t d = 0; d + 1 < r->n; d++)
		plan_add(&plan, &cap, r->node[d].tried.at[r->node[d].tried.n - 1].id);
	plan_add(&plan, &cap, r->next);
	plan.nbegin = plan.n;
	for (size_t i = 0; i < last->asleep.n; i++)
		plan_add(&plan, &cap, last->asleep.at[i].id);
	for (size_t i = 0; i < last->tried.n; i++)
		plan_add(&plan, &cap, last->tried.at[i].id);
	*ret = plan;
	return true;
}
