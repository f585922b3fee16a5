/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - is this a witness?  One replay that shares no code with any analysis
 *
 * Idea.   A witness claims: the program could have run these events in this order, and then two
 *         racing accesses would have been next, or threads would have waited for each other.  The
 *         checker replays the witness and checks every step against the rules.  It uses nothing of
 *         the code that built the witness.
 *
 * State.  Facts of the trace (check_facts.h): the position of an event, and what it saw.  A walk
 *         through the trace, as far as the witness goes, yields them one by one.  So the prefix,
 *         which is in the order of the trace, is replayed during the walk, and only the facts of
 *         listed events are kept.
 *         Of the trace, by thread: fork (the event that starts it).
 *         Of the replay:
 *         done[t]        events of t that have happened
 *         keeps[e]       the read e keeps its writer; NULL: all reads do (check_causal.h)
 *         last_write[x]  the write of x that a read would see now
 *         lock[l]        the threads that hold l
 *
 * Rules.  [number]   every number is that of an event
 *         [program]  an event is the next one of its thread (so none is missing, repeated or out
 *                    of order)
 *         [fork]     a thread starts after its fork, if the trace has one
 *         [join]     a join follows all events of the joined thread that precede it in the trace
 *         [lock]     a lock is taken alone only when no thread holds it, and shared only when no
 *                    thread holds it alone
 *         [read]     a read that must keep its writer sees the same write as in the trace, or
 *                    none in both.  By the rules READS these are all but the two racing ones.
 *                    By the rules DEPENDENCE these are the causal ones
 *         [causal]   the least sets such that: a read is causal if a branch of the witness
 *                    depends on it, if it waited (snag_event_is_wait), or if a causal write of
 *                    its thread follows; a write is causal if a causal read saw it in the
 *                    trace.  By the rules LITERAL every write of the witness is causal
 *         [depends]  a branch depends on all earlier reads of its thread.  If DEPENDS events
 *                    since its last branch name variables, it depends on the reads of these
 *                    variables, and on those before its first DEPENDS event
 *         [race]     the last two events are plain accesses of one variable by two threads, at
 *                    least one a write
 *         [deadlock] of a witness with requests, instead: after the last event the threads of the
 *                    requests wait for each other (check_deadlock.h), and no read is racing
 *         [atomicity] of a witness with a unit, instead: a write of another thread comes between
 *                    its read and its write (check_atomicity.h), and no read is racing
 *         [freed]    of a witness with freed memory, instead: its end comes before the last event,
 *                    an access to it (check_freed.h), which is free to see any write
 *         Nested acquires and releases are no lock operations.  Atomic accesses read and write
 *         like plain ones; an update reads before it writes.  Neither of the last two steps can
 *         enable the other, so both are enabled at once.
 *
 * Guarantee.  0 exactly for the reorderings of the two definitions.
 * Cost.       One walk, or two by the rules DEPENDENCE, and O(n log n) time and 28 bytes a
 *             listed event, of which there are n; by the rules DEPENDENCE also 5 bytes an event of
 *             the trace, with DEPENDS events 9.
 * Reference.  Pavlogiannis, POPL 2020, section 2 (READS); Genç, Roemer, Xu and
 *             Bond, OOPSLA 2019, definitions 2.2 to 2.4 (DEPENDENCE: causality that begins at
 *             branches, as the text under definition 2.3 says; LITERAL: as printed).
 */
#include "witness/witness.h"

#include "base/memory.h"
#include "trace/race.h"
#include "witness/check_atomicity.h"
#include "witness/check_causal.h"
#include "witness/check_deadlock.h"
#include "witness/check_facts.h"
#include "witness/check_freed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOBODY = UINT32_MAX };

struct lock_state {
	snag_tid owner;	  /* the thread that holds it alone, or NOBODY */
	uint32_t readers; /* how many hold it shared */
};

/* Where an event is listed. */
struct listing {
	uint32_t event;
	size_t at;
};

/* A walk through the trace that meets the events of the witness. */
struct walk {
	struct snag_facts_walk facts;
	const struct listing *listed; /* the next one it comes to */
	size_t left;		      /* members of the witness that are still to come: of the
				       * prefix, or listed */
};

struct replay {
	const struct snag_trace *trace;
	const struct snag_witness *witness;
	struct snag_error *err;

	struct listing *listing;	 /* by event */
	struct snag_facts *listed;	 /* of the listed events, as far as walks have come */
	const uint32_t *fork, *fork_pit; /* by thread: of the walk */

	uint32_t *done;		 /* by thread */
	uint8_t *keeps;		 /* by event: flags of check_causal.h */
	uint32_t *last_write;	 /* by variable */
	struct lock_state *lock; /* by lock */

