/* SPDX-License-Identifier: Apache-2.0
 *
 * paper.c - RaceDecision, the published procedure for one pair
 *
 * Idea.   Fix the events of the witness beforehand: the relative causal cones of the two
 *         accesses, X.  Close the weakest order over X under what observations and locks imply.
 *         Then order what conflicts outside one racing thread as it was observed.  Run that
 *         thread as early as possible, and the others as late as possible: by theorem 3.1 this
 *         is a witness.
 *
 * Steps.  1 [need]     as decide.c: all that must precede either access
 *         2 [item 4]   end every section that a third thread has open in X: add its release to
 *                      X, with all that must precede it.  A racing access in X: rejected
 *         3 [close]    propagation (propagate.h) with X as the limit.  So X does not
 *                      grow, and a section that is open in X must be the last of its lock.  This
 *                      is the closure; a contradiction covers an X that is not feasible:
 *                      rejected
 *         4 [insert]   for either racing thread i: pairs of conflicting events outside i that
 *                      are not ordered, by second event, get the observed order, with closure
 *                      after each.  A contradiction: try the other thread, then reject
 *         5 [max-min]  every event outside i comes after all of i that need not come after it.
 *                      Any linearisation is a witness
 *         If X is a valid trace in observed order, steps 3 to 5 are not needed (lemma 5.1): what
 *         they add agrees with that order.
 *
 * Window. Steps 3 to 5 begin with a window: what follows, in X, the sections that are open and not
 *         last.  What precedes the window is a valid trace in observed order.  A contradiction in
 *         the window is one in X.  An order of the window is a witness.  Otherwise the window grows
 *         by the events that it missed, as long as it is small.
 *
 * Whole.  If no window settles the pair, steps 3 to 5 are those of the paper: the closure over
 *         all of X (closed_order.h), with the published data structure (chains.h).  [max-min] then
 *         needs no edges: what the next event of thread i comes after runs first, then that event,
 *         and when thread i has ended, the rest.
 *
 * Guarantee.  Sound: VERIFIED has a witness.  A rejection is certain if step 2 added nothing and
 *             step 4 was not begun.  With two threads this is always so, which makes it complete
 *             for them; otherwise a rejection may be wrong.  Mostly step 2 is the cause: what it
 *             adds need not be in a witness.
 * Cost.   O(window x threads) for the closure, and one more propagation for each inserted pair.
 *         All of X: 4 bytes per event and thread; the time is that of closed_order.c.
 * Reference.  Pavlogiannis, POPL 2020, algorithms 1 to 8 and section 5 (the criterion), with
 *             these repairs: a read of the initial value precedes every write of its variable in
 *             X; the maps of the closure include the event itself and are restricted to X; fork
 *             and join count as program order; if thread 1 fails, thread 2 is tried.  (The last
 *             is rare: of 212,483 random traces with 12 to 30 events and 3 to 5 threads, none
 *             has a pair that needs it.  One of 30 events was constructed, see
 *             tests/unit/test_published.c: the pair that is ordered first, as observed, has two
 *             consequences that form a circle only together, so no closure could see it before.)
 */
#include "witness/decide/paper.h"

#include "base/memory.h"
#include "witness/decide/closed_order.h"
#include "witness/decide/cut.h"
#include "witness/decide/linearise.h"
#include "witness/decide/ops.h"
#include "witness/decide/propagate.h"

#include <string.h>

/* For all of X: counts of the trees of chains.h, 512 MB, and events that its closure looks at, some
 * seconds. */
enum { MAX_COUNTS = 128 << 20, MAX_WORK = 20000000 };

struct snag_paper {
	const struct snag_index *ix;
	struct snag_state state;
	struct snag_line line;
	struct snag_closed_order closure;
	uint32_t *done, *goal; /* by thread: scratch of [max-min] */
	uint32_t max_window;
	bool is_whole;	 /* no windows */
	uint32_t *cone;	 /* X, by thread */
	uint32_t *order; /* the window or X, in observed order */
	size_t order_cap;
	uint32_t *arranged; /* X, as a witness has it */
	size_t arranged_cap;
	bool is_certain;
	struct snag_witness witness;
	size_t witness_cap;
};

