/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - is this a witness?  One replay, apart from every analysis
 *
 * Idea.   A witness claims: the program could have run these events in this order
 *         and then stood before two racing accesses.  Replay it, and hold every
 *         step against the rules.  Whoever built the witness is not asked.
 *
 * State.  Facts of the trace, of an event:
 *         pit        its position in its thread, from 0
 *         saw        read: the last write of the variable before it;
 *                    join: the last event of the joined thread before it (its
 *                    fork, if it did nothing); otherwise, or if there is none,
 *                    SNAG_NO_EVENT
 *         Walking through the trace gives them one by one: so the prefix, which is in
 *         the order of the trace, is replayed as it comes, and only the facts of listed
 *         events are kept.
 *         Of the trace, by thread: fork (the event that starts it) and nevents.
 *         Of the replay:
 *         done[t]        events of t that have happened
 *         causal[t]      the first causal[t] events of t: their reads keep their
 *                        writer
 *         named[e]       so does this read: a branch of the witness that depends on some
 *                        reads only depends on it
 *         last_write[x]  the write of x that a read would see now
 *         lock[l]        who holds l
 *
 * Rules.  [number]   every number is that of an event
 *         [program]  an event is the next one of its thread (so none is missing,
 *                    repeated or out of order)
 *         [fork]     a thread starts after its fork, if the trace has one
 *         [join]     a join follows all that the joined thread did before it in
 *                    the trace
 *         [lock]     a lock is taken alone only when nobody holds it, together
 *                    with others only when nobody holds it alone
 *         [read]     a read that must keep its writer sees the same write as in
 *                    the trace, or none in both.  By the rules READS these are all
 *                    but the two racing ones; by the rules DEPENDENCE those that a
 *                    write of the same thread, or a branch that depends on it, follows in
 *                    the witness.  A branch depends on all earlier reads of its thread,
 *                    or if DEPENDS events since its last branch name variables, on those
 *                    of these variables, and on those before its first DEPENDS event
 *         [race]     the last two events are plain accesses of one variable by
 *                    two threads, at least one a write
 *         Nested acquires and releases are no lock operations.  Atomic accesses
 *         read and write like plain ones; an update's read is causal, as it is
 *         its own write.  Neither of the last two steps can enable the other, so
 *         both are enabled at once.
 *
 * Guarantee.  0 exactly for the reorderings of the two definitions.
 * Cost.       O(trace + n log n) time, 20 bytes a listed event, of which there are n; with DEPENDS
 *             events also 6 bytes an event of the trace.
 * Reference.  Pavlogiannis, POPL 2020, section 2 (READS); Genç, Roemer, Xu and
 *             Bond, OOPSLA 2019, definitions 2.2 to 2.4 (DEPENDENCE).
 */
#include "witness/witness.h"

#include "base/memory.h"
#include "trace/race.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOBODY = UINT32_MAX };

struct lock_state {
	snag_tid owner;	  /* who holds it alone, or NOBODY */
	uint32_t readers; /* how many hold it together */
};

/* What the trace says about one event. */
struct facts {
	uint32_t pit, saw;
	uint32_t saw_pit; /* of a join: the position of what it saw */
};

/* A walk through the trace, up to event number `next`. */
struct walk {
	const struct snag_trace *trace;
	uint32_t next;
	uint32_t *nevents;	      /* by thread: so far */
	uint32_t *last_of, *last_pit; /* by thread: its last event, or its fork; its position */
	uint32_t *last_write;	      /* by variable */
};

struct replay {
	const struct snag_trace *trace;
	const struct snag_witness *witness;
	struct snag_error *err;

	uint32_t *fork, *fork_pit, *nevents; /* by thread */
	struct facts *listed;		     /* of the listed events */

	uint32_t *done, *causal; /* by thread */
	bool *named;		 /* by event; NULL: none is */
	uint32_t *last_write;	 /* by variable */
	struct lock_state *lock; /* by lock */

	size_t nsteps;	    /* of the whole witness */
	size_t step;	    /* the current one, from 0 */
	uint32_t event;	    /* its event */
	struct facts facts; /* of that */
};

