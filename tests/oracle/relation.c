/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.c - the partial orders over a trace, by naive fixpoint
 *
 * Idea.   Each relation is the least one that contains some edges and is closed
 *         under some rules.  Put in the edges, apply the rules until nothing
 *         changes.
 *
 * Rules.  Everywhere: fork and join are hard edges: the fork of a thread before
 *         each of its events and before its join, what a joined thread did
 *         before the join.  A section is that of any enclosing lock; a section
 *         without release contains events but orders nothing.
 *         r1, r2: releases of sections of one lock, r1 first; e1, e2: events in them.
 *         Sections that both share the lock do not count.  For WCP and below, and for the HB
 *         they compose with, an atomic access is a section of its own, of a lock of its
 *         variable, that begins just before and ends just after the access.
 *
 *              edges                                          closed under
 *         HB   program order; r1 -> the acquire of r2;        transitivity
 *              synchronises-with of C11
 *         SHB  HB; last writer -> read                        transitivity
 *              (a racing read is compared before the edge from its own writer)
 *         WCP  e1, e2 conflict: r1 -> e2                      HB on both sides,
 *                                                             rel-rel
 *         DC   program order; as WCP                          transitivity, rel-rel
 *         SDP  as WCP unless both write; both write:          HB on both sides,
 *              r1 -> reads of the variable after e2           rel-rel
 *              in its thread
 *         SDPX as SDP; X: both write: r1 X e2, closed         as SDP;
 *              under HB on both sides                         a1 X a2 => r1 -> r2
 *         WDP  program order; e2 read from e1: r1 -> the      transitivity, rel-rel
 *              branches after e2 in its thread that depend on it
 *
 *         rel-rel: if the acquire of r1 is before r2, then r1 is before r2.
 *         Since hard edges belong to every relation, this is "the relation joined
 *         with program order": program order alone relates no two threads.
 *
 *         Ordered: event by event, races add edges, as if each access of a race were a
 *         section of its own of a lock of this race: HB gets e1 -> e2, and the relation
 *         what the table says of the two sections.
 *
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, table 2; Mathur, Kini and
 *             Viswanathan, OOPSLA 2018 (SHB).  SDP as printed is not sound
 *             (cases.c has the counterexample); SDPX repairs it.
 */
#include "relation.h"

#include <string.h>

const char *const relation_name[RELATIONS] = {
	[REL_HB] = "hb",   [REL_SHB] = "shb",	[REL_WCP] = "wcp", [REL_DC] = "dc",
	[REL_SDP] = "sdp", [REL_SDPX] = "sdpx", [REL_WDP] = "wdp", [REL_HYBRID] = "hybrid",
};

static bool add(struct order *o, unsigned e, event_set before)
{
	event_set old = o->before[e];
	o->before[e] |= before;
	return o->before[e] != old;
}

/* What is before an event that is before e in `last`, by `first`: (first; last). */
static event_set composed(const struct order *first, const struct order *last, unsigned e)
{
	event_set before = 0;
	for (event_set rest = last->before[e]; rest;)
		before |= first->before[take_first(&rest)];
	return before;
}

static bool close_transitively(const struct model *m, struct order *o)
{
	bool changed = false;
	for (unsigned e = 0; e < m->n; e++)
		changed |= add(o, e, composed(o, o, e));
	return changed;
}

static bool close_under_hb(const struct model *m, const struct order *hb, struct order *o)
{
	bool changed = false;
	for (unsigned e = 0; e < m->n; e++)
		changed |= add(o, e, composed(hb, o, e) | composed(o, hb, e));
	return changed;
}

/* The pairs of sections of one lock that exclude each other, the first released. */
static bool are_sections_of_one_lock(const struct section *a, const struct section *b)
{
	return a->lock == b->lock && a->release != NO_EVENT && a->release < b->acquire &&
	       !(a->is_shared && b->is_shared);
}

#define FOR_PAIRS_OF(m, count, a, b)                                                          \
	for (const struct section *a = (m)->section; a < (m)->section + (count); a++)         \
		for (const struct section *b = (m)->section; b < (m)->section + (count); b++) \
			if (are_sections_of_one_lock(a, b))

/* With those of atomic accesses. */
#define FOR_SECTION_PAIRS(m, a, b) FOR_PAIRS_OF(m, (m)->nall, a, b)

static bool close_rel_rel(const struct model *m, struct order *o)
{
	bool changed = false;
	FOR_SECTION_PAIRS(m, a, b)
	if (b->release != NO_EVENT && (o->before[b->release] & just(a->acquire)))
		changed |= add(o, b->release, just(a->release));
	return changed;
}