struct snag_paper *snag_paper_new(const struct snag_index *ix, uint32_t max_window)
{
	struct snag_paper *p = snag_calloc(1, sizeof(*p));
	p->ix = ix;
	p->max_window = max_window ? max_window : SNAG_DECIDE_WINDOW;
	snag_state_init(&p->state, ix, SNAG_MODE_M2);
	snag_line_init(&p->line, &p->state);
	snag_closed_order_init(&p->closure, ix);
	p->closure.budget = MAX_WORK;
	p->done = snag_calloc(ix->nthreads, sizeof(*p->done));
	p->goal = snag_calloc(ix->nthreads, sizeof(*p->goal));
	p->cone = snag_calloc(ix->nthreads, sizeof(*p->cone));
	p->witness.prefix = snag_calloc(ix->nthreads, sizeof(*p->witness.prefix));
	return p;
}

void snag_paper_free(struct snag_paper *p)
{
	if (!p)
		return;
	snag_state_done(&p->state);
	snag_line_done(&p->line);
	snag_closed_order_done(&p->closure);
	free(p->done);
	free(p->goal);
	free(p->cone);
	free(p->order);
	free(p->arranged);
	free(p->witness.prefix);
	free(p->witness.event);
	free(p);
}

static void witness_set(struct snag_paper *p, const uint32_t *prefix, const uint32_t *event,
			size_t n, uint32_t e1, uint32_t e2)
{
	struct snag_witness *w = &p->witness;
	w->event = snag_grow(w->event, &p->witness_cap, n + 2, sizeof(*w->event));
	memcpy(w->prefix, prefix, p->ix->nthreads * sizeof(*prefix));
	if (n)
		memcpy(w->event, event, n * sizeof(*w->event));
	w->event[n] = e1;
	w->event[n + 1] = e2;
	w->n = n + 2;
}

/* An order that is closed again after each insertion: that of a window, or of X. */
struct growing {
	const struct snag_index *ix;
	const uint32_t *count; /* its events, by thread */
	bool (*is_before)(void *ctx, uint32_t a, uint32_t b);
	/* Adds a before b, and all that follows.  False: a contradiction. */
	bool (*insert)(void *ctx, uint32_t a, uint32_t b);
	void *ctx;
};

static bool state_is_before(void *ctx, uint32_t a, uint32_t b)
{
	return snag_state_is_before(ctx, a, b);
}

static bool state_insert(void *ctx, uint32_t a, uint32_t b)
{
	struct snag_state *s = ctx;
	if (snag_state_order(s, a, b))
		return snag_propagate(s);
	snag_state_clear_queue(s);
	return false;
}

static bool closure_is_before(void *ctx, uint32_t a, uint32_t b)
{
	return snag_closed_order_is_before(ctx, a, b);
}

static bool closure_insert(void *ctx, uint32_t a, uint32_t b)
{
	return snag_closed_order_insert(ctx, a, b);
}

/* The last event of the lane that was observed before event e and need not come after it, or
 * SNAG_NO_EVENT. */
static uint32_t last_observed(const struct growing *g, const struct snag_lanes *lanes,
			      const struct snag_lane *lane, uint32_t e)
{
	snag_tid u = lane->thread;
	uint32_t low = 0, high = snag_lane_below(lanes, lane, g->count[u]);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t other = snag_index_event(g->ix, u, snag_lane_at(lanes, lane, middle));
		if (other < e && !g->is_before(g->ctx, e, other))
			low = middle + 1;
		else
			high = middle;
	}
	return low ? snag_index_event(g->ix, u, snag_lane_at(lanes, lane, low - 1)) : SNAG_NO_EVENT;
}

/* [insert]: what is in the lanes with keys first <= key < end and was observed before event e
 * precedes it, unless it must come after it; thread i is left out. */
static bool insert_lanes(const struct growing *g, const struct snag_lanes *lanes, uint32_t first,
			 uint32_t end, uint32_t e, snag_tid i)
{
	for (uint32_t k = lanes->first[first]; k < lanes->first[end]; k++) {
		const struct snag_lane *lane = &lanes->lane[k];
		snag_tid u = lane->thread;
		if (u == i || u == snag_index_thread(g->ix, e))
			continue;
		uint32_t other = last_observed(g, lanes, lane, e);
		if (other != SNAG_NO_EVENT && !g->is_before(g->ctx, other, e) &&
		    !g->insert(g->ctx, other, e))
			return false;
	}
	return true;
}

