/* SPDX-License-Identifier: Apache-2.0
 *
 * vindicate.c - VindicateWDPRace and VindicateDCRace, the published procedures for one pair
 *
 * Idea.   Collect constraints that every witness obeys.  If they contradict each other, there is
 *         no witness.  Then build a witness from its end, latest event first, without
 *         backtracking.  This may fail although there is a witness.
 *
 * State.  X and the order of state.h, begun with what must precede either access.
 *         Of the construction: how many events of each thread are left, all others being placed;
 *         by lock, which sections are placed or begun; by variable, the writer that the placed
 *         reads wait for.
 *
 * Rules.  Constraints, to fixpoint:
 *         [consecutive]  X comes before both accesses: the limits ensure this
 *         [last writer]  a causal read comes after its writer
 *         [locks]        A and B are sections of one lock, and the acquire of A is before the
 *                        release of B: the release of A is needed, and comes before the acquire
 *                        of B.  The sections of a racing thread end after the race, so after all
 *                        acquires in X
 *         Construction: an event may be placed before all placed ones if
 *         [order]        all that must follow it is placed
 *         [section]      it is a release, and no other section of its lock is begun from behind;
 *                        or it is an acquire.  If the release of an acquire is not in X, no
 *                        other section of its lock may be placed; otherwise its release joins X,
 *                        and all starts again
 *         [reads]        it is a write, and the placed causal reads wait for it or for nothing;
 *                        or it is a causal read, and they wait for its writer or for nothing
 *
 * Window. If X is a valid trace in observed order, the construction finds that order.  Otherwise,
 *         if X is long, both steps begin with a window: what follows, in X, the sections that are
 *         open and not last.  What precedes the window is a valid trace in observed order.  A
 *         contradiction in the window is one in X.  An order of the window is a witness, if the
 *         placed reads wait only for what the events before the window leave behind.  Otherwise
 *         the window grows by the events that it missed.  In the end it is X.  A window may
 *         verify a race at which the construction of all of X gets stuck.
 *
 * DC.     VindicateDCRace is the same procedure in mode DC: the graph starts from the order of
 *         DC (rows.h), and all that DC orders before an access, also by a conflict of the access
 *         itself, is in X.  Every read keeps its writer.
 *
 * Guarantee.  INFEASIBLE is exact, because every constraint is necessary, except in mode DC: many
 *             edges of DC are not.  The checker must confirm VERIFIED.  The constraints leave out
 *             where other writes may not come, and sections that cannot end.
 * Cost.   O(window x threads) for a round of constraints, O(window x threads^2) for a
 *         construction.
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, algorithm 3 and section 6.  Its graph
 *             starts from the WDP order; this one from what every witness keeps, which refutes
 *             no true race.  Roemer, Genç and Bond, PLDI 2018, section 5, for DC.
 */
#include "witness/decide/vindicate.h"

#include "base/memory.h"
#include "witness/decide/cut.h"
#include "witness/decide/linearise.h"
#include "witness/decide/ops.h"

#include <string.h>

enum { WHOLE = 1 << 12 }; /* X is not long */

struct lock {
	uint32_t stamp;			/* others are untouched */
	uint32_t begun, begun_shared;	/* sections with the release placed, not the acquire */
	uint32_t placed, placed_shared; /* sections of which something is placed */
};

struct variable {
	uint32_t stamp;
	bool is_waiting; /* causal reads are placed, but not the writer they saw */
	uint32_t writer; /* SNAG_NO_EVENT: the initial value */
};

struct snag_vindicator {
	const struct snag_index *ix;
	enum snag_mode mode;
	struct snag_state state;
	uint32_t max_window, max_whole; /* events */
	uint32_t *need;			/* by thread: what X begins with */
	uint32_t *left;			/* by thread: events of X that are not placed */
	struct lock *lock;
	struct variable *variable;
	uint32_t stamp;
	uint32_t *events; /* of X */
	size_t events_cap;
	struct snag_witness witness;
	size_t witness_cap;
};