	size_t named_step[3];	 /* of the events that it names (named_of), or SIZE_MAX */
	size_t nsteps;		 /* of the whole witness */
	size_t step;		 /* the current one, from 0 */
	uint32_t event;		 /* its event */
	uint32_t before;	 /* the one before that */
	struct snag_facts facts; /* of that */
};

/* "T1 r(x)", shortened where names are long. */
static void describe(const struct snag_trace *trace, uint32_t event, char *to, size_t size)
{
	const struct snag_event *ev = &trace->ev[event];
	const struct snag_op_info *op = &snag_op_info[ev->op];
	const char *thread = snag_name(&trace->names, SNAG_SPACE_THREAD, ev->thread);
	if (op->space == SNAG_SPACE_NONE)
		snprintf(to, size, "%.60s %s", thread, op->text);
	else
		snprintf(to, size, "%.60s %s(%.60s)", thread, op->text,
			 snag_name(&trace->names, op->space, ev->target));
}

/* Reports that the current step breaks a rule. */
__attribute__((format(printf, 2, 3))) static int broken(const struct replay *r, const char *fmt,
							...)
{
	char what[160], why[240];
	va_list ap;
	if (!r->err)
		return SNAG_EINPUT;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	describe(r->trace, r->event, what, sizeof(what));
	return snag_fail(r->err, SNAG_EINPUT, "step %zu (event %u, %s): %s", r->step, r->event,
			 what, why);
}

static void walk_begin(struct walk *w, const struct replay *r)
{
	*w = (struct walk){.listed = r->listing, .left = r->nsteps};
	snag_facts_begin(&w->facts, r->trace);
}

static int by_event(const void *a, const void *b)
{
	const struct listing *x = a, *y = b;
	return (x->event > y->event) - (x->event < y->event);
}

static struct listing *listings_sorted(const struct snag_witness *w)
{
	struct listing *l = snag_realloc(NULL, w->n + 1, sizeof(*l));
	for (size_t i = 0; i < w->n; i++)
		l[i] = (struct listing){w->event[i], i};
	qsort(l, w->n, sizeof(*l), by_event);
	l[w->n].event = SNAG_NO_EVENT;
	return l;
}

static uint32_t ops_of(const struct snag_trace *trace)
{
	uint32_t ops = 0;
	for (size_t e = 0; e < trace->n; e++)
		ops |= UINT32_C(1) << trace->ev[e].op;
	return ops;
}

enum member { NONE, OF_PREFIX, LISTED, OF_BOTH = OF_PREFIX | LISTED };

/* Advances to the next event that is part of the witness. */
static inline enum member walk_next(struct replay *r, struct walk *w, uint32_t *ret_event,
				    struct snag_facts *ret_facts)
{
	const uint32_t *prefix = r->witness->prefix;
	while (w->left && w->facts.next < r->trace->n) {
		uint32_t e = w->facts.next, is_member = NONE;
		struct snag_facts f = snag_facts_step(&w->facts);
		if (prefix && f.pit < prefix[r->trace->ev[e].thread]) {
			is_member = OF_PREFIX;
			w->left--;
		}
		for (; w->listed->event == e; w->listed++) {
			r->listed[w->listed->at] = f;
			is_member |= LISTED;
			w->left--;
		}
		if (is_member == NONE)
			continue;
		*ret_event = e;
		*ret_facts = f;
		return is_member;
	}
	return NONE;
}

/* If a walk reached the end of the trace before it found all members, the prefix is too long. */
static int check_prefix(const struct replay *r, const struct walk *w) /* [number] */
{
	uint32_t t = 0;
	if (!w->left)
		return 0;
	while (r->witness->prefix[t] <= w->facts.nevents[t])
		t++;
	return snag_fail(r->err, SNAG_EINPUT, "prefix of %.60s: %u events, but it has only %u",
			 snag_name(&r->trace->names, SNAG_SPACE_THREAD, t), r->witness->prefix[t],
			 w->facts.nevents[t]);
}

static int check_numbers(struct replay *r) /* [number] */
{
	const struct snag_witness *w = r->witness;
	uint32_t nthreads = r->trace->names.space[SNAG_SPACE_THREAD].n;

	r->nsteps = w->n;
	for (uint32_t t = 0; w->prefix && t < nthreads; t++)
		r->nsteps += w->prefix[t];
	for (size_t i = 0; i < w->n; i++)
		if (w->event[i] >= r->trace->n)
			return snag_fail(r->err, SNAG_EINPUT,
					 "step %zu: there is no event %u, the trace has %zu",
					 r->nsteps - w->n + i, w->event[i], r->trace->n);
	if (r->nsteps < 2 && !w->request && !w->unit && !w->freed)
		return snag_fail(r->err, SNAG_EINPUT,
				 "a witness has at least two events, this one %zu", r->nsteps);
	return 0;
}