static bool is_read(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static bool is_write(uint8_t op)
{
	return op == SNAG_OP_WRITE || op == SNAG_OP_ATOMIC_WRITE || op == SNAG_OP_ATOMIC_UPDATE;
}

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

/* The current step breaks a rule. */
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

static uint32_t *filled(size_t n, uint32_t value)
{
	uint32_t *a = snag_realloc(NULL, n, sizeof(*a));
	for (size_t i = 0; i < n; i++)
		a[i] = value;
	return a;
}

static void walk_begin(struct walk *w, const struct snag_trace *trace)
{
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD];
	*w = (struct walk){.trace = trace,
			   .nevents = filled(nthreads, 0),
			   .last_of = filled(nthreads, SNAG_NO_EVENT),
			   .last_pit = filled(nthreads, 0),
			   .last_write = filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT)};
}

static void walk_end(struct walk *w)
{
	free(w->nevents);
	free(w->last_of);
	free(w->last_pit);
	free(w->last_write);
}

/* The facts of the next event, which must exist. */
static struct facts walk_step(struct walk *w)
{
	uint32_t e = w->next++;
	const struct snag_event *ev = &w->trace->ev[e];
	struct facts f = {.pit = w->nevents[ev->thread]++, .saw = SNAG_NO_EVENT};
	w->last_of[ev->thread] = e;
	w->last_pit[ev->thread] = f.pit;
	if (is_read(ev->op))
		f.saw = w->last_write[ev->target];
	if (is_write(ev->op))
		w->last_write[ev->target] = e;
	if (ev->op == SNAG_OP_JOIN) {
		f.saw = w->last_of[ev->target];
		f.saw_pit = w->last_pit[ev->target];
	}
	if (ev->op == SNAG_OP_FORK && w->last_of[ev->target] == SNAG_NO_EVENT) {
		w->last_of[ev->target] = e;
		w->last_pit[ev->target] = f.pit;
	}
	return f;
}

struct listing {
	uint32_t event;
	size_t at; /* where it is listed */
};

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

/* One walk through the trace.  Returns an error for the operations of task programs. */
static int trace_facts(struct replay *r)
{
	const struct snag_trace *trace = r->trace;
	uint32_t nthreads = trace->names.space[SNAG_SPACE_THREAD].n;
	struct listing *listing = listings_sorted(r->witness), *next = listing;
	struct walk walk;
	int rc = 0;
	walk_begin(&walk, trace);
	r->fork = filled(nthreads, SNAG_NO_EVENT);
	r->fork_pit = filled(nthreads, 0);
	r->listed = snag_calloc(r->witness->n, sizeof(*r->listed));
	for (uint32_t e = 0; e < trace->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		struct facts f = walk_step(&walk);
		if (snag_op_is_of_tasks(ev->op)) {
			rc = snag_fail(r->err, SNAG_EINPUT,
				       "event %u (%s): traces of task programs have no witnesses",
				       e, snag_op_info[ev->op].text);
			break;
		}
		if (ev->op == SNAG_OP_FORK && r->fork[ev->target] == SNAG_NO_EVENT) {
			r->fork[ev->target] = e;
			r->fork_pit[ev->target] = f.pit;
		}
		for (; next->event == e; next++)
			r->listed[next->at] = f;
	}
	r->nevents = walk.nevents;
	walk.nevents = NULL;
	walk_end(&walk);
	free(listing);
	return rc;
}

static bool has_op(const struct snag_trace *trace, enum snag_op op)
{
	for (size_t e = 0; e < trace->n; e++)
		if (trace->ev[e].op == op)
			return true;
	return false;
}

struct sequence {
	struct walk walk;  /* prefix: through the trace */
	size_t in_witness; /* then: the next listed event */
};

/* The next event, or SNAG_NO_EVENT, and its facts. */
static uint32_t sequence_next(const struct replay *r, struct sequence *s, struct facts *ret_facts)
{
	const struct snag_witness *w = r->witness;
	while (w->prefix && s->walk.next < r->trace->n) {
		uint32_t e = s->walk.next;
		*ret_facts = walk_step(&s->walk);
		if (ret_facts->pit < w->prefix[r->trace->ev[e].thread])
			return e;
	}
	if (s->in_witness == w->n)
		return SNAG_NO_EVENT;
	*ret_facts = r->listed[s->in_witness];
	return w->event[s->in_witness++];
}