struct snag_vindicator *snag_vindicator_new(const struct snag_index *ix, enum snag_mode mode,
					    uint32_t max_window)
{
	struct snag_vindicator *v = snag_calloc(1, sizeof(*v));
	v->ix = ix;
	v->mode = mode;
	v->max_window = max_window ? max_window : SNAG_DECIDE_WINDOW;
	v->max_whole = WHOLE;
	snag_state_init(&v->state, ix, mode);
	v->need = snag_calloc(v->state.width, sizeof(*v->need));
	v->left = snag_calloc(ix->nthreads, sizeof(*v->left));
	v->lock = snag_calloc(ix->nlocks, sizeof(*v->lock));
	v->variable = snag_calloc(ix->nvariables, sizeof(*v->variable));
	v->witness.prefix = snag_calloc(ix->nthreads, sizeof(*v->witness.prefix));
	return v;
}

void snag_vindicator_use_windows(struct snag_vindicator *v)
{
	v->max_whole = 0;
}

void snag_vindicator_free(struct snag_vindicator *v)
{
	if (!v)
		return;
	snag_state_done(&v->state);
	free(v->need);
	free(v->left);
	free(v->lock);
	free(v->variable);
	free(v->events);
	free(v->witness.prefix);
	free(v->witness.event);
	free(v);
}

/* The release of the outermost section of the acquire is in X. */
static bool is_closed(const struct snag_state *s, uint32_t acquire)
{
	uint32_t release = s->ix->link[acquire];
	return release != SNAG_NO_EVENT &&
	       s->ix->position[release] < s->count[snag_index_thread(s->ix, acquire)];
}

/* [locks]: the sections with an acquire before the release of this one.  `release`, in X, or
 * SNAG_NO_EVENT: it comes after the race, so all of X is before it. */
static bool constrain_locks(struct snag_state *s, uint32_t acquire, uint32_t release)
{
	const struct snag_index *ix = s->ix;
	const struct snag_lanes *sections = &ix->sections;
	const struct snag_event *ev = &ix->trace->ev[acquire];
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;
	for (uint32_t i = sections->first[key]; i < sections->first[key + nkeys]; i++) {
		const struct snag_lane *lane = &sections->lane[i];
		snag_tid u = lane->thread;
		if (u == ev->thread)
			continue;
		uint32_t bound =
			release == SNAG_NO_EVENT ? s->count[u] : snag_state_before(s, release, u);
		uint32_t k = snag_lane_below(sections, lane, bound);
		if (k == 0)
			continue;
		uint32_t other = snag_index_event(ix, u, snag_lane_at(sections, lane, k - 1));
		uint32_t end = ix->link[other];
		if (end != SNAG_NO_EVENT &&
		    (!snag_state_need(s, end) || !snag_state_order(s, end, acquire)))
			return false;
	}
	return true;
}

/* [locks] for the sections that a racing thread is in. */
static bool constrain_held(struct snag_state *s, snag_tid t)
{
	uint32_t node = snag_index_held(s->ix, t, s->limit[t]);
	for (; node; node = s->ix->node[node].below)
		if (!constrain_locks(s, s->ix->node[node].acquire, SNAG_NO_EVENT))
			return false;
	return true;
}

static bool constrain(struct snag_state *s, uint32_t e)
{
	const struct snag_event *ev = &s->ix->trace->ev[e];
	uint32_t w = s->ix->link[e]; /* of a release, its acquire */
	if (snag_op_reads(ev->op) && snag_state_is_causal(s, e) && w != SNAG_NO_EVENT)
		return snag_state_order(s, w, e); /* [last writer] */
	if (snag_op_releases(ev->op) && !(ev->flags & SNAG_NESTED))
		return constrain_locks(s, w, e);
	return true;
}

/* All constraints; false: they contradict each other. */
static bool constraints(struct snag_vindicator *v, const snag_tid *racers)
{
	struct snag_state *s = &v->state;
	uint32_t before;
	bool ok = true;
	do {
		size_t n;
		const uint32_t *event = snag_state_events(s, &n);
		v->events = snag_grow(v->events, &v->events_cap, n, sizeof(*v->events));
		if (n)
			memcpy(v->events, event, n * sizeof(*event));
		before = s->nchanges;
		for (size_t i = 0; ok && i < n; i++)
			ok = constrain(s, v->events[i]);
		ok = ok && constrain_held(s, racers[0]) && constrain_held(s, racers[1]);
	} while (ok && s->nchanges != before);
	snag_state_clear_queue(s);
	return ok;
}

