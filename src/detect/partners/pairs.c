/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs.c - races of which only the number of the first access is known
 */
#include "detect/partners/pairs.h"

#include "base/memory.h"

enum { MANY = 1 << 20, EVENTS_PER_PAIR = 16 };

void snag_pairs_init(struct snag_pairs *p, snag_partners_handler *handler, void *ctx)
{
	*p = (struct snag_pairs){.handler = handler, .ctx = ctx};
}

void snag_pairs_done(struct snag_pairs *p)
{
	free(p->at);
}

void snag_pairs_add(struct snag_pairs *p, uint32_t first, const struct snag_event *ev,
		    uint32_t event)
{
	p->at = snag_grow(p->at, &p->cap, p->n + 1, sizeof(*p->at));
	p->at[p->n++] = (struct snag_pair){.first = first, .second = event, .second_ev = *ev};
}

bool snag_pairs_should_answer(const struct snag_pairs *p, uint64_t events)
{
	return p->n >= MANY && p->n >= events / EVENTS_PER_PAIR;
}

void snag_pairs_drop(struct snag_pairs *p)
{
	p->n = 0;
}

/* The numbers of first accesses, each with the pair it is of below; sorted, by bytes. */
static uint64_t *firsts_sorted(const struct snag_pairs *p)
{
	enum { BITS = 8, BUCKETS = 1 << BITS, LOWEST = 32, WIDTH = 64 };
	uint64_t *from = snag_calloc(p->n + 1, sizeof(*from));
	uint64_t *to = snag_calloc(p->n + 1, sizeof(*to));
	for (size_t i = 0; i < p->n; i++)
		from[i] = (uint64_t)p->at[i].first << LOWEST | i;
	for (unsigned shift = LOWEST; shift < WIDTH; shift += BITS) {
		size_t at[BUCKETS + 1] = {0};
		for (size_t i = 0; i < p->n; i++)
			at[(from[i] >> shift) % BUCKETS + 1]++;
		for (size_t k = 0; k < BUCKETS; k++)
			at[k + 1] += at[k];
		for (size_t i = 0; i < p->n; i++)
			to[at[(from[i] >> shift) % BUCKETS]++] = from[i];
		uint64_t *swapped = from;
		from = to;
		to = swapped;
	}
	free(to);
	return from;
}

/* Fills in the first accesses that are in the batch, from number `next` on; returns the first
 * that is left. */
static size_t batch_look_up(struct snag_pairs *p, const uint64_t *first, size_t next,
			    const struct snag_batch *batch)
{
	for (; next < p->n; next++) {
		struct snag_pair *pair = &p->at[(uint32_t)first[next]];
		if (pair->first >= batch->first + batch->n)
			break;
		pair->first_ev = batch->ev[pair->first - batch->first];
	}
	return next;
}

static int by_first(const void *a, const void *b)
{
	uint32_t x = ((const struct snag_pair *)a)->first, y = ((const struct snag_pair *)b)->first;
	return x < y ? -1 : x > y;
}

static struct snag_site site_of(const struct snag_event *ev, uint32_t event)
{
	return (struct snag_site){.event = event,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op};
}

static void hand_over(struct snag_pairs *p)
{
	size_t end = 0; /* of those with the same second access */
	for (size_t i = 0; i < p->n; i++) {
		const struct snag_pair *pair = &p->at[i];
		if (i == end) {
			while (end < p->n && p->at[end].second == pair->second)
				end++;
			qsort(p->at + i, end - i, sizeof(*p->at), by_first);
		}
		struct snag_partners_found found = {.first = site_of(&pair->first_ev, pair->first),
						    .second =
							    site_of(&pair->second_ev, pair->second),
						    .event = &pair->first,
						    .n = 1};
		p->handler(p->ctx, &found);
	}
	p->n = 0;
}

int snag_pairs_answer(struct snag_pairs **p, size_t n, struct snag_source *src,
		      struct snag_error *err)
{
	size_t *next = snag_calloc(n, sizeof(*next));
	uint64_t **first = snag_calloc(n, sizeof(*first));
	size_t left = n;
	struct snag_batch batch;
	int rc = 1;
	for (size_t i = 0; i < n; i++)
		first[i] = firsts_sorted(p[i]);
	while (left && (rc = snag_source_next(src, &batch, err)) > 0) {
		left = 0;
		for (size_t i = 0; i < n; i++) {
			next[i] = batch_look_up(p[i], first[i], next[i], &batch);
			left += next[i] < p[i]->n;
		}
	}
	for (size_t i = 0; i < n; i++)
		free(first[i]);
	free(first);
	free(next);
	if (rc == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: changed while it was read", src->name);
	for (size_t i = 0; rc > 0 && i < n; i++)
		hand_over(p[i]);
	return rc < 0 ? rc : 0;
}
