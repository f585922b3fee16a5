/* SPDX-License-Identifier: Apache-2.0
 *
 * past.c - the accesses to a variable that later ones may race with
 */
#include "detect/past.h"

#include "base/memory.h"

void snag_past_pool_init(struct snag_past_pool *pool)
{
	*pool = (struct snag_past_pool){.nlinks = 1};
}

void snag_past_pool_done(struct snag_past_pool *pool)
{
	snag_huge_free(pool->link, pool->link_cap, sizeof(*pool->link));
}

uint32_t snag_past_link(struct snag_past_pool *pool, struct snag_past past, uint32_t next)
{
	uint32_t link = pool->free;
	if (link) {
		pool->free = pool->link[link].next;
	} else {
		pool->link = snag_huge_grow(pool->link, &pool->link_cap, pool->nlinks + 1,
					    sizeof(*pool->link));
		link = (uint32_t)pool->nlinks++;
	}
	pool->link[link] = (struct snag_past_link){.past = past, .next = next};
	pool->nused++;
	return link;
}

uint32_t snag_past_unlink(struct snag_past_pool *pool, uint32_t link)
{
	uint32_t next = pool->link[link].next;
	pool->link[link].next = pool->free;
	pool->free = link;
	pool->nused--;
	return next;
}

void snag_past_push(struct snag_past_pool *pool, struct snag_past_place p, struct snag_past past)
{
	uint32_t rest = snag_past_first(*p.who);
	if (!rest)
		rest = snag_past_link(pool, snag_past_get(p), 0);
	*p.who = snag_past_link(pool, past, rest) | SNAG_PAST_LIST;
}

void snag_past_clear_list(struct snag_past_pool *pool, uint32_t who)
{
	for (uint32_t link = snag_past_first(who); link;)
		link = snag_past_unlink(pool, link);
}

uint32_t snag_past_copy(struct snag_past_pool *pool, uint32_t who)
{
	uint32_t copy = who, last = 0;
	for (uint32_t link = snag_past_first(who); link; link = pool->link[link].next) {
		uint32_t added = snag_past_link(pool, pool->link[link].past, 0);
		pool->link[added].room = pool->link[link].room;
		if (last)
			pool->link[last].next = added;
		else
			copy = added | SNAG_PAST_LIST;
		last = added;
	}
	return copy;
}

/* Cleared at once, in place. */
struct few {
	struct snag_past_cell x[8];
};
enum { FEW = sizeof(struct few) / sizeof(struct snag_past_cell) };

static __attribute__((noinline)) void lists_clear(struct snag_past_pool *pool,
						  const struct snag_past_cell *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		snag_past_clear_list(pool, x[i].writer);
		snag_past_clear_list(pool, x[i].reader);
	}
}

void snag_past_forget(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t first,
		      uint32_t n)
{
	x += first;
	if (pool->nused)
		lists_clear(pool, x, n);
	for (; n >= FEW; n -= FEW, x += FEW)
		*(struct few *)x = (struct few){0};
	for (; n > 0; n--, x++)
		*x = (struct snag_past_cell){0};
}

void snag_past_spread(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t from,
		      uint32_t first, uint32_t n)
{
	const struct snag_past_cell one = x[from];
	bool has_list = snag_past_is_list(one.writer | one.reader);
	for (uint32_t v = first; v < first + n; v++)
		x[v] = has_list ? (struct snag_past_cell){snag_past_copy(pool, one.writer),
							  snag_past_copy(pool, one.reader)}
				: one;
}