static struct lock *lock_of(struct snag_vindicator *v, uint32_t lock)
{
	struct lock *l = &v->lock[lock];
	if (l->stamp != v->stamp)
		*l = (struct lock){.stamp = v->stamp};
	return l;
}

static struct variable *variable_of(struct snag_vindicator *v, uint32_t variable)
{
	struct variable *x = &v->variable[variable];
	if (x->stamp != v->stamp)
		*x = (struct variable){.stamp = v->stamp};
	return x;
}

enum may { PLACE, WAIT, END_SECTION };

static enum may lock_allows(struct snag_vindicator *v, uint32_t e) /* [section] */
{
	const struct snag_event *ev = &v->ix->trace->ev[e];
	const struct lock *l = lock_of(v, ev->target);
	switch (ev->op) {
	case SNAG_OP_RELEASE:
		return l->begun || l->begun_shared ? WAIT : PLACE;
	case SNAG_OP_RELEASE_SHARED:
		return l->begun ? WAIT : PLACE;
	case SNAG_OP_ACQUIRE:
		return !is_closed(&v->state, e) && (l->placed || l->placed_shared) ? END_SECTION
										   : PLACE;
	default:
		return !is_closed(&v->state, e) && l->placed ? END_SECTION : PLACE;
	}
}

static enum may access_allows(struct snag_vindicator *v, uint32_t e) /* [reads] */
{
	const struct snag_event *ev = &v->ix->trace->ev[e];
	const struct variable *x = variable_of(v, ev->target);
	if (!x->is_waiting)
		return PLACE;
	if (snag_op_writes(ev->op))
		return x->writer == e ? PLACE : WAIT;
	return !snag_state_is_causal(&v->state, e) || x->writer == v->ix->link[e] ? PLACE : WAIT;
}

/* Whether e, the last event of t that is left, may be placed. */
static enum may may_place(struct snag_vindicator *v, snag_tid t, uint32_t e)
{
	struct snag_state *s = &v->state;
	const struct snag_event *ev = &v->ix->trace->ev[e];
	for (snag_tid u = 0; u < s->nthreads; u++) /* [order] */
		if (u != t && v->left[u] > s->start[u] &&
		    snag_state_is_before(s, e, snag_index_event(v->ix, u, v->left[u] - 1)))
			return WAIT;
	if (snag_op_reads(ev->op) || snag_op_writes(ev->op))
		return access_allows(v, e);
	if ((snag_op_acquires(ev->op) || snag_op_releases(ev->op)) && !(ev->flags & SNAG_NESTED))
		return lock_allows(v, e);
	return PLACE;
}

static void place_lock(struct snag_vindicator *v, uint32_t e)
{
	const struct snag_event *ev = &v->ix->trace->ev[e];
	struct lock *l = lock_of(v, ev->target);
	bool is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED || ev->op == SNAG_OP_RELEASE_SHARED;
	uint32_t *begun = is_shared ? &l->begun_shared : &l->begun;
	uint32_t *placed = is_shared ? &l->placed_shared : &l->placed;
	if (snag_op_releases(ev->op)) {
		++*begun;
		++*placed;
	} else if (is_closed(&v->state, e)) {
		--*begun;
	} else {
		++*placed;
	}
}

static void place(struct snag_vindicator *v, snag_tid t, uint32_t e)
{
	const struct snag_event *ev = &v->ix->trace->ev[e];
	v->left[t]--;
	if ((snag_op_acquires(ev->op) || snag_op_releases(ev->op)) && !(ev->flags & SNAG_NESTED))
		place_lock(v, e);
	if (snag_op_writes(ev->op))
		variable_of(v, ev->target)->is_waiting = false;
	if (snag_op_reads(ev->op) && snag_state_is_causal(&v->state, e)) {
		struct variable *x = variable_of(v, ev->target);
		x->is_waiting = true;
		x->writer = v->ix->link[e];
	}
}

/* The latest event that may be placed; its thread, or nthreads: there is none.  *ret_end: an
 * acquire, as late, whose section should end, or SNAG_NO_EVENT. */
