/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs.c - races of which only the number of the first access is known
 */
#include "detect/pairs.h"

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

static int compare(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int by_first(const void *a, const void *b)
{
	return compare(((const struct snag_pair *)a)->first, ((const struct snag_pair *)b)->first);
}

static int by_second(const void *a, const void *b)
{
	int c = compare(((const struct snag_pair *)a)->second,
			((const struct snag_pair *)b)->second);
	return c ? c : by_first(a, b);
}

/* Fills in the first accesses that are in the batch, from pair `next` on; returns the first
 * pair that is left. */
static size_t batch_look_up(struct snag_pairs *p, size_t next, const struct snag_batch *batch)
{
	for (; next < p->n && p->at[next].first < batch->first + batch->n; next++)
		p->at[next].first_ev = batch->ev[p->at[next].first - batch->first];
	return next;
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
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), by_second);
	for (size_t i = 0; i < p->n; i++) {
		const struct snag_pair *pair = &p->at[i];
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
	size_t left = n;
	struct snag_batch batch;
	int rc = 1;
	for (size_t i = 0; i < n; i++)
		if (p[i]->n)
			qsort(p[i]->at, p[i]->n, sizeof(*p[i]->at), by_first);
	while (left && (rc = snag_source_next(src, &batch, err)) > 0) {
		left = 0;
		for (size_t i = 0; i < n; i++) {
			next[i] = batch_look_up(p[i], next[i], &batch);
			left += next[i] < p[i]->n;
		}
	}
	free(next);
	if (rc == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: changed while it was read", src->name);
	for (size_t i = 0; rc > 0 && i < n; i++)
		hand_over(p[i]);
	return rc < 0 ? rc : 0;
}