/* Decides which reads must keep their writer. */
static void choose_causal(struct replay *r, enum snag_rules rules, uint32_t ops)
{
	bool has_branch = ops >> SNAG_OP_BRANCH & 1, has_depends = ops >> SNAG_OP_DEPENDS & 1;
	struct walk walk;
	struct snag_facts f;
	rules = snag_rules_of(rules, has_branch);
	if (rules == SNAG_RULES_READS)
		return;
	uint32_t *saw = snag_realloc(NULL, r->trace->n, sizeof(*saw));
	r->keeps = snag_calloc(r->trace->n, sizeof(*r->keeps));
	walk_begin(&walk, r);
	for (uint32_t e; walk_next(r, &walk, &e, &f);) {
		r->keeps[e] = SNAG_CAUSAL_IN;
		saw[e] = f.saw;
	}
	snag_facts_end(&walk.facts);
	snag_causal_choose(&(struct snag_causal){.trace = r->trace, .flags = r->keeps, .saw = saw},
			   has_depends, rules == SNAG_RULES_LITERAL);
	free(saw);
}

/* For an event at position `pit` of its thread. */
static bool has_happened(const struct replay *r, uint32_t event, uint32_t pit)
{
	return pit < r->done[r->trace->ev[event].thread];
}

static int check_program_order(const struct replay *r, const struct snag_event *ev) /* [program] */
{
	uint32_t pit = r->facts.pit, done = r->done[ev->thread];
	if (pit < done)
		return broken(r, "happens twice");
	if (pit > done)
		return broken(r, "earlier events of its thread are missing (%u)", pit - done);
	return 0;
}

static int check_thread(const struct replay *r, const struct snag_event *ev) /* [fork], [join] */
{
	uint32_t fork = r->fork[ev->thread];
	if (fork != SNAG_NO_EVENT && !has_happened(r, fork, r->fork_pit[ev->thread]))
		return broken(r, "its thread is forked by event %u, which has not happened", fork);
	if (ev->op != SNAG_OP_JOIN)
		return 0;
	uint32_t last = r->facts.saw;
	if (last != SNAG_NO_EVENT && !has_happened(r, last, r->facts.saw_pit))
		return broken(r,
			      "event %u comes before this join in the trace and has not happened",
			      last);
	return 0;
}

static int step_lock(struct replay *r, const struct snag_event *ev) /* [lock] */
{
	struct lock_state *l = &r->lock[ev->target];
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		if (l->owner != NOBODY)
			return broken(r, "the lock is held by %.60s",
				      snag_name(&r->trace->names, SNAG_SPACE_THREAD, l->owner));
		if (ev->op == SNAG_OP_ACQUIRE_SHARED) {
			l->readers++;
			return 0;
		}
		if (l->readers)
			return broken(r, "the lock is held shared (by %u)", l->readers);
		l->owner = ev->thread;
		return 0;
	case SNAG_OP_RELEASE:
		if (l->owner != ev->thread)
			return broken(r, "its thread does not hold the lock");
		l->owner = NOBODY;
		return 0;
	default: /* SNAG_OP_RELEASE_SHARED */
		if (!l->readers)
			return broken(r, "nobody holds the lock shared");
		l->readers--;
		return 0;
	}
}

static int check_read(const struct replay *r, const struct snag_event *ev) /* [read] */
{
	const struct snag_witness *w = r->witness;
	size_t nfree = w->request || w->unit ? 0 : w->freed ? 1 : 2; /* at the end of the witness */
	bool is_racing = r->step + nfree >= r->nsteps;
	bool keeps_writer = !is_racing && (!r->keeps || r->keeps[r->event] & SNAG_CAUSAL_KEEPS);
	uint32_t sees = r->last_write[ev->target], saw = r->facts.saw;
	if (!keeps_writer || sees == saw)
		return 0;
	if (saw == SNAG_NO_EVENT)
		return broken(r, "sees the write of event %u, in the trace it saw none", sees);
	if (sees == SNAG_NO_EVENT)
		return broken(r, "sees no write, in the trace it saw event %u", saw);
	return broken(r, "sees the write of event %u, in the trace it saw event %u", sees, saw);
}

/* The events of the witness that its unit, or its freed memory, names. */
static size_t named_of(const struct snag_witness *w, const uint32_t **ret_event)
{
	*ret_event = w->unit ? w->unit : w->freed;
	size_t n = w->unit ? w->nunit : w->nfreed;
	return n < 3 ? n : 3;
}