static snag_tid choose(struct snag_vindicator *v, uint32_t *ret_end)
{
	snag_tid best = v->ix->nthreads;
	uint32_t latest = 0, end = SNAG_NO_EVENT, end_at = 0;
	for (snag_tid t = 0; t < v->ix->nthreads; t++) {
		if (v->left[t] == v->state.start[t])
			continue;
		uint32_t e = snag_index_event(v->ix, t, v->left[t] - 1);
		enum may may = may_place(v, t, e);
		if (may == PLACE && e >= latest) {
			best = t;
			latest = e;
		} else if (may == END_SECTION && e >= end_at) {
			end = end_at = e;
		}
	}
	*ret_end = end != SNAG_NO_EVENT && (best == v->ix->nthreads || end > latest)
			   ? end
			   : SNAG_NO_EVENT;
	return best;
}

/* Notes what keeps e, which waits, from being placed, and lies before the window. */
static void miss_cause(struct snag_vindicator *v, uint32_t e)
{
	struct snag_state *s = &v->state;
	const struct snag_event *ev = &v->ix->trace->ev[e];
	if (snag_op_reads(ev->op) || snag_op_writes(ev->op)) {
		const struct variable *x = variable_of(v, ev->target);
		if (x->is_waiting && x->writer != SNAG_NO_EVENT &&
		    !snag_state_in_window(s, x->writer))
			snag_state_miss(s, x->writer);
		return;
	}
	for (snag_tid t = 0; t < s->nthreads; t++) {
		uint32_t node = snag_index_held(v->ix, t, s->start[t]);
		for (; node; node = v->ix->node[node].below)
			if (t != ev->thread && v->ix->node[node].lock == ev->target)
				snag_state_miss(s, v->ix->node[node].acquire);
	}
}

static void miss_causes(struct snag_vindicator *v)
{
	const struct snag_state *s = &v->state;
	for (snag_tid t = 0; t < s->nthreads; t++)
		if (v->left[t] > s->start[t])
			miss_cause(v, snag_index_event(v->ix, t, v->left[t] - 1));
}

/* Whether the events before the window leave behind what the reads of the window wait for, and
 * hold no lock to the end that the window takes.  Notes what should be in the window. */
static bool begins_well(struct snag_vindicator *v)
{
	struct snag_state *s = &v->state;
	uint32_t last = snag_index_last(v->ix, s->start);
	bool is_well = true;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		for (uint32_t p = s->start[t]; p < snag_state_causal_end(s, t); p++) {
			uint32_t e = snag_index_event(v->ix, t, p);
			const struct snag_event *ev = &v->ix->trace->ev[e];
			if (!snag_op_reads(ev->op) || !snag_state_is_causal(s, e))
				continue;
			const struct variable *x = variable_of(v, ev->target);
			if (!x->is_waiting ||
			    snag_index_is_seen(v->ix, s->start, last, ev->target, x->writer))
				continue;
			snag_miss_overwrites(s, ev->target, x->writer);
			is_well = false;
		}
		uint32_t node = snag_index_held(v->ix, t, s->start[t]);
		for (; node; node = v->ix->node[node].below) {
			uint32_t acquire = v->ix->node[node].acquire;
			const struct lock *l = lock_of(v, v->ix->node[node].lock);
			bool is_shared = v->ix->trace->ev[acquire].op == SNAG_OP_ACQUIRE_SHARED;
			if (is_closed(s, acquire) ||
			    !(l->placed || (!is_shared && l->placed_shared)))
				continue;
			snag_state_miss(s, acquire);
			is_well = false;
		}
	}
	return is_well;
}

enum attempt { DONE, STUCK, GREW }; /* GREW: X has grown, so once more */

