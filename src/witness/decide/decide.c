/* SPDX-License-Identifier: Apache-2.0
 *
 * decide.c - is this pair of accesses a race?  Exactly, with a witness
 *
 * Idea.   Collect what every witness must contain: X, a closed cut of the trace (cut.h).
 *         In observed order X is nearly a witness.  The only trouble is sections that X cuts
 *         open.  So cheap steps that look only at those settle nearly every pair, whatever the
 *         length of the trace.  Propagation (propagate.h) and search (search.h)
 *         decide the rest, in a window at the end of X that grows by what it missed.
 *
 * Steps.  1 [need]      X = what must precede either access.  One of them in X: INFEASIBLE
 *         2 [observed]  no section is cut open with a later one in X: VERIFIED, X in observed
 *                       order
 *         3 [close]     end the sections that are cut open and can end; then as 2: VERIFIED
 *         4 [filter]    a section that cannot end within the limits must be the last of its
 *                       lock, so the others must end: step 3 again.  If they cannot: INFEASIBLE
 *         5 [delay]     run what must follow the remaining acquires last, greedily: VERIFIED
 *         6 [late]      a read in a section that cannot end would see what the others wrote
 *                       (late.h): INFEASIBLE
 *         7 [refute]    a window of what must follow the sections that cannot end: propagate to
 *                       a contradiction: INFEASIBLE
 *         8 [arrange]   as 9, with the sections ended that can end: VERIFIED, or no answer
 *         9 [window]    a window of what must follow such an acquire: propagate to a
 *                       contradiction (INFEASIBLE), or linearise (VERIFIED), or search.  What
 *                       was missing in the window then enters it, with all that must follow; if
 *                       nothing was missing, all of X does
 *         10            otherwise UNDECIDED
 *         A demand that one event of X comes before another is an edge from the beginning of 7, 8
 *         and 9, and of the window in 5.  Steps 2 and 3 verify only if the observed order meets it.
 *         Only 1, 4, 6, 7 and propagation in 9 refute, and only with facts that hold in every
 *         witness.  Only the lineariser assumes that what is before the window comes first.  So
 *         its failure leads to a larger window, never to INFEASIBLE.
 *
 * Guarantee.  VERIFIED and INFEASIBLE are exact.  UNDECIDED: more nodes or a larger window than
 *             allowed: 200,000 events, with more than 16 threads fewer.
 * Cost.   Steps 1 to 4: some bisections per thread and open section.  Step 5: the delayed
 *         events. Step 6: the reads in the sections that cannot end.  Steps 7 to 9: O(threads)
 *         rows of the window per sweep, a few sweeps; then the search.
 * Reference.  Pavlogiannis, POPL 2020 (the problem, the closure, max-min linearisation); Genç,
 *             Roemer, Xu and Bond, OOPSLA 2019, definitions 2.2 to 2.4 (which reads are causal).
 */
#include "witness/decide/decide.h"

#include "base/memory.h"
#include "witness/decide/counts.h"
#include "witness/decide/cut.h"
#include "witness/decide/late.h"
#include "witness/decide/propagate.h"
#include "witness/decide/search.h"

#include <string.h>

enum {
	ROUNDS = 4,	       /* windows to look for a contradiction before those that decide */
	MAX_ENTRIES = 1 << 22, /* of the rows of a window, unless the user sets the number of
			        * events */
};

struct snag_decider {
	const struct snag_index *ix;
	struct snag_decide_options options;
	struct snag_state state;
	struct snag_line line;
	struct snag_late late;
	struct snag_witness witness;
	uint32_t *needed; /* X, a cut */
	uint32_t *closed; /* and what ends the sections that stand open in it, as far as possible */
	/* Of two events of X, `first` must come before `then`; both SNAG_NO_EVENT: no demand. */
	uint32_t first, then;
	uint32_t last; /* the goal that has only one event */
	size_t witness_cap;
	struct snag_decide_stats stats;
};

struct snag_decider *snag_decider_new(const struct snag_index *ix,
				      const struct snag_decide_options *options)
{
	struct snag_decider *d = snag_calloc(1, sizeof(*d));
	uint32_t width = ix->rows[options->mode].width;
	d->ix = ix;
	d->options = *options;
	if (!d->options.max_nodes)
		d->options.max_nodes = SNAG_DECIDE_NODES;
	if (!d->options.max_window) {
		uint32_t most = MAX_ENTRIES / (width + SNAG_ROW_EXTRA);
		d->options.max_window = most < SNAG_DECIDE_WINDOW ? most : SNAG_DECIDE_WINDOW;
	}
	snag_state_init(&d->state, ix, options->mode);
	snag_line_init(&d->line, &d->state);
	d->needed = snag_calloc(width, sizeof(*d->needed));
	d->closed = snag_calloc(width, sizeof(*d->closed));
	d->witness.prefix = snag_calloc(ix->nthreads, sizeof(*d->witness.prefix));
	return d;
}

void snag_decider_free(struct snag_decider *d)
{
	if (!d)
		return;
	snag_state_done(&d->state);
	snag_line_done(&d->line);
	snag_late_done(&d->late);
	free(d->needed);
	free(d->closed);
	free(d->witness.prefix);
	free(d->witness.event);
	free(d);
}

