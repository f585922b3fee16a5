/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.c - which orders of two places in the code runs have shown, and which they could show
 */
#include "explore/orders.h"

#include "base/memory.h"

static uint64_t order_number(const struct snag_relation *r, uint32_t first, uint32_t second)
{
	return snag_number(r->moves->at[first].place, r->moves->at[second].place);
}

static void order_await(struct snag_seen_orders *o, const struct snag_relation *r,
			const struct snag_reversal *v)
{
	uint64_t order = order_number(r, v->second, v->first);
	if (snag_tally_has(&o->seen, order) || o->n - o->first >= SNAG_ORDERS_WAITING ||
	    snag_tally_add(&o->tried, order) > 0)
		return;
	o->waiting = snag_grow(o->waiting, &o->room, o->n + 1, sizeof(*o->waiting));
	o->waiting[o->n].order = order;
	snag_reversal_turns(r, v, &o->waiting[o->n++].turns);
}

uint64_t snag_seen_orders_add(struct snag_seen_orders *o, const struct snag_relation *r)
{
	struct snag_tally here = {0}; /* an order counts once a run */
	uint64_t n = 0;
	for (size_t i = 0; i < r->nreversals; i++) {
		uint64_t order = order_number(r, r->reversal[i].first, r->reversal[i].second);
		if (snag_tally_add(&here, order) == 0)
			n += snag_tally_add(&o->seen, order) == 0;
	}
	snag_tally_done(&here);
	for (size_t i = 0; i < r->nreversals; i++)
		order_await(o, r, &r->reversal[i]);
	return n;
}

bool snag_seen_orders_next(struct snag_seen_orders *o, struct snag_turns *ret_turns)
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
	return false;
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
	free(o->waiting);
	snag_tally_done(&o->seen);
	snag_tally_done(&o->tried);
	*o = (struct snag_seen_orders){0};
}