/* Tries to build the witness. */
static enum attempt construct(struct snag_vindicator *v, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &v->state;
	struct snag_witness *w = &v->witness;
	size_t n = 0;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		v->left[t] = s->count[t];
		n += s->count[t] - s->start[t];
	}
	v->stamp++;
	w->n = n + 2;
	w->event = snag_grow(w->event, &v->witness_cap, w->n, sizeof(*w->event));
	w->event[n] = e1;
	w->event[n + 1] = e2;
	memcpy(w->prefix, s->start, s->nthreads * sizeof(*w->prefix));
	while (n > 0) {
		uint32_t end;
		snag_tid t = choose(v, &end);
		if (end != SNAG_NO_EVENT) {
			uint32_t release = v->ix->link[end];
			return release != SNAG_NO_EVENT && snag_state_need(s, release) ? GREW
										       : STUCK;
		}
		if (t == s->nthreads) {
			miss_causes(v);
			return STUCK;
		}
		w->event[--n] = snag_index_event(v->ix, t, v->left[t] - 1);
		place(v, t, w->event[n]);
	}
	return begins_well(v) ? DONE : STUCK;
}

static uint64_t window_size(const struct snag_vindicator *v)
{
	uint64_t n = 0;
	for (snag_tid t = 0; t < v->state.nthreads; t++)
		n += v->need[t] - v->state.start[t];
	return n;
}

/* Both steps in the window after s->start. */
static enum snag_decision window(struct snag_vindicator *v, const snag_tid *racers, uint32_t e1,
				 uint32_t e2)
{
	struct snag_state *s = &v->state;
	if (window_size(v) > v->max_window)
		return SNAG_UNDECIDED;
	snag_state_begin(s, v->need);
	if (!constraints(v, racers))
		return SNAG_INFEASIBLE;
	enum attempt attempt = construct(v, e1, e2);
	/* That a section must end is a guess: after it, a contradiction proves nothing. */
	while (attempt == GREW)
		attempt = constraints(v, racers) ? construct(v, e1, e2) : STUCK;
	return attempt == DONE ? SNAG_VERIFIED : SNAG_UNDECIDED;
}

/* [window]: ever larger windows, as long as they miss something. */
static enum snag_decision windows(struct snag_vindicator *v, const snag_tid *racers, uint32_t e1,
				  uint32_t e2)
{
	struct snag_state *s = &v->state;
	enum snag_decision result;
	memcpy(s->start, v->need, s->nthreads * sizeof(*s->start));
	do {
		snag_cut_delay(s, v->need, s->start);
		result = window(v, racers, e1, e2);
	} while (result == SNAG_UNDECIDED && window_size(v) <= v->max_window && snag_cut_extend(s));
	return result;
}

/* What must precede either access; false: one of them must. */
static bool need(struct snag_vindicator *v, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &v->state;
	const uint32_t goal[2] = {e1, e2};
	bool ok = snag_cut_need(s, e1, e2, v->need);
	if (v->mode != SNAG_MODE_DC)
		return ok;
	for (int i = 0; ok && i < 2; i++)
		snag_rows_add_conflicts(v->ix, s->rows, &s->walk, v->need, goal[i]);
	for (int i = 0; ok && i < 2; i++) {
		snag_tid t = snag_index_thread(v->ix, goal[i]);
		ok = v->need[t] <= s->limit[t];
	}
	return ok;
}

enum snag_decision snag_vindicate(struct snag_vindicator *v, uint32_t e1, uint32_t e2)
{
	const snag_tid racers[2] = {snag_index_thread(v->ix, e1), snag_index_thread(v->ix, e2)};
	struct snag_state *s = &v->state;
	if (!need(v, e1, e2))
		return SNAG_INFEASIBLE;
	if (snag_cut_is_trace(s, v->need)) {
		memcpy(v->witness.prefix, v->need, s->nthreads * sizeof(*v->need));
		v->witness.event =
			snag_grow(v->witness.event, &v->witness_cap, 2, sizeof(*v->witness.event));
		v->witness.event[0] = e1;
		v->witness.event[1] = e2;
		v->witness.n = 2;
		return SNAG_VERIFIED;
	}
	memset(s->start, 0, s->nthreads * sizeof(*s->start));
	if (window_size(v) > v->max_whole) {
		enum snag_decision result = windows(v, racers, e1, e2);
		if (result != SNAG_UNDECIDED)
			return result;
		memset(s->start, 0, s->nthreads * sizeof(*s->start));
	}
	return window(v, racers, e1, e2);
}

const struct snag_witness *snag_vindicator_witness(const struct snag_vindicator *v)
{
	return &v->witness;
}