static int check_numbers(struct replay *r) /* [number] */
{
	const struct snag_witness *w = r->witness;
	uint32_t nthreads = r->trace->names.space[SNAG_SPACE_THREAD].n;

	r->nsteps = w->n;
	for (uint32_t t = 0; w->prefix && t < nthreads; t++) {
		if (w->prefix[t] > r->nevents[t])
			return snag_fail(r->err, SNAG_EINPUT,
					 "prefix of %.60s: %u events, but it has only %u",
					 snag_name(&r->trace->names, SNAG_SPACE_THREAD, t),
					 w->prefix[t], r->nevents[t]);
		r->nsteps += w->prefix[t];
	}
	for (size_t i = 0; i < w->n; i++)
		if (w->event[i] >= r->trace->n)
			return snag_fail(r->err, SNAG_EINPUT,
					 "step %zu: there is no event %u, the trace has %zu",
					 r->nsteps - w->n + i, w->event[i], r->trace->n);
	if (r->nsteps < 2)
		return snag_fail(r->err, SNAG_EINPUT,
				 "a witness has at least two events, this one %zu", r->nsteps);
	return 0;
}

/* Along one thread from its end: a read of a variable that was named for a branch of the witness. */
static void choose_named_of(struct replay *r, const uint32_t *event, uint32_t n, const bool *is_in,
			    uint32_t *named_by)
{
	const struct snag_event *all = r->trace->ev;
	for (uint32_t i = n; i-- > 0;) {
		const struct snag_event *ev = &all[event[i]];
		if (is_read(ev->op))
			r->named[event[i]] = named_by[ev->target] == ev->thread;
		if (ev->op != SNAG_OP_BRANCH || !is_in[event[i]])
			continue;
		for (uint32_t k = i; k-- > 0 && all[event[k]].op != SNAG_OP_BRANCH;)
			if (all[event[k]].op == SNAG_OP_DEPENDS)
				named_by[all[event[k]].target] = ev->thread;
	}
}

static void choose_named(struct replay *r)
{
	const struct snag_trace *trace = r->trace;
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD], at = 0;
	uint32_t *begin = filled(nthreads, 0), *event = filled(trace->n, 0);
	uint32_t *named_by = filled(counts.n[SNAG_SPACE_VARIABLE], NOBODY);
	bool *is_in = snag_calloc(trace->n, sizeof(*is_in));
	struct sequence s = {0};
	r->named = snag_calloc(trace->n, sizeof(*r->named));
	for (uint32_t t = 0; t < nthreads; at += r->nevents[t++])
		begin[t] = at;
	uint32_t *next = filled(nthreads, 0);
	for (uint32_t t = 0; t < nthreads; t++)
		next[t] = begin[t];
	for (uint32_t e = 0; e < trace->n; e++)
		event[next[trace->ev[e].thread]++] = e;
	free(next);
	struct facts f;
	walk_begin(&s.walk, trace);
	for (uint32_t e; (e = sequence_next(r, &s, &f)) != SNAG_NO_EVENT;)
		is_in[e] = true;
	walk_end(&s.walk);
	for (uint32_t t = 0; t < nthreads; t++)
		choose_named_of(r, event + begin[t], r->nevents[t], is_in, named_by);
	free(begin);
	free(event);
	free(named_by);
	free(is_in);
}

/* Which reads must keep their writer. */
static void choose_causal(struct replay *r, enum snag_rules rules)
{
	uint32_t nthreads = r->trace->names.space[SNAG_SPACE_THREAD].n;
	if (rules == SNAG_RULES_AUTO)
		rules = has_op(r->trace, SNAG_OP_BRANCH) ? SNAG_RULES_DEPENDENCE : SNAG_RULES_READS;
	if (rules == SNAG_RULES_READS) {
		r->causal = filled(nthreads, UINT32_MAX);
		return;
	}
	r->causal = filled(nthreads, 0);
	if (has_op(r->trace, SNAG_OP_DEPENDS))
		choose_named(r);
	bool *names = snag_calloc(nthreads, sizeof(*names)); /* since its last branch */
	uint32_t *first = filled(nthreads, UINT32_MAX);	     /* where it names for the first time */
	struct sequence s = {0};
	struct facts f;
	walk_begin(&s.walk, r->trace);
	for (uint32_t e; (e = sequence_next(r, &s, &f)) != SNAG_NO_EVENT;) {
		const struct snag_event *ev = &r->trace->ev[e];
		bool is_branch = ev->op == SNAG_OP_BRANCH;
		bool depends = is_write(ev->op) || (is_branch && !names[ev->thread]);
		if (depends && r->causal[ev->thread] <= f.pit)
			r->causal[ev->thread] = f.pit + 1;
		if (is_branch && names[ev->thread] && r->causal[ev->thread] < first[ev->thread])
			r->causal[ev->thread] = first[ev->thread];
		if (ev->op == SNAG_OP_DEPENDS && first[ev->thread] == UINT32_MAX)
			first[ev->thread] = f.pit;
		names[ev->thread] |= ev->op == SNAG_OP_DEPENDS;
		names[ev->thread] &= !is_branch;
	}
	walk_end(&s.walk);
	free(names);
	free(first);
}

