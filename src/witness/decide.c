/* SPDX-License-Identifier: Apache-2.0
 *
 * decide.c - is this pair of accesses a race?  Exactly, with a witness
 *
 * Idea.   Collect what every witness must contain: X, a closed cut of the trace (decide_cut.h).  X
 * in observed order is nearly a witness; the only trouble is sections that X cuts open. So cheap
 * steps that look only at those settle nearly every pair, whatever the length of the trace.  What
 * is left is decided by propagation (decide_propagate.h) and search (decide_search.h) in a window
 * at the end of X, and the window grows as long as it is not enough.
 *
 * Steps.  1 [need]      X = what must precede either access; one in X itself: INFEASIBLE
 *         2 [observed]  no section is cut open with a later one in X: VERIFIED, X in observed order
 *         3 [filter]    a section that cannot end within the limits must be the last of its lock;
 * so the others must end; they cannot: INFEASIBLE 4 [close]     sections that are cut open and can
 * end do so; then as 2: VERIFIED 5 [delay]     what must follow the acquires that are left runs
 * last, greedily: VERIFIED 6 [window]    the end of X from the earliest such acquire on: propagate
 * to a contradiction (INFEASIBLE), or linearise (VERIFIED), or search; then a larger window,
 *                       finally all of X
 *         7             otherwise UNDECIDED
 *         Only 1, 3 and propagation refute, and only with facts that hold in every witness; that
 * what is before the window comes first is assumed only when linearising, so that failing there
 *         means a larger window, never INFEASIBLE.
 *
 * Guarantee.  VERIFIED and INFEASIBLE are exact.  UNDECIDED: more nodes or a larger window than
 * allowed. Cost.   Steps 1 to 4: some bisections per thread and open section.  Step 5: what is
 * delayed.  Step 6: O(threads) rows of the window per sweep, a few sweeps; then the search.
 * Reference.  Pavlogiannis, POPL 2020 (the problem, the closure, max-min linearisation); Genç,
 * Roemer, Xu and Bond, OOPSLA 2019, definitions 2.2 to 2.4 (which reads are causal).
 */
#include "witness/decide.h"

#include "base/memory.h"
#include "witness/decide_cut.h"
#include "witness/decide_propagate.h"
#include "witness/decide_search.h"

#include <string.h>

/* Nodes of the search in a window that is not all of X: what it is stuck on may lie before. */
enum { PART_NODES = 40 };

enum window_kind {
	WINDOW_DELAYED, /* what must follow the sections that stand open: is the greedy enough? */
	WINDOW_LATE,	/* all from some event on */
	WINDOW_ALL
};

struct snag_decider {
	const struct snag_index *ix;
	struct snag_decide_options options;
	struct snag_state state;
	struct snag_line line;
	struct snag_witness witness;
	uint32_t *needed; /* X, by thread */
	uint32_t *closed; /* and what ends the sections that stand open in it, as far as possible */
	size_t witness_cap;
	struct snag_decide_stats stats;
};

struct snag_decider *snag_decider_new(const struct snag_index *ix,
				      const struct snag_decide_options *options)
{
	struct snag_decider *d = snag_calloc(1, sizeof(*d));
	d->ix = ix;
	d->options = *options;
	if (!d->options.max_nodes)
		d->options.max_nodes = SNAG_DECIDE_NODES;
	if (!d->options.max_window)
		d->options.max_window = SNAG_DECIDE_WINDOW;
	snag_state_init(&d->state, ix, options->mode);
	snag_line_init(&d->line, &d->state);
	d->needed = snag_calloc(ix->nthreads, sizeof(*d->needed));
	d->closed = snag_calloc(ix->nthreads, sizeof(*d->closed));
	d->witness.prefix = snag_calloc(ix->nthreads, sizeof(*d->witness.prefix));
	return d;
}

void snag_decider_free(struct snag_decider *d)
{
	if (!d)
		return;
	snag_state_done(&d->state);
	snag_line_done(&d->line);
	free(d->needed);
	free(d->closed);
	free(d->witness.prefix);
	free(d->witness.event);
	free(d);
}

/* The witness: what comes before the window, the window as the lineariser left it, the race. */
static void witness_set(struct snag_decider *d, const uint32_t *prefix, const uint32_t *event,
			size_t n, uint32_t e1, uint32_t e2)
{
	struct snag_witness *w = &d->witness;
	w->event = snag_grow(w->event, &d->witness_cap, n + 2, sizeof(*w->event));
	memcpy(w->prefix, prefix, d->ix->nthreads * sizeof(*prefix));
	if (n)
		memcpy(w->event, event, n * sizeof(*event));
	w->event[n] = e1;
	w->event[n + 1] = e2;
	w->n = n + 2;
}

/* Searches first without looking ahead, which is fast, then with. */
static enum snag_decision search(struct snag_decider *d, uint32_t max_nodes, uint32_t e1,
				 uint32_t e2)
{
	struct snag_search q = {
		.s = &d->state,
		.line = &d->line,
		.prefer = {snag_index_thread(d->ix, e1), snag_index_thread(d->ix, e2)},
		.max = max_nodes};
	enum snag_decision result = SNAG_UNDECIDED;
	if (!(d->options.skip & SNAG_STEP_DPLL)) {
		q.max = (max_nodes + 1) / 2;
		q.max_work = d->state.work + 1000000 + 2000 * (uint64_t)max_nodes;
		result = snag_search(&q);
	}
	if (result == SNAG_UNDECIDED) {
		q.max = max_nodes;
		q.max_work = d->state.work + 10000000 + 20000 * (uint64_t)max_nodes;
		q.probes = true;
		result = snag_search(&q);
	}
	d->stats.nodes += q.nodes;
	if (q.nodes > d->stats.max_nodes)
		d->stats.max_nodes = q.nodes;
	return result;
}