/* The next step. */
static inline int step(struct replay *r, uint32_t event, struct snag_facts facts)
{
	const struct snag_event *ev = &r->trace->ev[event];
	r->before = r->event;
	r->event = event;
	r->facts = facts;
	int rc = check_program_order(r, ev);
	if (rc == 0)
		rc = check_thread(r, ev);
	if (rc == 0 && snag_facts_is_read(ev->op))
		rc = check_read(r, ev);
	if (rc == 0 && snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED))
		rc = step_lock(r, ev);
	if (rc < 0)
		return rc;
	if (snag_facts_is_write(ev->op))
		r->last_write[ev->target] = event;
	const uint32_t *named;
	size_t n = named_of(r->witness, &named);
	for (size_t i = 0; i < n; i++)
		if (named[i] == event)
			r->named_step[i] = r->step;
	r->done[ev->thread]++;
	r->step++;
	return 0;
}

/* After the last step. */
static int check_race(struct replay *r) /* [race] */
{
	uint32_t first = r->before;
	const struct snag_event *a = &r->trace->ev[first], *b = &r->trace->ev[r->event];
	r->step--;
	if (!snag_op_is_access(a->op) || !snag_op_is_access(b->op))
		return broken(r, "events %u and %u are not both plain accesses", first, r->event);
	if (a->target != b->target)
		return broken(r, "events %u and %u access different variables", first, r->event);
	if (a->thread == b->thread)
		return broken(r, "events %u and %u are of the same thread", first, r->event);
	if (!snag_facts_is_write(a->op) && !snag_facts_is_write(b->op))
		return broken(r, "events %u and %u are both reads", first, r->event);
	return 0;
}

/* The prefix on the walk, then what is listed. */
static int replay_along(struct replay *r, struct walk *walk)
{
	uint32_t e;
	struct snag_facts f;
	int rc = 0;
	for (enum member m; rc == 0 && (m = walk_next(r, walk, &e, &f)) != NONE;)
		if (m & OF_PREFIX)
			rc = step(r, e, f);
	if (rc == 0)
		rc = check_prefix(r, walk);
	for (size_t i = 0; rc == 0 && i < r->witness->n; i++)
		rc = step(r, r->witness->event[i], r->listed[i]);
	if (rc == 0 && r->witness->request)
		return snag_check_deadlock(r->trace, r->witness, r->done, r->err);
	if (rc == 0 && r->witness->unit)
		return snag_check_atomicity(r->trace, r->witness, r->named_step, r->nsteps, r->err);
	if (rc == 0 && r->witness->freed)
		return snag_check_freed(r->trace, r->witness, r->named_step, r->nsteps, r->err);
	return rc < 0 ? rc : check_race(r);
}

static int replay(struct replay *r)
{
	struct snag_counts counts = snag_names_counts(&r->trace->names);
	struct walk walk;
	r->done = snag_filled(counts.n[SNAG_SPACE_THREAD], 0);
	r->last_write = snag_filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT);
	r->lock = snag_calloc(counts.n[SNAG_SPACE_LOCK], sizeof(*r->lock));
	for (uint32_t l = 0; l < counts.n[SNAG_SPACE_LOCK]; l++)
		r->lock[l].owner = NOBODY;
	walk_begin(&walk, r);
	r->fork = walk.facts.fork;
	r->fork_pit = walk.facts.fork_pit;
	int rc = replay_along(r, &walk);
	snag_facts_end(&walk.facts);
	return rc;
}

/* Traces of task programs have no witnesses. */
static int check_ops(const struct replay *r, uint32_t ops)
{
	uint32_t e = 0;
	if (!(ops & SNAG_OPS_OF_TASKS))
		return 0;
	while (!snag_op_is_of_tasks(r->trace->ev[e].op))
		e++;
	return snag_fail(r->err, SNAG_EINPUT,
			 "event %u (%s): traces of task programs have no witnesses", e,
			 snag_op_info[r->trace->ev[e].op].text);
}

int snag_witness_check(const struct snag_trace *trace, const struct snag_witness *w,
		       enum snag_rules rules, struct snag_error *err)
{
	struct replay r = {.trace = trace,
			   .witness = w,
			   .err = err,
			   .named_step = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
	uint32_t ops = ops_of(trace);
	int rc = check_ops(&r, ops);
	if (rc == 0)
		rc = check_numbers(&r);
	if (rc == 0) {
		r.listing = listings_sorted(w);
		r.listed = snag_calloc(w->n, sizeof(*r.listed));
		choose_causal(&r, rules, ops);
		rc = replay(&r);
	}
	free(r.listing);
	free(r.listed);
	free(r.done);
	free(r.keeps);
	free(r.last_write);
	free(r.lock);
	return rc;
}