/* [insert]: all that conflicts with e. */
static bool insert_before(const struct growing *g, uint32_t e, snag_tid i)
{
	const struct snag_index *ix = g->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	uint32_t x = ev->target;
	if (snag_op_acquires(ev->op) && !(ev->flags & SNAG_NESTED))
		return insert_lanes(g, &ix->sections, 2 * x,
				    2 * x + (ev->op == SNAG_OP_ACQUIRE ? 2 : 1), e, i);
	bool ok = true;
	if (snag_op_reads(ev->op) || snag_op_writes(ev->op))
		ok = insert_lanes(g, &ix->writes, x, x + 1, e, i);
	if (ok && snag_op_writes(ev->op))
		ok = insert_lanes(g, &ix->reads, x, x + 1, e, i);
	return ok;
}

/* [insert]: all of p->order. */
static bool insert_all(const struct snag_paper *p, const struct growing *g, size_t n, snag_tid i)
{
	bool ok = true;
	for (size_t k = 0; ok && k < n; k++)
		if (snag_index_thread(p->ix, p->order[k]) != i)
			ok = insert_before(g, p->order[k], i);
	return ok;
}

/* [max-min]: thread i comes before event e, as far as it need not come after it. */
static bool run_before(struct snag_state *s, uint32_t e, snag_tid i)
{
	uint32_t low = 0, high = s->count[i];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (snag_state_is_before(s, e, snag_index_event(s->ix, i, middle)))
			high = middle;
		else
			low = middle + 1;
	}
	return low == 0 || snag_state_order(s, snag_index_event(s->ix, i, low - 1), e);
}

/* [insert] and [max-min], with thread i as the one that runs early; true: the lineariser has
 * found an order. */
static bool linearise(struct snag_paper *p, size_t n, snag_tid i)
{
	struct snag_state *s = &p->state;
	const struct growing g = {p->ix, s->count, state_is_before, state_insert, s};
	bool ok = insert_all(p, &g, n, i);
	for (size_t k = 0; ok && k < n; k++)
		if (snag_index_thread(p->ix, p->order[k]) != i)
			ok = run_before(s, p->order[k], i);
	snag_state_clear_queue(s);
	return ok && snag_linearise(&p->line, NULL);
}

/* [need], [item 4]; false: rejected. */
static bool cones(struct snag_paper *p, const snag_tid *racers, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &p->state;
	p->is_certain = true;
	if (!snag_cut_need(s, e1, e2, p->cone))
		return false;
	p->is_certain = !snag_cut_end_others(s, racers, p->cone);
	return p->cone[racers[0]] <= s->limit[racers[0]] &&
	       p->cone[racers[1]] <= s->limit[racers[1]];
}

/* [close], with X as it is and the window after s->start; false: rejected.  *ret_n: events of the
 * window, in p->order. */
static bool close_order(struct snag_paper *p, size_t *ret_n)
{
	struct snag_state *s = &p->state;
	memcpy(s->limit, p->cone, p->ix->nthreads * sizeof(*p->cone));
	snag_state_begin(s, p->cone);
	if (!snag_propagate_all(s))
		return false;
	const uint32_t *event = snag_state_events(s, ret_n);
	p->order = snag_grow(p->order, &p->order_cap, *ret_n, sizeof(*p->order));
	if (*ret_n)
		memcpy(p->order, event, *ret_n * sizeof(*event));
	return true;
}

static uint64_t window_size(const struct snag_paper *p)
{
	uint64_t n = 0;
	for (snag_tid t = 0; t < p->ix->nthreads; t++)
		n += p->cone[t] - p->state.start[t];
	return n;
}

/* Steps 3 to 5 in the window after s->start.  UNDECIDED: no order was found. */
static enum snag_decision window(struct snag_paper *p, uint32_t e1, uint32_t e2)
{
	const snag_tid racers[2] = {snag_index_thread(p->ix, e1), snag_index_thread(p->ix, e2)};
	size_t n;
	if (window_size(p) > p->max_window)
		return SNAG_UNDECIDED;
	if (!close_order(p, &n))
		return SNAG_INFEASIBLE;
	for (int i = 0; i < 2; i++) {
		size_t mark = snag_state_mark(&p->state);
		if (linearise(p, n, racers[i])) {
			witness_set(p, p->state.start, p->line.event, n, e1, e2);
			return SNAG_VERIFIED;
		}
		snag_state_return(&p->state, mark);
	}
	return SNAG_UNDECIDED;
}

/* [window]: ever larger windows, as long as they miss something. */
static enum snag_decision windows(struct snag_paper *p, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &p->state;
	enum snag_decision result;
	memcpy(s->start, p->cone, p->ix->nthreads * sizeof(*p->cone));
	do {
		snag_cut_delay(s, p->cone, s->start);
		result = window(p, e1, e2);
	} while (result == SNAG_UNDECIDED && window_size(p) <= p->max_window && snag_cut_extend(s));
	return result;
}