/* What races have added.  Each access of a race is a section of its own. */
struct added {
	struct order direct; /* to the relation */
	struct order hb;     /* to the happens-before that it composes with */
	struct order wrote;  /* SDPX: to X */
};

static void add_all(const struct model *m, const struct order *edges, struct order *o)
{
	for (unsigned e = 0; e < m->n; e++)
		add(o, e, edges->before[e]);
}

static void add_hard_edges(const struct model *m, struct order *o)
{
	for (unsigned e = 0; e < m->n; e++)
		add(o, e, m->needs[e]);
}

static void add_program_order(const struct model *m, struct order *o)
{
	for (unsigned e = 0; e < m->n; e++)
		add(o, e, m->of[m->thread[e]] & below(e));
}

static void add_lock_order(const struct model *m, unsigned nsections, struct order *o)
{
	FOR_PAIRS_OF(m, nsections, a, b)
	add(o, b->acquire, just(a->release));
}

static void add_reads_from(const struct model *m, struct order *o)
{
	for (unsigned e = 0; e < m->n; e++)
		if (m->saw[e] != NO_EVENT)
			add(o, e, just(m->saw[e]));
}

/* Synchronises-with of C11: a store, or a release fence before it, is ordered before a load
 * that reads from its release sequence (the store and updates right after it), or before
 * an acquire fence after that load. */

static bool releases(const struct model *m, unsigned e)
{
	unsigned order = m->trace->ev[e].flags & SNAG_ORDER_MASK;
	return order == SNAG_RELEASE || order == SNAG_ACQ_REL || order == SNAG_SEQ_CST;
}

static bool acquires(const struct model *m, unsigned e)
{
	unsigned order = m->trace->ev[e].flags & SNAG_ORDER_MASK;
	return order == SNAG_CONSUME || order == SNAG_ACQUIRE || order == SNAG_ACQ_REL ||
	       order == SNAG_SEQ_CST;
}

/* The last atomic store or update of e's variable before e, or NO_EVENT. */
static unsigned last_store(const struct model *m, event_set counts, unsigned e)
{
	for (unsigned w = e; w-- > 0;)
		if (m->target[w] == m->target[e] && (counts & just(w)) &&
		    (m->op[w] == SNAG_OP_ATOMIC_WRITE || m->op[w] == SNAG_OP_ATOMIC_UPDATE))
			return w;
	return NO_EVENT;
}

static event_set fences(const struct model *m, unsigned thread)
{
	event_set fences = 0;
	for (unsigned e = 0; e < m->n; e++)
		if (m->op[e] == SNAG_OP_FENCE && m->thread[e] == thread)
			fences |= just(e);
	return fences;
}

/* What the load e synchronises with if it acquires; stores count that are in `counts`. */
static event_set released_to(const struct model *m, event_set counts, bool has_fences, unsigned e)
{
	event_set released = 0;
	unsigned w = e;
	do {
		w = last_store(m, counts, w);
		if (w == NO_EVENT)
			break;
		if (releases(m, w))
			released |= just(w);
		for (event_set rest = fences(m, m->thread[w]) & below(w); has_fences && rest;) {
			unsigned fence = take_first(&rest);
			if (releases(m, fence))
				released |= just(fence);
		}
	} while (m->op[w] == SNAG_OP_ATOMIC_UPDATE);
	return released;
}

/* Order by the atomic accesses in `counts`; for hybrid without what only a fence orders. */
static void add_atomic_order(const struct model *m, event_set counts, bool has_fences,
			     struct order *o)
{
	for (unsigned e = 0; e < m->n; e++) {
		if ((m->op[e] != SNAG_OP_ATOMIC_READ && m->op[e] != SNAG_OP_ATOMIC_UPDATE) ||
		    !(counts & just(e)))
			continue;
		event_set released = released_to(m, counts, has_fences, e);
		if (acquires(m, e))
			add(o, e, released);
		for (event_set rest = fences(m, m->thread[e]) & ~below(e); has_fences && rest;) {
			unsigned fence = take_first(&rest);
			if (acquires(m, fence))
				add(o, fence, released);
		}
	}
}

enum conflicts { ALL, WITH_A_READ, BOTH_WRITE };

