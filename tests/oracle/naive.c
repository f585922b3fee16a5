/* SPDX-License-Identifier: Apache-2.0
 *
 * naive.c - is this a witness?  The definitions, quantifier by quantifier
 *
 * Idea.   No replay and no state: each rule is a statement about pairs or triples
 *         of events, checked for all of them.  Only the trace and the sequence
 *         are used.  Slow, and unlike witness/check.c in every line.
 * Reference.  Pavlogiannis, POPL 2020, section 2 and 6.1; Genç, Roemer, Xu and
 *             Bond, OOPSLA 2019, definitions 2.1 to 2.4.
 */
#include "naive.h"

#include "trace/race.h"

#define NOWHERE SIZE_MAX

struct claim {
	const struct snag_event *ev; /* of the trace */
	uint32_t nevents;
	const uint32_t *tr; /* the sequence */
	size_t n;
	size_t nfree; /* so many events at its end may see any write */
};

/* Where the event is in the sequence. */
static size_t where(const struct claim *c, uint32_t e)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->tr[i] == e)
			return i;
	return NOWHERE;
}

static bool reads(const struct claim *c, uint32_t e)
{
	return c->ev[e].op == SNAG_OP_READ || c->ev[e].op == SNAG_OP_ATOMIC_READ ||
	       c->ev[e].op == SNAG_OP_ATOMIC_UPDATE;
}

static bool writes(const struct claim *c, uint32_t e)
{
	return c->ev[e].op == SNAG_OP_WRITE || c->ev[e].op == SNAG_OP_ATOMIC_WRITE ||
	       c->ev[e].op == SNAG_OP_ATOMIC_UPDATE;
}

static bool same_thread(const struct claim *c, uint32_t a, uint32_t b)
{
	return c->ev[a].thread == c->ev[b].thread;
}

static bool is_set(const struct claim *c) /* events of the trace, none twice */
{
	for (size_t i = 0; i < c->n; i++)
		if (c->tr[i] >= c->nevents || where(c, c->tr[i]) != i)
			return false;
	return true;
}

/* a is before b in every run, for another reason than locks and values. */
static bool must_precede(const struct claim *c, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &c->ev[a], *y = &c->ev[b];
	bool program = x->thread == y->thread && a < b;
	bool fork = x->op == SNAG_OP_FORK && x->target == y->thread;
	bool join = y->op == SNAG_OP_JOIN && y->target == x->thread && a < b;
	bool start =
		x->op == SNAG_OP_FORK && y->op == SNAG_OP_JOIN && x->target == y->target && a < b;
	return program || fork || join || start;
}

static bool keeps_program(const struct claim *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (uint32_t a = 0; a < c->nevents; a++)
			if (must_precede(c, a, c->tr[i]) &&
			    (where(c, a) == NOWHERE || where(c, a) > i))
				return false;
	return true;
}

static bool is_acquire(const struct claim *c, uint32_t e)
{
	bool acquires = c->ev[e].op == SNAG_OP_ACQUIRE || c->ev[e].op == SNAG_OP_ACQUIRE_SHARED;
	return acquires && !(c->ev[e].flags & SNAG_NESTED);
}

/* R(a): the release that ends the critical section of the acquire a. */
static uint32_t release_of(const struct claim *c, uint32_t a)
{
	for (uint32_t e = a + 1; e < c->nevents; e++)
		if (same_thread(c, a, e) && c->ev[a].target == c->ev[e].target &&
		    (c->ev[e].op == SNAG_OP_RELEASE || c->ev[e].op == SNAG_OP_RELEASE_SHARED) &&
		    !(c->ev[e].flags & SNAG_NESTED))
			return e;
	return SNAG_NO_EVENT;
}

/* Acquires e1 before e2 of one lock: e1 < R(e1) < e2, unless both share it. */
static bool keeps_locks(const struct claim *c)
{
	for (size_t j = 0; j < c->n; j++)
		for (size_t i = 0; i < j; i++) {
			uint32_t e1 = c->tr[i], e2 = c->tr[j];
			if (!is_acquire(c, e1) || !is_acquire(c, e2) ||
			    c->ev[e1].target != c->ev[e2].target)
				continue;
			if (c->ev[e1].op == SNAG_OP_ACQUIRE_SHARED &&
			    c->ev[e2].op == SNAG_OP_ACQUIRE_SHARED)
				continue;
			size_t r = where(c, release_of(c, e1));
			if (r == NOWHERE || r < i || r > j)
				return false;
		}
	return true;
}