/* Runs the threads up to p->goal in an order that the closure allows. */
static void run_to_goal(struct snag_paper *p, size_t *n)
{
	const struct snag_chains *chains = &p->closure.chains;
	bool goes_on = true;
	while (goes_on) {
		goes_on = false;
		for (snag_tid t = 0; t < p->ix->nthreads; t++)
			for (; p->done[t] < p->goal[t]; p->done[t]++) {
				struct snag_spot at = {t, p->done[t]};
				snag_tid u = 0;
				while (u < p->ix->nthreads &&
				       (u == t ||
					snag_chains_predecessors(chains, at, u) <= p->done[u]))
					u++;
				if (u < p->ix->nthreads)
					break;
				p->arranged[(*n)++] = snag_index_event(p->ix, t, p->done[t]);
				goes_on = true;
			}
	}
}

/* [max-min] of X, with the closure; returns how many events were arranged. */
static size_t arrange(struct snag_paper *p, size_t n, snag_tid i)
{
	size_t done = 0;
	p->arranged = snag_grow(p->arranged, &p->arranged_cap, n, sizeof(*p->arranged));
	memset(p->done, 0, p->ix->nthreads * sizeof(*p->done));
	for (uint32_t k = 0; k < p->cone[i]; k++) {
		for (snag_tid u = 0; u < p->ix->nthreads; u++)
			p->goal[u] = snag_chains_predecessors(&p->closure.chains,
							      (struct snag_spot){i, k}, u);
		run_to_goal(p, &done);
	}
	memcpy(p->goal, p->cone, p->ix->nthreads * sizeof(*p->goal));
	run_to_goal(p, &done);
	return done;
}

/* [whole]; UNDECIDED: no order was found, or the budget is used up. */
static enum snag_decision whole(struct snag_paper *p, uint32_t e1, uint32_t e2, size_t n)
{
	struct snag_closed_order *c = &p->closure;
	const struct growing g = {p->ix, p->cone, closure_is_before, closure_insert, c};
	p->order = snag_grow(p->order, &p->order_cap, n, sizeof(*p->order));
	snag_threads_merge(&p->ix->threads, p->state.start, p->cone, p->order);
	for (int i = 0; i < 2; i++) {
		snag_tid racer = snag_index_thread(p->ix, i ? e2 : e1);
		if (!snag_closed_order_begin(c, p->cone))
			return snag_closed_order_is_over(c) ? SNAG_UNDECIDED : SNAG_INFEASIBLE;
		if (insert_all(p, &g, n, racer) && arrange(p, n, racer) == n) {
			witness_set(p, p->state.start, p->arranged, n, e1, e2);
			return SNAG_VERIFIED;
		}
	}
	return SNAG_UNDECIDED;
}

enum snag_decision snag_paper_decide(struct snag_paper *p, uint32_t e1, uint32_t e2)
{
	const snag_tid racers[2] = {snag_index_thread(p->ix, e1), snag_index_thread(p->ix, e2)};
	if (!cones(p, racers, e1, e2))
		return SNAG_INFEASIBLE;
	if (snag_cut_is_trace(&p->state, p->cone)) {
		witness_set(p, p->cone, NULL, 0, e1, e2);
		return SNAG_VERIFIED;
	}
	enum snag_decision result = p->is_whole ? SNAG_UNDECIDED : windows(p, e1, e2);
	if (result != SNAG_UNDECIDED)
		return result;
	memset(p->state.start, 0, p->ix->nthreads * sizeof(*p->state.start));
	uint64_t n = window_size(p);
	if (n * p->ix->nthreads > MAX_COUNTS)
		return SNAG_UNDECIDED;
	result = whole(p, e1, e2, n);
	if (snag_closed_order_is_over(&p->closure))
		return SNAG_UNDECIDED;
	p->is_certain &= result != SNAG_UNDECIDED;
	return result == SNAG_UNDECIDED ? SNAG_INFEASIBLE : result;
}

void snag_paper_use_no_windows(struct snag_paper *p)
{
	p->is_whole = true;
}

bool snag_paper_is_certain(const struct snag_paper *p)
{
	return p->is_certain;
}

const struct snag_witness *snag_paper_witness(const struct snag_paper *p)
{
	return &p->witness;
}
