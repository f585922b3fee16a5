/* SPDX-License-Identifier: Apache-2.0
 *
 * closed.c - two polynomial procedures for one pair: fixed events, fixed order
 */
#include "witness/decide/closed.h"

#include "base/memory.h"
#include "witness/decide/cut.h"
#include "witness/decide/optimistic.h"

#include <string.h>

struct snag_closed {
	enum snag_closed_by closure;
	struct snag_state state;
	struct snag_optimistic optimistic;
	uint32_t *cut;	/* S, by thread */
	uint32_t *rest; /* what of S comes first, in observed order */
	bool is_certain;
	struct snag_witness witness;
	size_t witness_cap;
};

struct snag_closed *snag_closed_new(const struct snag_index *ix, enum snag_closed_by closure)
{
	struct snag_closed *c = snag_calloc(1, sizeof(*c));
	c->closure = closure;
	snag_state_init(&c->state, ix, SNAG_MODE_M2);
	if (closure == SNAG_OPTIMISTIC)
		snag_optimistic_init(&c->optimistic, &c->state);
	c->cut = snag_calloc(ix->nthreads, sizeof(*c->cut));
	c->rest = snag_calloc(ix->nthreads, sizeof(*c->rest));
	c->witness.prefix = snag_calloc(ix->nthreads, sizeof(*c->witness.prefix));
	return c;
}

void snag_closed_free(struct snag_closed *c)
{
	if (!c)
		return;
	snag_state_done(&c->state);
	snag_optimistic_done(&c->optimistic);
	free(c->cut);
	free(c->rest);
	free(c->witness.prefix);
	free(c->witness.event);
	free(c);
}

static void witness_set(struct snag_closed *c, const uint32_t *prefix, const uint32_t *event,
			size_t n, uint32_t e1, uint32_t e2)
{
	struct snag_witness *w = &c->witness;
	w->event = snag_grow(w->event, &c->witness_cap, n + 2, sizeof(*w->event));
	memcpy(w->prefix, prefix, c->state.nthreads * sizeof(*prefix));
	if (n)
		memcpy(w->event, event, n * sizeof(*event));
	w->event[n] = e1;
	w->event[n + 1] = e2;
	w->n = n + 2;
}

static bool decide_optimistic(struct snag_closed *c, uint32_t e1, uint32_t e2)
{
	struct snag_optimistic *o = &c->optimistic;
	if (!snag_optimistic_close(o, c->cut))
		return false;
	if (!snag_optimistic_order(o, c->cut, c->rest))
		return false;
	witness_set(c, c->rest, o->order, o->norder, e1, e2);
	return true;
}

enum snag_decision snag_closed_decide(struct snag_closed *c, uint32_t e1, uint32_t e2)
{
	c->is_certain = !snag_cut_need(&c->state, e1, e2, c->cut);
	if (c->is_certain)
		return SNAG_INFEASIBLE;
	if (c->closure == SNAG_OPTIMISTIC)
		return decide_optimistic(c, e1, e2) ? SNAG_VERIFIED : SNAG_INFEASIBLE;
	if (!snag_cut_close(&c->state, c->cut))
		return SNAG_INFEASIBLE;
	witness_set(c, c->cut, NULL, 0, e1, e2);
	return SNAG_VERIFIED;
}

bool snag_closed_is_certain(const struct snag_closed *c)
{
	return c->is_certain;
}

const struct snag_witness *snag_closed_witness(const struct snag_closed *c)
{
	return &c->witness;
}
