/* SPDX-License-Identifier: Apache-2.0
 *
 * truth_osr.c - optimistic sync-reversal races by their definition, by trying every order
 *
 * Idea.   Compute the set of events that the definition closes.  Then let its events happen one by
 *         one in every possible way.  A state is the set of events that have happened.  Whether an
 *         event may be next depends on this set alone, so every set is visited once.
 *
 * Rules.  An event may be next if all of these hold:
 *         - its thread's earlier events, its fork and what its join needs have happened;
 *         - so have the conflicting accesses of the set that were observed before it;
 *         - a read sees the write it saw;
 *         - no competing section is open, and if it is an acquire, the competing sections that were
 *           observed earlier and end in the set are over.
 * Reference.  Shi, Mathur and Pavlogiannis, ICSE 2024.
 */
#include "truth_osr.h"

#include "base/memory.h"

enum { MAX_SETS = 1 << 18, SLOTS = 2 * MAX_SETS };

/* Sets of events that were reached; open addressing.  The empty set is not in it. */
struct sets {
	event_set slot[SLOTS];
	event_set list[MAX_SETS];
	uint32_t at[MAX_SETS]; /* their slots */
	uint32_t n;
	bool is_full;
};

static void sets_clear(struct sets *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->slot[s->at[i]] = 0;
	s->n = 0;
}

static void sets_add(struct sets *s, event_set set)
{
	uint32_t i = (uint32_t)(set * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (SLOTS - 1);
	for (; s->slot[i]; i = (i + 1) & (SLOTS - 1))
		if (s->slot[i] == set)
			return;
	s->is_full |= s->n == MAX_SETS;
	if (s->is_full)
		return;
	s->slot[i] = set;
	s->at[s->n] = i;
	s->list[s->n++] = set;
}

static bool competes(const struct section *a, const struct section *b)
{
	return a->lock == b->lock && a->thread != b->thread && !(a->is_shared && b->is_shared);
}

/* Whether the section has begun and not ended. */
static bool is_open(const struct section *s, event_set done)
{
	return (done & just(s->acquire)) && (s->release == NO_EVENT || !(done & just(s->release)));
}

/* All that must be done before e, whatever else is: program order, fork, join and, except for an
 * access of the pair, the write it saw. */
static event_set direct(const struct model *m, unsigned e)
{
	event_set need = (m->of[m->thread[e]] & below(e)) | m->needs[e];
	if ((m->reads & just(e)) && m->saw[e] != NO_EVENT)
		need |= just(m->saw[e]);
	return need;
}

/* The events with all that must precede them. */
static event_set closure(const struct model *m, event_set set)
{
	for (event_set rest = set; rest;) {
		unsigned e = take_first(&rest);
		event_set more = direct(m, e) & ~set;
		set |= more;
		rest |= more;
	}
	return set;
}

static event_set before_pair(const struct model *m, unsigned e1, unsigned e2)
{
	event_set set = m->needs[e1] | m->needs[e2];
	set |= m->of[m->thread[e1]] & below(e1);
	set |= m->of[m->thread[e2]] & below(e2);
	return closure(m, set);
}

/* The writer of e's variable in a set in which writes keep the observed order is the last one; here
 * it must be that e saw. */
static bool sees_its_writer(const struct model *m, event_set done, unsigned e)
{
	event_set writes = 0;
	for (event_set rest = done & m->writes; rest;) {
		unsigned w = take_first(&rest);
		writes |= m->target[w] == m->target[e] ? just(w) : 0;
	}
	return writes ? m->saw[e] == 31 - __builtin_clz(writes) : m->saw[e] == NO_EVENT;
}

/* Whether no section keeps the acquire from being next, and [keep] those it must keep its order
 * with have ended. */
static bool locks_allow(const struct model *m, event_set done, event_set keep, unsigned e)
{
	const struct section *mine = model_section(m, e);
	for (unsigned i = 0; mine && i < m->nsections; i++) {
		const struct section *s = &m->section[i];
		if (!competes(s, mine))
			continue;
		if (is_open(s, done))
			return false;
		if ((keep & just(s->acquire)) && s->acquire < e && !(done & just(s->acquire)))
			return false;
	}
	return true;
}

/* Whether all of the set can happen one by one.  Conflicting accesses keep the observed order, as
 * do sections whose acquires are in `keep`. */
static bool has_order(struct sets *sets, const struct model *m, event_set set, event_set keep)
{
	event_set done = 0;
	sets_clear(sets);
	for (uint32_t at = 0;; done = sets->list[at++]) {
		if (done == set)
			return true;
		for (event_set rest = set & ~done; rest;) {
			unsigned e = take_first(&rest);
			event_set first = (m->of[m->thread[e]] & below(e)) | m->needs[e] |
					  (m->clashes[e] & below(e));
			if ((first & set & ~done) || !locks_allow(m, done, keep & set, e))
				continue;
			if ((m->reads & just(e)) && !sees_its_writer(m, done, e))
				continue;
			sets_add(sets, done | just(e));
		}
		if (at == sets->n || sets->is_full)
			return false;
	}
}

/* The least set with all that must precede the pair, and each release that need not follow it. */
static event_set optimistic_set(const struct model *m, unsigned e1, unsigned e2)
{
	event_set pair = just(e1) | just(e2), set = before_pair(m, e1, e2), before;
	do {
		before = set;
		for (unsigned i = 0; i < m->nsections; i++) {
			const struct section *s = &m->section[i];
			if (!(set & just(s->acquire)) || s->release == NO_EVENT)
				continue;
			event_set end = closure(m, just(s->release));
			if (!(end & pair))
				set |= end;
		}
	} while (set != before);
	return set;
}

static bool is_osr(struct sets *sets, const struct model *m, unsigned e1, unsigned e2)
{
	event_set set = optimistic_set(m, e1, e2), ended = 0;
	if (set & (just(e1) | just(e2)))
		return false;
	for (unsigned i = 0; i < m->nsections; i++)
		if (!is_open(&m->section[i], set))
			ended |= just(m->section[i].acquire);
	return has_order(sets, m, set, ended);
}

bool truth_osr(const struct model *m, event_set *ret_races)
{
	struct sets *sets = snag_calloc(1, sizeof(*sets));
	for (unsigned e2 = 0; e2 < m->n; e2++) {
		ret_races[e2] = 0;
		for (event_set rest = m->conflicts[e2] & below(e2); rest;) {
			unsigned e1 = take_first(&rest);
			ret_races[e2] |= is_osr(sets, m, e1, e2) ? just(e1) : 0;
		}
	}
	bool is_whole = !sets->is_full;
	free(sets);
	return is_whole;
}
