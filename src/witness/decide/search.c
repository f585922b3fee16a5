/* SPDX-License-Identifier: Apache-2.0
 *
 * search.c - tries the choices that propagation leaves open
 *
 * Idea.   Linearise greedily.  If that gets stuck on a choice, assume one alternative, propagate
 *         and go on; later assume the other (DPLL).  The choices come from where the greedy
 *         algorithm got stuck, so only choices that matter are tried.
 * Probing.  Before choosing, propagate both alternatives of every such choice, and take them
 *           back. If one is contradicted, the other is a fact.  If none is, take the choice from
 *           which most follows on both sides.
 * Guarantee.  VERIFIED and INFEASIBLE are exact: facts hold in every witness, and a choice
 *             covers all of them.  UNDECIDED: out of budget, or stuck on something before the
 *             window.
 * Cost.   Exponential in the choices in the worst case (the problem is NP-hard); bounded by the
 *         number of nodes and by the work of the state.
 */
#include "witness/decide/search.h"

#include "witness/decide/propagate.h"

#include <string.h>

/* Returns false if the alternative is contradicted. */
static bool assume(struct snag_search *q, const struct snag_choice *c, int which)
{
	struct snag_state *s = q->s;
	if (c->first[which] == SNAG_NO_EVENT)
		return false;
	if (!snag_state_need(s, c->first[which]) ||
	    !snag_state_order(s, c->first[which], c->then[which])) {
		snag_state_clear_queue(s);
		return false;
	}
	return snag_propagate(s);
}

/* Returns whether assuming the alternative changes anything: what precedes events before the
 * window is not recorded. */
static bool is_recorded(const struct snag_search *q, const struct snag_choice *c, int which)
{
	return c->first[which] == SNAG_NO_EVENT || snag_state_in_window(q->s, c->then[which]);
}

static bool is_over_budget(const struct snag_search *q)
{
	return q->nodes >= q->max || q->s->work > q->max_work;
}

enum probe { PROBE_CHOSEN, PROBE_FACT, PROBE_CONTRADICTION };

/* Returns how many facts follow from an alternative, or -1 if it is contradicted. */
static long probe_one(struct snag_search *q, const struct snag_choice *c, int which)
{
	if (!is_recorded(q, c, which))
		return 0;
	size_t mark = snag_state_mark(q->s);
	long n = assume(q, c, which) ? (long)(q->s->ntrail - mark) : -1;
	snag_state_return(q->s, mark);
	return n;
}

/* Probes all choices that matter; *ret is the best one.  After PROBE_FACT the state has grown. */
static enum probe probe(struct snag_search *q, struct snag_choice *ret)
{
	struct snag_choice choice[SNAG_MAX_CHOICES];
	uint32_t n = q->line->nchoices;
	double best = -1;
	memcpy(choice, q->line->choice, n * sizeof(*choice));
	for (uint32_t i = 0; i < n; i++) {
		long follows[2] = {probe_one(q, &choice[i], 0), probe_one(q, &choice[i], 1)};
		if (follows[0] < 0 && follows[1] < 0)
			return PROBE_CONTRADICTION;
		if (follows[0] < 0 || follows[1] < 0)
			return assume(q, &choice[i], follows[0] < 0) ? PROBE_FACT
								     : PROBE_CONTRADICTION;
		double score = ((double)follows[0] + 1) * ((double)follows[1] + 1);
		if (score > best) {
			best = score;
			*ret = choice[i];
		}
	}
	return PROBE_CHOSEN;
}

static enum snag_decision both_ways(struct snag_search *q, const struct snag_choice *c)
{
	enum snag_decision result = SNAG_INFEASIBLE;
	for (int which = 0; which < 2; which++) {
		size_t mark = snag_state_mark(q->s);
		if (!is_recorded(q, c, which)) {
			snag_state_miss(q->s, c->then[which]);
			result = SNAG_UNDECIDED;
			continue;
		}
		if (assume(q, c, which)) {
			enum snag_decision d = snag_search(q);
			if (d == SNAG_VERIFIED)
				return d;
			if (d == SNAG_UNDECIDED)
				result = d;
		}
		snag_state_return(q->s, mark);
	}
	return result;
}

enum snag_decision snag_search(struct snag_search *q)
{
	for (;;) {
		if (is_over_budget(q) || q->s->nmissing)
			return SNAG_UNDECIDED;
		q->nodes++;
		if (snag_linearise(q->line, NULL) || snag_linearise(q->line, q->prefer))
			return SNAG_VERIFIED;
		if (q->line->nchoices == 0 || q->s->nmissing)
			return SNAG_UNDECIDED;
		struct snag_choice c = q->line->choice[0];
		enum probe p = q->probes ? probe(q, &c) : PROBE_CHOSEN;
		if (p == PROBE_CONTRADICTION)
			return SNAG_INFEASIBLE;
		if (p == PROBE_CHOSEN)
			return both_ways(q, &c);
	}
}
