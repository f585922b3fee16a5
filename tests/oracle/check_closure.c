/* SPDX-License-Identifier: Apache-2.0
 *
 * check_closure.c - what a decision starts from, against the definition
 *
 * Verdicts hide mistakes: a fact that is missing shows only where nothing else saves the day.  So
 * for every pair of conflicting accesses, in all modes:
 *   needed      the first cut is the least set that has what must precede the accesses, and for
 *               each of its causal reads the writer
 *   rows        with all of it in the window, what must precede an event is what program order,
 *               forks, joins and causal reads say, transitively: no more, no less
 *   windows     the same with the window of a decision, where what is before it may know less: no
 *               more, all that an event needs itself, and closed; and what is before the window
 *               needs nothing of it
 */
#include "check.h"

#include "witness/decide/decide.h"
#include "witness/decide/cut.h"

#include <string.h>

struct closure {
	const struct model *m;
	enum snag_mode mode;
	unsigned racer[2];
	event_set needed;
	event_set direct[MAX_EVENTS], before[MAX_EVENTS];
};

static bool is_causal(const struct closure *c, unsigned read);

static bool is_causal_write(const struct closure *c, unsigned write)
{
	const struct model *m = c->m;
	for (event_set rest = c->needed & m->reads & ~below(write) & ~just(write); rest;) {
		unsigned r = take_first(&rest);
		if (m->saw[r] == write && is_causal(c, r))
			return true;
	}
	return c->mode == SNAG_MODE_LITERAL;
}

/* Whether the read must keep its writer, given what is needed. */
static bool is_causal(const struct closure *c, unsigned read)
{
	const struct model *m = c->m;
	event_set later = m->of[m->thread[read]] & ~below(read); /* also an update's own write */
	event_set racers = just(c->racer[0]) | just(c->racer[1]);
	if (c->mode == SNAG_MODE_M2 || (m->waits & just(read)))
		return true;
	if (c->mode == SNAG_MODE_LITERAL && (later & m->writes & racers))
		return true;
	for (event_set rest = c->needed & later & m->writes; rest;)
		if (is_causal_write(c, take_first(&rest)))
			return true;
	for (event_set rest = c->needed & later & m->branches; rest;)
		if (m->depends[take_first(&rest)] & just(read))
			return true;
	return false;
}

static event_set direct(const struct closure *c, unsigned e)
{
	const struct model *m = c->m;
	event_set set = m->needs[e] | (m->of[m->thread[e]] & below(e));
	bool has_writer = m->reads & just(e) && m->saw[e] != NO_EVENT && is_causal(c, e);
	return has_writer ? set | just(m->saw[e]) : set;
}

static void closure_find(struct closure *c)
{
	const struct model *m = c->m;
	for (int i = 0; i < 2; i++) {
		unsigned e = c->racer[i];
		c->needed |= m->needs[e] | (m->of[m->thread[e]] & below(e));
	}
	for (event_set old = 0; old != c->needed;) {
		old = c->needed;
		for (event_set rest = old; rest;)
			c->needed |= direct(c, take_first(&rest));
	}
	for (event_set all = c->needed; all;) { /* what precedes was observed earlier */
		unsigned e = take_first(&all);
		c->before[e] = c->direct[e] = direct(c, e);
		for (event_set rest = c->direct[e]; rest;)
			c->before[e] |= c->before[take_first(&rest)];
	}
}

/* The events of a cut. */
static event_set set_of(const struct model *m, const struct snag_index *ix, const uint32_t *cut)
{
	event_set set = 0;
	for (unsigned e = 0; e < m->n; e++)
		if (ix->position[e] < cut[m->thread[e]])
			set |= just(e);
	return set;
}

static event_set row_of(const struct closure *c, const struct snag_state *s, unsigned e)
{
	return set_of(c->m, s->ix, snag_state_row(s, c->m->thread[e], s->ix->position[e]));
}

/* The rows of the window after s->start. */
static enum outcome check_rows(const struct closure *c, struct snag_state *s, const uint32_t *cut,
			       bool is_whole, struct reason *why)
{
	snag_state_begin(s, cut);
	snag_state_clear_queue(s);
	event_set prefix = set_of(c->m, s->ix, s->start);
	for (event_set rest = prefix; rest;) {
		unsigned e = take_first(&rest);
		if (c->direct[e] & ~prefix)
			return check_fail(why, "%u, before the window, needs %x of it", e,
					  c->direct[e] & ~prefix);
	}
	for (event_set rest = c->needed & ~prefix; rest;) {
		unsigned e = take_first(&rest);
		event_set row = row_of(c, s, e), closed = row | c->direct[e];
		for (event_set others = row & ~prefix; others;)
			closed |= row_of(c, s, take_first(&others));
		if (row & ~c->before[e] || closed != row || (is_whole && row != c->before[e]))
			return check_fail(why,
					  "before %u, with a window after %x: %x\n  decide: %x", e,
					  prefix, c->before[e], row);
	}
	return PASSED;
}

static enum outcome check_pair(struct closure *c, struct snag_state *s, struct reason *why)
{
	uint32_t cut[2 * MAX_THREADS];
	closure_find(c);
	bool is_possible = !(c->needed & (just(c->racer[0]) | just(c->racer[1])));
	if (snag_cut_need(s, c->racer[0], c->racer[1], cut) != is_possible)
		return check_fail(why, "one must precede the other: %d", !is_possible);
	if (!is_possible)
		return PASSED;
	if (set_of(c->m, s->ix, cut) != c->needed)
		return check_fail(why, "needed: %x\n  decide: %x", c->needed,
				  set_of(c->m, s->ix, cut));
	memset(s->start, 0, s->nthreads * sizeof(*s->start));
	enum outcome outcome = check_rows(c, s, cut, true, why);
	if (outcome != PASSED)
		return outcome;
	memcpy(s->start, cut, s->nthreads * sizeof(*cut));
	snag_cut_delay(s, cut, s->start);
	return check_rows(c, s, cut, false, why);
}

static enum outcome check_mode(struct subject *subject, const struct snag_index *ix,
			       enum snag_mode mode, struct reason *why)
{
	const struct model *m = &subject->model;
	struct snag_state s;
	enum outcome outcome = SKIPPED;
	snag_state_init(&s, ix, mode);
	for (unsigned e2 = 0; e2 < m->n && outcome != FAILED; e2++)
		for (event_set rest = m->conflicts[e2] & below(e2); rest && outcome != FAILED;) {
			unsigned e1 = take_first(&rest);
			struct closure c = {.m = m, .mode = mode, .racer = {e1, e2}};
			struct reason what;
			outcome = check_pair(&c, &s, &what);
			if (outcome == FAILED)
				check_fail(why, "%u-%u in mode %s: %.1900s", e1, e2,
					   rules_name[snag_rules_of_mode((enum snag_mode)mode)],
					   what.text);
		}
	snag_state_done(&s);
	return outcome;
}

enum outcome check_closure(struct subject *s, struct reason *why)
{
	struct snag_index *ix = snag_index_new(s->trace);
	enum outcome outcome = PASSED;
	for (int mode = 0; mode < SNAG_MODES && outcome == PASSED; mode++) {
		snag_index_add_rows(ix, (enum snag_mode)mode, 1 + (uint32_t)s->seed % 4);
		outcome = check_mode(s, ix, (enum snag_mode)mode, why);
	}
	snag_index_free(ix);
	return outcome;
}