/* Stores the witness: what comes before the window, the window in the order of the lineariser,
 * the race.  The witness of a deadlock ends before the requests, which cannot happen. */
static void witness_set(struct snag_decider *d, const uint32_t *prefix, const uint32_t *event,
			size_t n, uint32_t e1, uint32_t e2)
{
	struct snag_witness *w = &d->witness;
	w->event = snag_grow(w->event, &d->witness_cap, n + 2, sizeof(*w->event));
	memcpy(w->prefix, prefix, d->ix->nthreads * sizeof(*prefix));
	if (n)
		memcpy(w->event, event, n * sizeof(*event));
	w->n = n;
	if (d->state.goal == &d->last)
		w->event[w->n++] = d->last;
	if (d->state.goal != d->state.pair)
		return;
	w->event[w->n++] = e1;
	w->event[w->n++] = e2;
}

/* Whether the observed order meets the demand. */
static bool is_met(const struct snag_decider *d)
{
	return d->first == SNAG_NO_EVENT || d->first < d->then;
}

/* The window of the cut is empty, but for what must not come before it. */
static void start_set(struct snag_decider *d, const uint32_t *cut)
{
	struct snag_state *s = &d->state;
	memcpy(s->start, cut, s->nthreads * sizeof(*s->start));
	if (!is_met(d))
		snag_cut_take_out(s, d->then, s->start);
}

/* Begins with the window after s->start, of the cut, and the demand.  Returns false if it cannot be
 * met.  If it needs a larger window, something is missing. */
static bool begin(struct snag_decider *d, const uint32_t *cut)
{
	snag_state_begin(&d->state, cut);
	if (d->first == SNAG_NO_EVENT || snag_state_order(&d->state, d->first, d->then))
		return true;
	snag_state_clear_queue(&d->state);
	return false;
}