/* r1 -> e2 for conflicting e1, e2 of the given kind. */
static void add_conflicts(const struct model *m, enum conflicts which, struct order *o)
{
	FOR_SECTION_PAIRS(m, a, b)
	for (event_set rest = b->events; rest;) {
		unsigned e2 = take_first(&rest);
		event_set e1 = a->events & m->clashes[e2];
		if (which == WITH_A_READ && !(m->reads & just(e2)))
			e1 &= m->reads;
		if (which == BOTH_WRITE)
			e1 &= m->writes & just(e2) ? m->writes : 0;
		if (e1)
			add(o, e2, just(a->release));
	}
}

/* r1 -> e3, a read after e2 in its thread; e1 and e2 write its variable. */
static void add_write_write_reads(const struct model *m, struct order *o)
{
	FOR_SECTION_PAIRS(m, a, b)
	for (event_set rest = b->events & m->writes; rest;) {
		unsigned e2 = take_first(&rest);
		if (!(a->events & m->writes & m->clashes[e2]))
			continue;
		event_set later = m->of[b->thread] & m->reads & ~below(e2);
		while (later) {
			unsigned e3 = take_first(&later);
			if (m->target[e3] == m->target[e2])
				add(o, e3, just(a->release));
		}
	}
}

/* r1 -> branches after e2 in its thread that depend on it; e2 reads from e1. */
static void add_last_writer_branches(const struct model *m, struct order *o)
{
	FOR_SECTION_PAIRS(m, a, b)
	for (event_set rest = b->events & m->reads; rest;) {
		unsigned e2 = take_first(&rest);
		if (m->saw[e2] == NO_EVENT || !(a->events & just(m->saw[e2])))
			continue;
		event_set later = m->of[b->thread] & m->branches & ~below(e2);
		while (later) {
			unsigned branch = take_first(&later);
			if (m->depends[branch] & just(e2))
				add(o, branch, just(a->release));
		}
	}
}

static void compute_hb(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->direct, o);
	add_hard_edges(m, o);
	add_program_order(m, o);
	add_lock_order(m, m->nsections, o);
	if (m->has_atomic)
		add_atomic_order(m, ~(event_set)0, true, o);
	while (close_transitively(m, o))
		;
}

/* HB without locks, fences and the atomics of the program: threads wait for the others only. */
static void compute_hybrid(const struct model *m, const struct added *more, struct order *o)
{
	event_set waits = 0;
	for (unsigned e = 0; e < m->n; e++)
		if (snag_event_is_wait(&m->trace->ev[e]))
			waits |= just(e);
	add_hard_edges(m, o);
	add_program_order(m, o);
	if (m->has_atomic)
		add_atomic_order(m, waits, false, o);
	while (close_transitively(m, o))
		;
}

/* HB with atomic accesses as sections. */
static void compute_hb_of_sections(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->hb, o);
	add_hard_edges(m, o);
	add_program_order(m, o);
	add_lock_order(m, m->nall, o);
	while (close_transitively(m, o))
		;
}

static void compute_shb(const struct model *m, const struct added *more, struct order *o)
{
	compute_hb(m, more, o);
	add_reads_from(m, o);
	while (close_transitively(m, o))
		;
}

/* For those that include program order. */
static void close_weak(const struct model *m, struct order *o)
{
	while (close_transitively(m, o) | close_rel_rel(m, o))
		;
}

/* For those that compose with HB instead. */
static void close_strong(const struct model *m, const struct added *more, struct order *o)
{
	struct order hb = {0};
	compute_hb_of_sections(m, more, &hb);
	while (close_transitively(m, o) | close_under_hb(m, &hb, o) | close_rel_rel(m, o))
		;
}

static void compute_dc(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->direct, o);
	add_hard_edges(m, o);
	add_program_order(m, o);
	add_conflicts(m, ALL, o);
	close_weak(m, o);
}

static void compute_wdp(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->direct, o);
	add_hard_edges(m, o);
	add_program_order(m, o);
	add_last_writer_branches(m, o);
	close_weak(m, o);
}

static void compute_wcp(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->direct, o);
	add_hard_edges(m, o);
	add_conflicts(m, ALL, o);
	close_strong(m, more, o);
}

static void add_sdp_edges(const struct model *m, const struct added *more, struct order *o)
{
	add_all(m, &more->direct, o);
	add_hard_edges(m, o);
	add_conflicts(m, WITH_A_READ, o);
	add_write_write_reads(m, o);
}

static void compute_sdp(const struct model *m, const struct added *more, struct order *o)
{
	add_sdp_edges(m, more, o);
	close_strong(m, more, o);
}