/* The last write of e's variable before e in the trace, and in the sequence. */
static uint32_t last_write_in_trace(const struct claim *c, uint32_t e)
{
	for (uint32_t w = e; w-- > 0;)
		if (writes(c, w) && c->ev[w].target == c->ev[e].target)
			return w;
	return SNAG_NO_EVENT;
}

static uint32_t last_write_in_sequence(const struct claim *c, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (writes(c, c->tr[k]) && c->ev[c->tr[k]].target == c->ev[c->tr[i]].target)
			return c->tr[k];
	return SNAG_NO_EVENT;
}

/* Whether the branch may depend on the earlier read of its thread. */
static bool depends(const struct claim *c, uint32_t branch, uint32_t read)
{
	bool names_any = false, names = false, has_named = false;
	for (uint32_t e = 0; e < branch; e++) {
		if (!same_thread(c, e, branch))
			continue;
		if (c->ev[e].op == SNAG_OP_BRANCH)
			names_any = names = false;
		if (c->ev[e].op == SNAG_OP_DEPENDS) {
			if (!has_named && read < e)
				return true; /* it is from before the thread named any */
			names_any = has_named = true;
			names |= c->ev[e].target == c->ev[read].target;
		}
	}
	return names || !names_any;
}

static bool is_causal(const struct claim *c, uint32_t read, enum snag_rules rules);

/* By the rules DEPENDENCE some causal read of the sequence saw it in the trace; by LITERAL any
 * is. */
static bool is_causal_write(const struct claim *c, uint32_t write, enum snag_rules rules)
{
	for (size_t k = 0; k < c->n; k++) {
		uint32_t r = c->tr[k];
		if (reads(c, r) && last_write_in_trace(c, r) == write && is_causal(c, r, rules))
			return true;
	}
	return rules == SNAG_RULES_LITERAL;
}

/* The recursion ends, as it goes from a read to later ones of the trace. */
static bool is_causal(const struct claim *c, uint32_t read, enum snag_rules rules)
{
	for (size_t k = 0; k < c->n; k++) {
		uint32_t e = c->tr[k];
		/* An atomic update is a read, and then a write. */
		if (same_thread(c, read, e) && read <= e && writes(c, e) &&
		    is_causal_write(c, e, rules))
			return true;
		if (same_thread(c, read, e) && read < e && c->ev[e].op == SNAG_OP_BRANCH &&
		    depends(c, e, read))
			return true;
	}
	return snag_event_is_wait(&c->ev[read]);
}

static bool keeps_writers(const struct claim *c, enum snag_rules rules)
{
	for (size_t i = 0; i < c->n; i++) {
		uint32_t e = c->tr[i];
		bool is_racing = i + c->nfree >= c->n;
		if (!reads(c, e))
			continue;
		if ((rules == SNAG_RULES_READS ? !is_racing : is_causal(c, e, rules)) &&
		    last_write_in_trace(c, e) != last_write_in_sequence(c, i))
			return false;
	}
	return true;
}

static bool ends_with_race(const struct claim *c)
{
	uint32_t e1 = c->tr[c->n - 2], e2 = c->tr[c->n - 1];
	return snag_op_is_access(c->ev[e1].op) && snag_op_is_access(c->ev[e2].op) &&
	       c->ev[e1].target == c->ev[e2].target && !same_thread(c, e1, e2) &&
	       (writes(c, e1) || writes(c, e2));
}

static const char *reordering_check(const struct claim *c, enum snag_rules rules)
{
	if (!is_set(c))
		return "events of the trace, none twice";
	if (!keeps_program(c))
		return "program order, fork and join";
	if (!keeps_locks(c))
		return "lock semantics";
	if (!keeps_writers(c, rules))
		return "last writers";
	return NULL;
}

const char *naive_check(const struct snag_trace *trace, const uint32_t *events, size_t n,
			enum snag_rules rules)
{
	struct claim c = {
		.ev = trace->ev, .nevents = (uint32_t)trace->n, .tr = events, .n = n, .nfree = 2};
	if (n < 2)
		return "two events";
	const char *why = reordering_check(&c, rules);
	if (!why && !ends_with_race(&c))
		why = "two conflicting events at the end";
	return why;
}

/* The thread holds the lock, alone or in any way, after the sequence. */
static bool holds(const struct claim *c, snag_tid thread, uint32_t lock, bool alone)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct snag_event *ev = &c->ev[c->tr[i]];
		if (is_acquire(c, c->tr[i]) && ev->thread == thread && ev->target == lock &&
		    (ev->op == SNAG_OP_ACQUIRE || !alone) &&
		    where(c, release_of(c, c->tr[i])) == NOWHERE)
			return true;
	}
	return false;
}