/* An event, at position `pit` of its thread. */
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
	bool is_racing = r->step + 2 >= r->nsteps;
	bool is_causal =
		r->facts.pit < r->causal[ev->thread] || (r->named && r->named[r->event]);
	bool keeps_writer = !is_racing && is_causal;
	uint32_t sees = r->last_write[ev->target], saw = r->facts.saw;
	if (!keeps_writer || sees == saw)
		return 0;
	if (saw == SNAG_NO_EVENT)
		return broken(r, "sees the write of event %u, in the trace it saw none", sees);
	if (sees == SNAG_NO_EVENT)
		return broken(r, "sees no write, in the trace it saw event %u", saw);
	return broken(r, "sees the write of event %u, in the trace it saw event %u", sees, saw);
}

static int step(struct replay *r)
{
	const struct snag_event *ev = &r->trace->ev[r->event];
	int rc = check_program_order(r, ev);
	if (rc == 0)
		rc = check_thread(r, ev);
	if (rc == 0 && is_read(ev->op))
		rc = check_read(r, ev);
	if (rc == 0 && snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED))
		rc = step_lock(r, ev);
	if (rc == 0 && is_write(ev->op))
		r->last_write[ev->target] = r->event;
	r->done[ev->thread]++;
	return rc;
}

/* r->event is the second of the two, at the last step. */
static int check_race(const struct replay *r, uint32_t first) /* [race] */
{
	const struct snag_event *a = &r->trace->ev[first], *b = &r->trace->ev[r->event];
	if (!snag_op_is_access(a->op) || !snag_op_is_access(b->op))
		return broken(r, "events %u and %u are not both plain accesses", first, r->event);
	if (a->target != b->target)
		return broken(r, "events %u and %u access different variables", first, r->event);
	if (a->thread == b->thread)
		return broken(r, "events %u and %u are of the same thread", first, r->event);
	if (!is_write(a->op) && !is_write(b->op))
		return broken(r, "events %u and %u are both reads", first, r->event);
	return 0;
}

static int replay(struct replay *r)
{
	struct snag_counts counts = snag_names_counts(&r->trace->names);
	r->done = filled(counts.n[SNAG_SPACE_THREAD], 0);
	r->last_write = filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT);
	r->lock = snag_calloc(counts.n[SNAG_SPACE_LOCK], sizeof(*r->lock));
	for (uint32_t l = 0; l < counts.n[SNAG_SPACE_LOCK]; l++)
		r->lock[l].owner = NOBODY;

	struct sequence s = {0};
	uint32_t before = SNAG_NO_EVENT;
	int rc = 0;
	walk_begin(&s.walk, r->trace);
	for (r->step = 0; r->step < r->nsteps; r->step++) {
		before = r->event;
		r->event = sequence_next(r, &s, &r->facts);
		rc = step(r);
		if (rc < 0)
			break;
	}
	walk_end(&s.walk);
	if (rc < 0)
		return rc;
	r->step--;
	return check_race(r, before);
}

int snag_witness_check(const struct snag_trace *trace, const struct snag_witness *w,
		       enum snag_rules rules, struct snag_error *err)
{
	struct replay r = {.trace = trace, .witness = w, .err = err};
	int rc = trace_facts(&r);
	if (rc == 0)
		rc = check_numbers(&r);
	if (rc == 0) {
		choose_causal(&r, rules);
		rc = replay(&r);
	}
	free(r.listed);
	free(r.fork);
	free(r.fork_pit);
	free(r.nevents);
	free(r.done);
	free(r.causal);
	free(r.named);
	free(r.last_write);
	free(r.lock);
	return rc;
}