static void compute_sdpx(const struct model *m, const struct added *more, struct order *o)
{
	struct order hb = {0}, x = {0};
	compute_hb_of_sections(m, more, &hb);
	add_all(m, &more->wrote, &x);
	add_conflicts(m, BOTH_WRITE, &x);
	while (close_under_hb(m, &hb, &x))
		;
	add_sdp_edges(m, more, o);
	/* Before the acquire, that is: an atomic access may conflict itself. */
	FOR_SECTION_PAIRS(m, a, b)
	if (b->release != NO_EVENT && (composed(&x, &hb, b->acquire) & just(a->acquire)))
		add(o, b->release, just(a->release));
	close_strong(m, more, o);
}

static void compute(const struct model *m, enum relation which, const struct added *more,
		    struct order *ret_order)
{
	static void (*const rules[RELATIONS])(const struct model *, const struct added *,
					      struct order *) = {
		[REL_HB] = compute_hb,	 [REL_SHB] = compute_shb,	[REL_WCP] = compute_wcp,
		[REL_DC] = compute_dc,	 [REL_SDP] = compute_sdp,	[REL_SDPX] = compute_sdpx,
		[REL_WDP] = compute_wdp, [REL_HYBRID] = compute_hybrid,
	};
	memset(ret_order, 0, sizeof(*ret_order));
	rules[which](m, more, ret_order);
}

void relation_compute(const struct model *m, enum relation which, struct order *ret_order)
{
	static const struct added nothing;
	compute(m, which, &nothing, ret_order);
}

/* e1 -> those of the events that follow e2 in its thread. */
static void add_later(const struct model *m, struct order *o, unsigned e1, unsigned e2,
		      event_set events)
{
	event_set later = m->of[m->thread[e2]] & events & ~below(e2) & ~just(e2);
	while (later)
		add(o, take_first(&later), just(e1));
}

static event_set reads_of(const struct model *m, unsigned variable)
{
	event_set reads = 0;
	for (unsigned e = 0; e < m->n; e++)
		if ((m->reads & just(e)) && m->target[e] == variable)
			reads |= just(e);
	return reads;
}

static event_set branches_on(const struct model *m, unsigned read)
{
	event_set branches = 0;
	for (unsigned e = 0; e < m->n; e++)
		if ((m->branches & just(e)) && (m->depends[e] & just(read)))
			branches |= just(e);
	return branches;
}

/* The edges of a race, as the relation orders conflicting sections. */
static void add_race(const struct model *m, enum relation which, unsigned e1, unsigned e2,
		     struct added *more)
{
	bool both_write = (m->writes & just(e1)) && (m->writes & just(e2));
	add(&more->hb, e2, just(e1));
	if (which == REL_WDP) {
		if ((m->reads & just(e2)) && m->saw[e2] == e1)
			add_later(m, &more->direct, e1, e2, branches_on(m, e2));
	} else if ((which == REL_SDP || which == REL_SDPX) && both_write) {
		add_later(m, &more->direct, e1, e2, reads_of(m, m->target[e2]));
		add(&more->wrote, e2, just(e1));
	} else {
		add(&more->direct, e2, just(e1));
	}
}

void relation_compute_ordered(const struct model *m, enum relation which, struct order *ret_order,
			      event_set ret_races[MAX_EVENTS])
{
	struct added more = {0};
	struct order order;
	for (unsigned e2 = 0; e2 < m->n; e2++) {
		compute(m, which, &more, &order);
		ret_order->before[e2] = order.before[e2];
		ret_races[e2] = relation_races(m, which, &order, e2);
		for (event_set rest = ret_races[e2]; rest;)
			add_race(m, which, take_first(&rest), e2, &more);
	}
}

event_set relation_before(const struct model *m, enum relation which, const struct order *order,
			  unsigned e)
{
	event_set direct = m->needs[e] | (m->of[m->thread[e]] & below(e)), before = direct;
	if (which != REL_SHB)
		return order->before[e];
	/* For other reasons than that it saw its writer: by its thread. */
	while (direct)
		before |= order->before[take_first(&direct)];
	return before;
}

event_set relation_races(const struct model *m, enum relation which, const struct order *order,
			 unsigned e2)
{
	event_set before = relation_before(m, which, order, e2);
	event_set races = m->conflicts[e2] & below(e2) & ~before;
	if (which != REL_SDP && which != REL_SDPX && which != REL_WDP && which != REL_HYBRID)
		return races;
	event_set unprotected = 0;
	while (races) {
		unsigned e1 = take_first(&races);
		if (!(m->held[e1] & m->held[e2] & (m->alone[e1] | m->alone[e2])))
			unprotected |= just(e1);
	}
	return unprotected;
}