/* The thread of the request stands before it. */
static bool stands_before(const struct claim *c, uint32_t request)
{
	for (uint32_t e = 0; e < c->nevents; e++) {
		bool is_fork =
			c->ev[e].op == SNAG_OP_FORK && c->ev[e].target == c->ev[request].thread;
		bool is_earlier = same_thread(c, e, request) && e < request;
		bool is_later = same_thread(c, e, request) && e >= request;
		if ((is_fork || is_earlier) && where(c, e) == NOWHERE)
			return false;
		if (is_later && where(c, e) != NOWHERE)
			return false;
	}
	return true;
}

static bool waits_for(const struct claim *c, uint32_t request, snag_tid other)
{
	const struct snag_event *ev = &c->ev[request];
	if (ev->thread == other || ev->flags & SNAG_NO_WAIT)
		return false;
	if (ev->op == SNAG_OP_JOIN)
		return ev->target == other;
	return is_acquire(c, request) &&
	       holds(c, other, ev->target, ev->op == SNAG_OP_ACQUIRE_SHARED);
}

const char *naive_check_deadlock(const struct snag_trace *trace, const struct snag_witness *w,
				 enum snag_rules rules)
{
	struct claim c = {
		.ev = trace->ev, .nevents = (uint32_t)trace->n, .tr = w->event, .n = w->n};
	const char *why = reordering_check(&c, rules);
	if (why)
		return why;
	if (w->nrequests < 2)
		return "two requests";
	for (size_t i = 0; i < w->nrequests; i++) {
		uint32_t e = w->request[i], next = w->request[(i + 1) % w->nrequests];
		if (e >= c.nevents || next >= c.nevents)
			return "requests of the trace";
		for (size_t k = 0; k < i; k++)
			if (same_thread(&c, w->request[k], e))
				return "requests of different threads";
		if (!stands_before(&c, e))
			return "threads before their requests";
		if (!waits_for(&c, e, c.ev[next].thread))
			return "a circle";
	}
	return NULL;
}

const char *naive_check_atomicity(const struct snag_trace *trace, const struct snag_witness *w,
				  enum snag_rules rules)
{
	struct claim c = {
		.ev = trace->ev, .nevents = (uint32_t)trace->n, .tr = w->event, .n = w->n};
	const char *why = reordering_check(&c, rules);
	if (why)
		return why;
	if (w->nunit != 3)
		return "three events";
	for (size_t i = 0; i < 3; i++)
		if (w->unit[i] >= c.nevents || where(&c, w->unit[i]) == NOWHERE)
			return "events of the witness";
	uint32_t read = w->unit[0], between = w->unit[1], write = w->unit[2];
	if (where(&c, read) > where(&c, between) || where(&c, write) + 1 != w->n)
		return "their order";
	if (!same_thread(&c, read, write) || same_thread(&c, read, between) || read >= write)
		return "their threads";
	if (!reads(&c, read) || writes(&c, read) || !writes(&c, between) || !writes(&c, write) ||
	    reads(&c, write))
		return "a read, a write between and a write";
	for (uint32_t e = 0; e < c.nevents; e++) {
		bool is_on = (reads(&c, e) || writes(&c, e)) && c.ev[e].target == c.ev[read].target;
		if ((e == between || e == write) && !is_on)
			return "one variable";
		if (same_thread(&c, e, read) && read < e && e < write && is_on)
			return "the write is the next access after the read";
	}
	return NULL;
}

const char *naive_check_freed(const struct snag_trace *trace, const struct snag_witness *w,
			      enum snag_rules rules)
{
	struct claim c = {.ev = trace->ev,
			  .nevents = (uint32_t)trace->n,
			  .tr = w->event,
			  .n = w->n,
			  .nfree = 1};
	const char *why = reordering_check(&c, rules);
	if (why)
		return why;
	if (w->nfreed != 2)
		return "two events";
	for (size_t i = 0; i < 2; i++)
		if (w->freed[i] >= c.nevents || where(&c, w->freed[i]) == NOWHERE)
			return "events of the witness";
	uint32_t end = w->freed[0], access = w->freed[1];
	if (where(&c, access) + 1 != w->n)
		return "the access at the end";
	if (c.ev[end].op != SNAG_OP_WRITE || c.ev[end].size != 0)
		return "the end of a block";
	if ((!reads(&c, access) && !writes(&c, access)) || c.ev[access].size == 0)
		return "an access";
	if (same_thread(&c, end, access) || c.ev[end].target != c.ev[access].target)
		return "another thread, one variable";
	return NULL;
}