/* Searches first without looking ahead, which is fast, then with. */
static enum snag_decision search(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	uint32_t max_nodes = d->options.max_nodes;
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

/* [refute]: takes a window of what must follow the sections that cannot end, and nothing else.
 * It is small, and mostly enough to refute. */
static bool is_refuted(struct snag_decider *d)
{
	struct snag_state *s = &d->state;
	start_set(d, d->needed);
	snag_cut_delay_late(s, d->needed, s->start);
	for (int round = 0; round < ROUNDS; round++) {
		if (window_size(d, d->needed) > d->options.max_window)
			return false;
		if (!begin(d, d->needed) || !snag_propagate_all(s))
			return true;
		if (!snag_cut_extend(s))
			return false;
	}
	return false;
}

/* [window]: decides with the window after s->start, of the cut. */
static enum snag_decision window(struct snag_decider *d, const uint32_t *cut, uint32_t e1,
				 uint32_t e2)
{
	struct snag_state *s = &d->state;
	uint64_t size = window_size(d, cut);
	d->stats.windows++;
	d->stats.window += size;
	if (size > d->stats.max_window)
		d->stats.max_window = size;
	if (!begin(d, cut))
		return SNAG_INFEASIBLE;
	enum snag_decision result = SNAG_UNDECIDED;
	if (s->nmissing) {
		snag_state_clear_queue(s);
	} else if (!(d->options.skip & SNAG_STEP_GREEDY) && snag_linearise(&d->line, NULL)) {
		snag_state_clear_queue(s);
		result = SNAG_VERIFIED;
	} else if (!snag_propagate_all(s)) {
		result = SNAG_INFEASIBLE;
	} else {
		result = search(d, e1, e2);
	}
	if (result == SNAG_VERIFIED)
		witness_set(d, s->start, d->line.event, d->line.nevents, e1, e2);
	return result;
}

/* [window]: tries ever larger windows of the cut, up to the limit.  *ret_size: that of the last
 * one. */
static enum snag_decision windows(struct snag_decider *d, const uint32_t *cut, uint32_t e1,
				  uint32_t e2, uint64_t *ret_size)
{
	struct snag_state *s = &d->state;
	enum snag_decision result;
	start_set(d, cut);
	do {
		snag_cut_delay(s, cut, s->start);
		*ret_size = window_size(d, cut);
		if (*ret_size > d->options.max_window)
			return SNAG_UNDECIDED;
		result = window(d, cut, e1, e2);
	} while (result == SNAG_UNDECIDED && snag_cut_extend(s));
	return result;
}

/* [window] of the needed events, in the end of all of them. */
static enum snag_decision windows_needed(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &d->state;
	enum snag_decision result = SNAG_UNDECIDED;
	uint64_t size = 0, whole = 0;
	for (snag_tid t = 0; t < s->nthreads; t++)
		whole += d->needed[t];
	if (!(d->options.skip & SNAG_STEP_WINDOW)) {
		result = windows(d, d->needed, e1, e2, &size);
		if (result != SNAG_UNDECIDED || size >= whole)
			return result;
	}
	if (whole > d->options.max_window || size > d->options.max_window)
		return SNAG_UNDECIDED;
	memset(s->start, 0, s->nthreads * sizeof(*s->start));
	return window(d, d->needed, e1, e2);
}

/* [delay]: the open sections that can end have ended; what must follow the others runs last,
 * greedily. */
static bool is_delayed(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	struct snag_state *s = &d->state;
	start_set(d, d->closed);
	snag_cut_delay(s, d->closed, s->start);
	if (window_size(d, d->closed) > d->options.max_window)
		return false;
	bool is_done = begin(d, d->closed) && !s->nmissing && snag_linearise(&d->line, NULL);
	snag_state_clear_queue(s);
	if (is_done)
		witness_set(d, s->start, d->line.event, d->line.nevents, e1, e2);
	return is_done;
}

/* [close]: sections closed before, if any, stay closed when more is needed. */
static bool is_closed(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	snag_counts_join(d->closed, d->needed, d->state.width);
	if (!snag_cut_close(&d->state, d->closed) || !is_met(d))
		return false;
	witness_set(d, d->closed, NULL, 0, e1, e2);
	d->stats.close++;
	return true;
}

/* From what is needed on; e1 and e2 are the first two events of the goal. */
static enum snag_decision steps(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	const unsigned skip = d->options.skip;
	if (!(skip & SNAG_STEP_OBSERVED) && is_met(d) && snag_cut_is_trace(&d->state, d->needed)) {
		witness_set(d, d->needed, NULL, 0, e1, e2);
		d->stats.observed++;
		return SNAG_VERIFIED;
	}
	memset(d->closed, 0, d->state.width * sizeof(*d->closed));
	if (!(skip & SNAG_STEP_CLOSE) && is_closed(d, e1, e2))
		return SNAG_VERIFIED;
	bool grew = false;
	if (!(skip & SNAG_STEP_FILTER) && !snag_cut_filter(&d->state, d->needed, &grew)) {
		d->stats.filter++;
		return SNAG_INFEASIBLE;
	}
	if (grew && !(skip & SNAG_STEP_CLOSE) && is_closed(d, e1, e2))
		return SNAG_VERIFIED;
	if (!(skip & (SNAG_STEP_CLOSE | SNAG_STEP_DELAY)) && is_delayed(d, e1, e2)) {
		d->stats.delay++;
		return SNAG_VERIFIED;
	}
	if (!(skip & (SNAG_STEP_FILTER | SNAG_STEP_LATE)) &&
	    snag_late_refutes(&d->late, &d->state, d->needed)) {
		d->stats.late++;
		return SNAG_INFEASIBLE;
	}
	if (!(skip & (SNAG_STEP_FILTER | SNAG_STEP_REFUTE)) && is_refuted(d)) {
		d->stats.refute++;
		return SNAG_INFEASIBLE;
	}
	uint64_t size;
	if (!(skip & (SNAG_STEP_CLOSE | SNAG_STEP_ARRANGE)) &&
	    windows(d, d->closed, e1, e2, &size) == SNAG_VERIFIED) {
		d->stats.arrange++;
		return SNAG_VERIFIED;
	}
	return windows_needed(d, e1, e2);
}

enum snag_decision snag_decide(struct snag_decider *d, uint32_t e1, uint32_t e2)
{
	enum snag_decision result = SNAG_INFEASIBLE;
	d->first = d->then = SNAG_NO_EVENT;
	if (snag_cut_need(&d->state, e1, e2, d->needed))
		result = steps(d, e1, e2);
	d->stats.decisions[result]++;
	return result;
}

enum snag_decision snag_decide_deadlock(struct snag_decider *d, const uint32_t *request, uint32_t n)
{
	enum snag_decision result = SNAG_INFEASIBLE;
	d->first = d->then = SNAG_NO_EVENT;
	if (snag_cut_need_all(&d->state, request, n, d->needed))
		result = steps(d, request[0], request[1]);
	d->stats.decisions[result]++;
	return result;
}

/* Of witnesses that end with `last` and have `needed`. */
static enum snag_decision decide_last(struct snag_decider *d, uint32_t needed, uint32_t last)
{
	enum snag_decision result = SNAG_INFEASIBLE;
	d->last = last;
	if (snag_cut_need_all(&d->state, &d->last, 1, d->needed) &&
	    snag_cut_need_event(&d->state, needed, d->needed))
		result = steps(d, needed, last);
	d->stats.decisions[result]++;
	return result;
}

enum snag_decision snag_decide_between(struct snag_decider *d, uint32_t read, uint32_t between,
				       uint32_t write)
{
	d->first = read;
	d->then = between;
	return decide_last(d, between, write);
}

enum snag_decision snag_decide_behind(struct snag_decider *d, uint32_t end, uint32_t access)
{
	d->first = d->then = SNAG_NO_EVENT;
	return decide_last(d, end, access);
}

void snag_decider_hurry(struct snag_decider *d, uint32_t max_window)
{
	d->options.max_nodes = 1;
	if (max_window < d->options.max_window)
		d->options.max_window = max_window;
}

const struct snag_witness *snag_decider_witness(const struct snag_decider *d)
{
	return &d->witness;
}

const struct snag_decide_stats *snag_decider_stats(const struct snag_decider *d)
{
	return &d->stats;
}
