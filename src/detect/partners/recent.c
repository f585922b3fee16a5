/* SPDX-License-Identifier: Apache-2.0
 *
 * recent.c - the latest events
 */
#include "detect/partners/recent.h"

#include "base/memory.h"

#include <string.h>

enum { MASK = SNAG_RECENT_EVENTS - 1, MOST_PARTNERS = 64 };

void snag_recent_init(struct snag_recent *r, bool is_needed)
{
	*r = (struct snag_recent){0};
	if (is_needed)
		r->ring = snag_alloc(SNAG_RECENT_EVENTS * sizeof(*r->ring));
}

void snag_recent_done(struct snag_recent *r)
{
	free(r->ring);
	r->ring = NULL;
}

void snag_recent_add(struct snag_recent *r, const struct snag_batch *batch)
{
	size_t at = batch->first & MASK, room = SNAG_RECENT_EVENTS - at;
	size_t n = batch->n < room ? batch->n : room;
	if (!r->ring)
		return;
	memcpy(r->ring + at, batch->ev, n * sizeof(*batch->ev));
	memcpy(r->ring, batch->ev + n, (batch->n - n) * sizeof(*batch->ev));
	r->n = batch->first + batch->n;
}

static bool is_partner(const struct snag_event *a, const struct snag_event *ev, uint32_t event,
		       const struct snag_vclock *before, const struct snag_vclock_pool *pool)
{
	return snag_op_is_access(a->op) && a->thread != ev->thread &&
	       (a->op == SNAG_OP_WRITE || ev->op == SNAG_OP_WRITE) &&
	       event >= snag_vclock_of_thread(pool, before, a->thread);
}

static bool same_chain(const struct snag_event *a, const struct snag_event *b)
{
	return a->thread == b->thread && a->op == b->op && a->loc == b->loc;
}

static struct snag_site site_of(const struct snag_event *ev, uint32_t event)
{
	return (struct snag_site){.event = event,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op};
}

/* Takes the chain of the first partner out of the list and passes it on.  Returns how many
 * partners are still to be named. */
static size_t chain_out(const struct snag_recent *r, uint32_t *partner, size_t n,
			struct snag_partners_found *found, snag_partners_handler *handler,
			void *ctx)
{
	uint32_t event[MOST_PARTNERS];
	size_t left = 0;
	const struct snag_event *a = &r->ring[partner[0] & MASK];
	found->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (same_chain(a, &r->ring[partner[i] & MASK]))
			event[found->n++] = partner[i];
		else
			partner[left++] = partner[i];
	}
	found->event = event;
	found->first = site_of(a, event[found->n - 1]);
	return handler(ctx, found) ? left : 0;
}

bool snag_recent_partners(struct snag_recent *r, const struct snag_event *ev, uint32_t event,
			  uint32_t since, const struct snag_vclock *before,
			  const struct snag_vclock_pool *pool, snag_partners_handler *handler,
			  void *ctx)
{
	uint32_t partner[MOST_PARTNERS];
	size_t n = 0;
	if (r->n - since > SNAG_RECENT_EVENTS || r->looked_at + (event - since) > r->n)
		return false;
	r->looked_at += event - since;
	for (uint32_t e = since; e < event; e++) {
		const struct snag_event *a = &r->ring[e & MASK];
		if (a->target != ev->target || !is_partner(a, ev, e, before, pool))
			continue;
		if (n == MOST_PARTNERS)
			return false;
		partner[n++] = e;
	}
	struct snag_partners_found found = {
		.second = site_of(ev, event), .before = before, .pool = pool};
	while (n > 0)
		n = chain_out(r, partner, n, &found, handler, ctx);
	return true;
}
