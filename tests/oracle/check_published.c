/* SPDX-License-Identifier: Apache-2.0
 *
 * check_published.c - the published closure against its definition
 *
 * Most errors in a closure change no verdict, so the closure itself is compared.  For every pair of
 * conflicting accesses, over the events that both need, and over these with the open sections of
 * other threads ended:
 *   exists      iff the naive fixpoint of the rules (decide/closed_order.c) has no cycle
 *   equal       then it orders the same events, no more and no fewer
 *   inserted    the same after more edges, as observed, one by one
 */
#include "check.h"

#include "witness/decide/closed_order.h"
#include "witness/decide/cut.h"

/* An order over some events of the trace. */
struct naive {
	const struct model *m;
	event_set all;
	event_set before[MAX_EVENTS];
	bool has_cycle;
};

static bool is_before(const struct naive *c, unsigned a, unsigned b)
{
	return c->before[b] & just(a);
}

static bool add(struct naive *c, unsigned a, unsigned b)
{
	bool is_new = !is_before(c, a, b);
	c->before[b] |= just(a);
	return is_new;
}

static bool transitive(struct naive *c)
{
	bool grew = false;
	for (event_set all = c->all; all;) {
		unsigned b = take_first(&all);
		event_set old = c->before[b];
		for (event_set rest = old; rest;)
			c->before[b] |= c->before[take_first(&rest)];
		grew |= c->before[b] != old;
		c->has_cycle |= is_before(c, b, b);
	}
	return grew;
}

/* [read] [write], and reads of the initial value. */
static bool reads(struct naive *c)
{
	const struct model *m = c->m;
	bool grew = false;
	for (event_set all = c->all & m->reads; all;) {
		unsigned r = take_first(&all), w = m->saw[r];
		for (event_set rest = c->all & m->writes & ~just(r); rest;) {
			unsigned v = take_first(&rest);
			if (m->target[v] != m->target[r] || v == w)
				continue;
			if (w == NO_EVENT) {
				grew |= add(c, r, v);
				continue;
			}
			if (is_before(c, v, r))
				grew |= add(c, v, w);
			if (is_before(c, w, v))
				grew |= add(c, r, v);
		}
	}
	return grew;
}

/* [section] [open]: what two sections of one lock imply. */
static bool sections_pair(struct naive *c, const struct section *a, const struct section *b)
{
	bool is_open[2] = {a->release == NO_EVENT || !(c->all & just(a->release)),
			   b->release == NO_EVENT || !(c->all & just(b->release))};
	if (is_open[0] && is_open[1]) {
		c->has_cycle = true;
		return false;
	}
	if (is_open[1] || (!is_open[0] && is_before(c, a->acquire, b->release)))
		return add(c, a->release, b->acquire);
	return false;
}

static bool sections(struct naive *c)
{
	const struct model *m = c->m;
	bool grew = false;
	for (unsigned i = 0; i < m->nsections; i++)
		for (unsigned k = 0; k < m->nsections; k++) {
			const struct section *a = &m->section[i], *b = &m->section[k];
			if (a->lock == b->lock && a->thread != b->thread &&
			    !(a->is_shared && b->is_shared) && c->all & just(a->acquire) &&
			    c->all & just(b->acquire))
				grew |= sections_pair(c, a, b);
		}
	return grew;
}

static void fixpoint(struct naive *c)
{
	bool grew = true;
	while (grew && !c->has_cycle) {
		grew = transitive(c);
		grew |= reads(c);
		grew |= sections(c);
	}
}

static void weakest(struct naive *c)
{
	const struct model *m = c->m;
	for (event_set all = c->all; all;) {
		unsigned e = take_first(&all);
		c->before[e] = (m->of[m->thread[e]] & below(e)) | m->needs[e];
		if (m->reads & just(e) && m->saw[e] != NO_EVENT)
			c->before[e] |= just(m->saw[e]);
	}
	fixpoint(c);
}

static enum outcome compare(const struct naive *c, const struct snag_closed_order *closure,
			    bool exists, struct reason *why)
{
	if (exists == c->has_cycle)
		return check_fail(why, "over %x: a closure exists: %d, expected: %d", c->all,
				  exists, !c->has_cycle);
	for (event_set all = exists ? c->all : 0; all;) {
		unsigned b = take_first(&all);
		event_set found = 0;
		for (event_set rest = c->all; rest;) {
			unsigned a = take_first(&rest);
			if (snag_closed_order_is_before(closure, a, b))
				found |= just(a);
		}
		if (found != c->before[b])
			return check_fail(why, "over %x: before %u: %x\n  closure: %x", c->all, b,
					  c->before[b], found);
	}
	return PASSED;
}

/* Conflicting events that are not ordered, in observed order, until there is no closure. */
static enum outcome insert(struct naive *c, struct snag_closed_order *closure, struct reason *why)
{
	const struct model *m = c->m;
	enum outcome outcome = PASSED;
	for (event_set all = c->all; all && outcome == PASSED && !c->has_cycle;) {
		unsigned b = take_first(&all);
		for (event_set rest = c->all & below(b) & m->clashes[b];
		     rest && outcome == PASSED && !c->has_cycle;) {
			unsigned a = take_first(&rest);
			if (is_before(c, a, b) || is_before(c, b, a))
				continue;
			add(c, a, b);
			fixpoint(c);
			outcome = compare(c, closure, snag_closed_order_insert(closure, a, b), why);
		}
	}
	return outcome;
}

static enum outcome check_cut(const struct model *m, struct snag_closed_order *closure,
			      const uint32_t *cut, struct reason *why)
{
	struct naive c = {.m = m};
	for (unsigned e = 0; e < m->n; e++)
		if (closure->ix->position[e] < cut[m->thread[e]])
			c.all |= just(e);
	weakest(&c);
	enum outcome outcome = compare(&c, closure, snag_closed_order_begin(closure, cut), why);
	return outcome == PASSED && !c.has_cycle ? insert(&c, closure, why) : outcome;
}

static enum outcome check_pair(const struct model *m, struct snag_state *s,
			       struct snag_closed_order *closure, unsigned e1, unsigned e2,
			       struct reason *why)
{
	const snag_tid racers[2] = {m->thread[e1], m->thread[e2]};
	uint32_t cut[2 * MAX_THREADS];
	if (!snag_cut_need(s, e1, e2, cut))
		return PASSED;
	enum outcome outcome = check_cut(m, closure, cut, why);
	if (outcome == PASSED && snag_cut_end_others(s, racers, cut))
		outcome = check_cut(m, closure, cut, why);
	return outcome;
}

enum outcome check_published(struct subject *subject, struct reason *why)
{
	const struct model *m = &subject->model;
	struct snag_index *ix = snag_index_new_published(subject->trace);
	struct snag_closed_order closure;
	struct snag_state s;
	enum outcome outcome = SKIPPED;
	snag_index_add_mode(ix, SNAG_MODE_M2);
	snag_closed_order_init(&closure, ix);
	snag_state_init(&s, ix, SNAG_MODE_M2);
	for (unsigned e2 = 0; e2 < m->n && outcome != FAILED; e2++)
		for (event_set rest = m->conflicts[e2] & below(e2); rest && outcome != FAILED;)
			outcome = check_pair(m, &s, &closure, take_first(&rest), e2, why);
	snag_state_done(&s);
	snag_closed_order_done(&closure);
	snag_index_free(ix);
	return outcome;
}
