/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - is this a witness?  One replay, apart from every analysis
 *
 * Idea.   A witness claims: the program could have run these events in this order
 *         and then stood before two racing accesses.  Replay it, and hold every
 *         step against the rules.  Whoever built the witness is not asked.
 *
 * State.  Of the trace, by event:
 *         pit        its position in its thread, from 0
 *         saw        read: the last write of the variable before it;
 *                    join: the last event of the joined thread before it (its
 *                    fork, if it did nothing); otherwise, or if there is none,
 *                    SNAG_NO_EVENT
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
 *                    of these variables
 *         [race]     the last two events are plain accesses of one variable by
 *                    two threads, at least one a write
 *         Nested acquires and releases are no lock operations.  Atomic accesses
 *         read and write like plain ones; an update's read is causal, as it is
 *         its own write.  Neither of the last two steps can enable the other, so
 *         both are enabled at once.
 *
 * Guarantee.  0 exactly for the reorderings of the two definitions.
 * Cost.       O(trace + witness) time, 8 bytes an event of the trace, 14 with DEPENDS events.
 * Reference.  Pavlogiannis, POPL 2020, section 2 (READS); Genç, Roemer, Xu and
 *             Bond, OOPSLA 2019, definitions 2.2 to 2.4 (DEPENDENCE).
 */
#include "witness/witness.h"

#include "base/memory.h"
#include "trace/race.h"

#include <stdarg.h>
#include <stdio.h>

enum { NOBODY = UINT32_MAX };

struct lock_state {
	snag_tid owner;	  /* who holds it alone, or NOBODY */
	uint32_t readers; /* how many hold it together */
};

struct replay {
	const struct snag_trace *trace;
	const struct snag_witness *witness;
	struct snag_error *err;

	uint32_t *pit, *saw;	  /* by event */
	uint32_t *fork, *nevents; /* by thread */

	uint32_t *done, *causal; /* by thread */
	bool *named;		 /* by event; NULL: none is */
	uint32_t *last_write;	 /* by variable */
	struct lock_state *lock; /* by lock */

	size_t nsteps;	/* of the whole witness */
	size_t step;	/* the current one, from 0 */
	uint32_t event; /* its event */
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

/* Returns an error for the operations of task programs. */
static int trace_facts(struct replay *r)
{
	const struct snag_trace *trace = r->trace;
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD];
	uint32_t *last_write = filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT);
	uint32_t *last_of =
		filled(nthreads, SNAG_NO_EVENT); /* last event of a thread, or its fork */
	int rc = 0;

	r->pit = filled(trace->n, 0);
	r->saw = filled(trace->n, SNAG_NO_EVENT);
	r->fork = filled(nthreads, SNAG_NO_EVENT);
	r->nevents = filled(nthreads, 0);

	for (uint32_t e = 0; e < trace->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		r->pit[e] = r->nevents[ev->thread]++;
		last_of[ev->thread] = e;

		if (snag_op_is_of_tasks(ev->op)) {
			rc = snag_fail(r->err, SNAG_EINPUT,
				       "event %u (%s): traces of task programs have no witnesses",
				       e, snag_op_info[ev->op].text);
			break;
		}
		if (is_read(ev->op))
			r->saw[e] = last_write[ev->target];
		if (is_write(ev->op))
			last_write[ev->target] = e;
		if (ev->op == SNAG_OP_JOIN)
			r->saw[e] = last_of[ev->target];
		if (ev->op == SNAG_OP_FORK && r->fork[ev->target] == SNAG_NO_EVENT)
			r->fork[ev->target] = last_of[ev->target] = e;
	}
	free(last_write);
	free(last_of);
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
	size_t in_trace;   /* prefix: the next event of the trace to look at */
	size_t in_witness; /* then: the next listed event */
};

/* The next event, or SNAG_NO_EVENT. */
static uint32_t sequence_next(const struct replay *r, struct sequence *s)
{
	const struct snag_witness *w = r->witness;
	while (w->prefix && s->in_trace < r->trace->n) {
		uint32_t e = (uint32_t)s->in_trace++;
		if (r->pit[e] < w->prefix[r->trace->ev[e].thread])
			return e;
	}
	return s->in_witness < w->n ? w->event[s->in_witness++] : SNAG_NO_EVENT;
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
	bool is_for_witness = false; /* the next branch is in the witness */
	for (uint32_t i = n; i-- > 0;) {
		const struct snag_event *ev = &r->trace->ev[event[i]];
		if (ev->op == SNAG_OP_BRANCH)
			is_for_witness = is_in[event[i]];
		else if (ev->op == SNAG_OP_DEPENDS && is_for_witness)
			named_by[ev->target] = ev->thread;
		else if (is_read(ev->op))
			r->named[event[i]] = named_by[ev->target] == ev->thread;
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
	for (uint32_t e = 0; e < trace->n; e++)
		event[begin[trace->ev[e].thread] + r->pit[e]] = e;
	for (uint32_t e; (e = sequence_next(r, &s)) != SNAG_NO_EVENT;)
		is_in[e] = true;
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
	struct sequence s = {0};
	for (uint32_t e; (e = sequence_next(r, &s)) != SNAG_NO_EVENT;) {
		const struct snag_event *ev = &r->trace->ev[e];
		bool is_branch = ev->op == SNAG_OP_BRANCH;
		bool depends = is_write(ev->op) || (is_branch && !names[ev->thread]);
		if (depends && r->causal[ev->thread] <= r->pit[e])
			r->causal[ev->thread] = r->pit[e] + 1;
		names[ev->thread] |= ev->op == SNAG_OP_DEPENDS;
		names[ev->thread] &= !is_branch;
	}
	free(names);
}

static bool has_happened(const struct replay *r, uint32_t event)
{
	return r->pit[event] < r->done[r->trace->ev[event].thread];
}

static int check_program_order(const struct replay *r, const struct snag_event *ev) /* [program] */
{
	uint32_t pit = r->pit[r->event], done = r->done[ev->thread];
	if (pit < done)
		return broken(r, "happens twice");
	if (pit > done)
		return broken(r, "earlier events of its thread are missing (%u)", pit - done);
	return 0;
}

static int check_thread(const struct replay *r, const struct snag_event *ev) /* [fork], [join] */
{
	uint32_t fork = r->fork[ev->thread];
	if (fork != SNAG_NO_EVENT && !has_happened(r, fork))
		return broken(r, "its thread is forked by event %u, which has not happened", fork);
	if (ev->op != SNAG_OP_JOIN)
		return 0;
	uint32_t last = r->saw[r->event];
	if (last != SNAG_NO_EVENT && !has_happened(r, last))
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
		r->pit[r->event] < r->causal[ev->thread] || (r->named && r->named[r->event]);
	bool keeps_writer = !is_racing && is_causal;
	uint32_t sees = r->last_write[ev->target], saw = r->saw[r->event];
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
	for (r->step = 0; r->step < r->nsteps; r->step++) {
		before = r->event;
		r->event = sequence_next(r, &s);
		int rc = step(r);
		if (rc < 0)
			return rc;
	}
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
	free(r.pit);
	free(r.saw);
	free(r.fork);
	free(r.nevents);
	free(r.done);
	free(r.causal);
	free(r.named);
	free(r.last_write);
	free(r.lock);
	return rc;
}