static uint64_t window_size(const struct snag_decider *d, const uint32_t *cut)
{
	uint64_t n = 0;
	for (snag_tid t = 0; t < d->state.nthreads; t++)
		n += cut[t] - d->state.start[t];
	return n;
}

/* [window]: decides with the window after s->start. */
static enum snag_decision window(struct snag_decider *d, enum window_kind kind, uint32_t e1,
				 uint32_t e2)
{
	struct snag_state *s = &d->state;
	uint32_t max_nodes = d->options.max_nodes;
	uint64_t size = window_size(d, d->needed);
	if (kind == WINDOW_LATE && max_nodes > PART_NODES)
		max_nodes = PART_NODES;
	d->stats.windows++;
	d->stats.window += size;
	if (size > d->stats.max_window)
		d->stats.max_window = size;
	snag_state_begin(s, d->needed);
	enum snag_decision result = SNAG_UNDECIDED;
	/* In a larger window it would be trapped as before. */
	bool is_first = kind == WINDOW_DELAYED || (d->options.skip & SNAG_STEP_DELAY);
	if (is_first && !(d->options.skip & SNAG_STEP_GREEDY) && snag_linearise(&d->line, NULL)) {
		snag_state_clear_queue(s);
		result = SNAG_VERIFIED;
	} else if (!snag_propagate_all(s, kind == WINDOW_DELAYED ? 1 : UINT32_MAX)) {
		result = SNAG_INFEASIBLE;
	} else if (kind != WINDOW_DELAYED) {
		result = search(d, max_nodes, e1, e2);
	}
	if (result == SNAG_VERIFIED)
		witness_set(d, s->start, d->line.event, d->line.nevents, e1, e2);
	return result;
}

/* [window]: ever larger windows, as long as they are not too large. */
static enum snag_decision windows(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	const struct snag_index *ix = d->ix;
	struct snag_state *s = &d->state;
	enum snag_decision result = SNAG_UNDECIDED;
	bool has_windows = !(d->options.skip & SNAG_STEP_WINDOW);
	if (!(d->options.skip & SNAG_STEP_DELAY)) {
		snag_cut_delay(s, d->needed, s->start);
		if (window_size(d, d->needed) <= d->options.max_window)
			result = window(d, WINDOW_DELAYED, e1, e2);
	}
	uint32_t from = has_windows ? snag_cut_earliest(ix, d->needed) : 0;
	uint32_t end = e1 > e2 ? e1 : e2, length = end > from ? end - from : 0;
	while (result == SNAG_UNDECIDED) {
		snag_cut_before(ix, d->needed, from, s->start);
		if (window_size(d, d->needed) > d->options.max_window)
			return SNAG_UNDECIDED;
		result = window(d, from == 0 ? WINDOW_ALL : WINDOW_LATE, e1, e2);
		if (from == 0)
			break;
		length = length > end / 8 ? end : 8 * length + 64;
		from = length < end ? end - length : 0;
	}
	return result;
}

/* [delay]: the sections that stand open and can end have ended; what must follow the others runs
 * last. */
static bool is_delayed(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &d->state;
	snag_cut_delay(s, d->closed, s->start);
	if (window_size(d, d->closed) > d->options.max_window)
		return false;
	snag_state_begin(s, d->closed);
	bool is_done = snag_linearise(&d->line, NULL);
	snag_state_clear_queue(s);
	if (is_done)
		witness_set(d, s->start, d->line.event, d->line.nevents, e1, e2);
	return is_done;
}

/* [observed]: in observed order, what is needed breaks no rule. */
static bool is_observed(struct snag_decider *d, uint32_t e1, uint32_t e2, const uint32_t *cut)
{
	if (snag_cut_earliest(d->ix, cut) != SNAG_NO_EVENT)
		return false;
	witness_set(d, cut, NULL, 0, e1, e2);
	return true;
}

static enum snag_decision steps(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	const unsigned skip = d->options.skip;
	const snag_tid racers[2] = {snag_index_thread(d->ix, e1), snag_index_thread(d->ix, e2)};
	if (!snag_cut_need(&d->state, e1, e2, d->needed))
		return SNAG_INFEASIBLE;
	if (!(skip & SNAG_STEP_OBSERVED) && is_observed(d, e1, e2, d->needed)) {
		d->stats.observed++;
		return SNAG_VERIFIED;
	}
	if (!(skip & SNAG_STEP_FILTER) && !snag_cut_filter(&d->state, racers, d->needed)) {
		d->stats.filter++;
		return SNAG_INFEASIBLE;
	}
	if (!(skip & SNAG_STEP_CLOSE)) {
		memcpy(d->closed, d->needed, d->ix->nthreads * sizeof(*d->closed));
		if (snag_cut_close(&d->state, racers, d->closed) &&
		    is_observed(d, e1, e2, d->closed)) {
			d->stats.close++;
			return SNAG_VERIFIED;
		}
	}
	if (!(skip & (SNAG_STEP_CLOSE | SNAG_STEP_DELAY)) && is_delayed(d, e1, e2)) {
		d->stats.delay++;
		return SNAG_VERIFIED;
	}
	return windows(d, e1, e2);
}

enum snag_decision snag_decide(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	enum snag_decision result = steps(d, e1, e2);
	d->stats.decisions[result]++;
	return result;
}

const struct snag_witness *snag_decider_witness(const struct snag_decider *d)
{
	return &d->witness;
}

const struct snag_decide_stats *snag_decider_stats(const struct snag_decider *d)
{
	return &d->stats;
}
