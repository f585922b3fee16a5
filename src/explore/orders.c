/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.c - which orders of two places in the code runs have shown, and which they could show
 */
#include "explore/orders.h"

#include "base/memory.h"
#include "explore/sources.h"

static uint64_t order_number(const struct snag_relation *r, uint32_t first, uint32_t second)
{
	return snag_number(r->moves->at[first].place, r->moves->at[second].place);
}

/* A run that is added. */
struct added {
	struct snag_seen_orders *o;
	const struct snag_relation *r;
	struct snag_tally here; /* an order counts once a run */
	uint64_t n;		/* orders that no run has shown before */
	/* Which of its other orders goes to the pool: each is as likely. */
	uint64_t random, nothers;
	struct snag_reversal other;
};

static void order_note(struct added *a, uint64_t order)
{
	if (snag_tally_add(&a->here, order) == 0)
		a->n += snag_tally_add(&a->o->seen, order) == 0;
}

static void order_await(struct added *a, uint64_t order, const struct snag_reversal *v)
{
	struct snag_seen_orders *o = a->o;
	a->random = snag_number(a->random, ++a->nothers);
	if (a->random % a->nothers == 0)
		a->other = *v;
	if (snag_tally_has(&o->seen, order) || o->n - o->first >= SNAG_ORDERS_WAITING ||
	    snag_tally_add(&o->tried, order) > 0)
		return;
	o->waiting = snag_grow(o->waiting, &o->room, o->n + 1, sizeof(*o->waiting));
	o->waiting[o->n].order = order;
	snag_reversal_turns(a->r, v, &o->waiting[o->n++].turns);
}

static void on_shown(void *ctx, uint64_t source, const struct snag_reversal *other)
{
	if (!other)
		order_note(ctx, source);
}

static void on_other(void *ctx, uint64_t source, const struct snag_reversal *other)
{
	if (other)
		order_await(ctx, source, other);
}

static void pool_add(struct added *a)
{
	struct snag_seen_orders *o = a->o;
	struct snag_turns *to = &o->pool[a->random % SNAG_ORDERS_POOL];
	if (o->npool < SNAG_ORDERS_POOL)
		to = &o->pool[o->npool++];
	else
		snag_turns_done(to);
	*to = (struct snag_turns){0};
	snag_reversal_turns(a->r, &a->other, to);
}

uint64_t snag_seen_orders_add(struct snag_seen_orders *o, const struct snag_relation *r,
			      bool is_new, uint64_t random)
{
	struct added a = {.o = o, .r = r, .random = random};
	for (size_t i = 0; i < r->nreversals; i++)
		order_note(&a, order_number(r, r->reversal[i].first, r->reversal[i].second));
	snag_sources_each(r, on_shown, &a);
	snag_tally_done(&a.here);
	for (size_t i = 0; i < r->nreversals; i++)
		order_await(&a, order_number(r, r->reversal[i].second, r->reversal[i].first),
			    &r->reversal[i]);
	snag_sources_each(r, on_other, &a);
	if (is_new && a.nothers)
		pool_add(&a);
	return a.n;
}

bool snag_seen_orders_next(struct snag_seen_orders *o, uint64_t random,
			   struct snag_turns *ret_turns)
{
	while (o->first < o->n) {
		struct snag_waiting_order *w = &o->waiting[o->first++];
		if (!snag_tally_has(&o->seen, w->order)) {
			*ret_turns = w->turns;
			return true;
		}
		snag_turns_done(&w->turns); /* another run has shown it meanwhile */
	}
	o->first = o->n = 0;
	if (!o->npool)
		return false;
	struct snag_turns *from = &o->pool[random % o->npool];
	*ret_turns = *from;
	*from = o->pool[--o->npool];
	return true;
}

double snag_seen_orders_all(const struct snag_seen_orders *o)
{
	double once = (double)o->seen.once, twice = (double)o->seen.twice;
	return (double)snag_tally_n(&o->seen) +
	       (twice > 0 ? once * once / (2 * twice) : once * (once - 1) / 2);
}

void snag_seen_orders_done(struct snag_seen_orders *o)
{
	for (size_t i = o->first; i < o->n; i++)
		snag_turns_done(&o->waiting[i].turns);
	for (size_t i = 0; i < o->npool; i++)
		snag_turns_done(&o->pool[i]);
	free(o->waiting);
	snag_tally_done(&o->seen);
	snag_tally_done(&o->tried);
	*o = (struct snag_seen_orders){0};
}
