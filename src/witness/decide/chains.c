/* SPDX-License-Identifier: Apache-2.0
 *
 * chains.c - which event of which thread reaches which, while edges are added
 *
 * Layout.  A Fenwick tree keeps prefixes, so position p of a chain of length n is at index n - p,
 *          from 1 on: a suffix of positions is a prefix of indices.
 */
#include "witness/decide/chains.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void snag_chains_init(struct snag_chains *c, uint32_t n)
{
	c->n = n;
	c->length = snag_calloc(n, sizeof(*c->length));
	c->tree = snag_calloc((size_t)n * n, sizeof(*c->tree));
	c->last = snag_calloc(n, sizeof(*c->last));
	c->first = snag_calloc(n, sizeof(*c->first));
}

static void trees_free(struct snag_chains *c)
{
	for (size_t i = 0; i < (size_t)c->n * c->n; i++) {
		free(c->tree[i]);
		c->tree[i] = NULL;
	}
}

void snag_chains_done(struct snag_chains *c)
{
	trees_free(c);
	free(c->length);
	free(c->tree);
	free(c->last);
	free(c->first);
}

void snag_chains_begin(struct snag_chains *c, const uint32_t *length)
{
	trees_free(c);
	memcpy(c->length, length, c->n * sizeof(*length));
}

static uint32_t lowest_bit(uint32_t i)
{
	return i & -i;
}

static uint32_t *tree_of(const struct snag_chains *c, snag_tid from, snag_tid to)
{
	return c->tree[(size_t)from * c->n + to];
}

uint32_t snag_chains_successor(const struct snag_chains *c, struct snag_spot from, snag_tid u)
{
	const uint32_t *tree = tree_of(c, from.chain, u);
	uint32_t least = SNAG_CHAIN_END;
	if (from.chain == u)
		return from.at;
	if (!tree)
		return least;
	for (uint32_t i = c->length[from.chain] - from.at; i > 0; i -= lowest_bit(i))
		least = tree[i] < least ? tree[i] : least;
	return least;
}

/* Bisects by the bits of the index: all indices up to `i` have values above to.at. */
uint32_t snag_chains_predecessors(const struct snag_chains *c, struct snag_spot to, snag_tid u)
{
	const uint32_t *tree = tree_of(c, u, to.chain);
	uint32_t n = c->length[u], i = 0, step = 1;
	if (to.chain == u)
		return to.at + 1;
	if (!tree)
		return 0;
	while (step <= n / 2)
		step *= 2;
	for (; step > 0; step /= 2)
		if (step <= n - i && tree[i + step] > to.at)
			i += step;
	return n - i;
}

bool snag_chains_reaches(const struct snag_chains *c, struct snag_spot a, struct snag_spot b)
{
	return snag_chains_successor(c, a, b.chain) <= b.at;
}

static void update(struct snag_chains *c, struct snag_spot from, struct snag_spot to)
{
	uint32_t **tree = &c->tree[(size_t)from.chain * c->n + to.chain];
	uint32_t n = c->length[from.chain];
	if (!*tree) {
		*tree = snag_alloc(((size_t)n + 1) * sizeof(**tree));
		memset(*tree, 0xff, ((size_t)n + 1) * sizeof(**tree));
	}
	for (uint32_t i = n - from.at; i <= n && (*tree)[i] > to.at; i += lowest_bit(i))
		(*tree)[i] = to.at;
}

void snag_chains_insert(struct snag_chains *c, struct snag_spot a, struct snag_spot b,
			snag_chains_ordered *ordered, void *ctx)
{
	for (snag_tid t = 0; t < c->n; t++) {
		c->last[t] = snag_chains_predecessors(c, a, t);
		c->first[t] = snag_chains_successor(c, b, t);
	}
	for (snag_tid t = 0; t < c->n; t++) {
		if (!c->last[t])
			continue;
		for (snag_tid u = 0; u < c->n; u++) {
			struct snag_ordering o = {.from = {t, c->last[t] - 1},
						  .to = {u, c->first[u]}};
			if (t == u || o.to.at == SNAG_CHAIN_END)
				continue;
			o.old_first = snag_chains_successor(c, o.from, u);
			if (o.old_first <= o.to.at)
				continue;
			o.old_last = snag_chains_predecessors(c, o.to, t);
			update(c, o.from, o.to);
			ordered(ctx, &o);
		}
	}
}
