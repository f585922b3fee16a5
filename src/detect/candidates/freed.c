/* SPDX-License-Identifier: Apache-2.0
 *
 * freed.c - every access that another order puts behind the end of its memory, and that is no race
 *
 * Idea.   A block is used by one thread and freed by another, both under one lock.  They do not
 *         race.  But if the lock is taken in the other order, the access meets freed memory.  Take
 *         every write that ends a block, and all accesses of other threads to that block, and
 *         decide each pair exactly: is there a valid reordering that has the end of the block, and
 *         ends with the access (snag_decide_behind)?
 *
 * State.  near     the accesses to one block that may come behind its end, by thread
 *         place    two locations, and what was decided for them
 *
 * Rules.  [end]        a write without a size: only the end of a heap block has none in a recording
 *         [access]     an access with a size, plain or atomic, of another thread to a variable that
 *                      the write ends.  Waits are no accesses
 *         [order]      not decided if program order, fork, join and reads-from put the access
 *                      before the end in every witness
 *         [race]       not reported if the two race: m2 reports that
 *         [verdict]    verified: predicted, with a checked witness; infeasible: not reported;
 *                      budget used up: unverified
 *         [stretch]    unless all pairs are wanted: accesses of one thread without synchronisation
 *                      between them have one cause, so the first one stands for the others
 *         [locations]  and one report for each pair of locations
 *         Every read of the witness sees the write it saw, but for the access at its end.
 *
 * Guarantee.  Sound: every predicted one has a checked witness.  Complete if nothing stayed
 *         undecided.
 * Cost.   The slice in memory; for each end, variable and thread a bisection; microseconds for each
 *         decision, at most SNAG_PLACE_DECIDED for a pair of locations.  Of the accesses of a
 *         thread to a variable at most MAX_NEAR are looked at.
 * Reference.  Huang, UFO: predictive concurrency use-after-free detection, ICSE 2018 (the problem);
 *         docs/algorithms/freed.md.
 */
#include "base/memory.h"
#include "detect/candidates/candidate_places.h"
#include "detect/candidates/pair_judge.h"
#include "witness/decide/decide.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NEAR = 1024 };

struct pair {
	uint32_t access, end; /* `end` is the write that ends the block */
};

struct freed {
	const struct snag_detector_env *env;
	struct snag_index *ix;
	struct snag_rows_walk walk;
	struct snag_decider *decider;
	struct pair *near;
	size_t nnear, near_cap;
	struct snag_candidate_places places; /* by the access and the end */
	bool is_incomplete;
	uint64_t nends, ndecided, nfound;
};

static void *freed_open(const struct snag_detector_env *env)
{
	struct freed *f = snag_calloc(1, sizeof(*f));
	f->env = env;
	return f;
}

static void freed_close(void *state)
{
	struct freed *f = state;
	if (!f)
		return;
	free(f->near);
	snag_candidate_places_done(&f->places);
	free(f);
}

/* Without a witness: unverified. */
static void report(struct freed *f, struct pair pair, const struct snag_witness *w)
{
	struct snag_race found = {.first = snag_site_of(f->ix, pair.access),
				  .second = snag_site_of(f->ix, pair.end),
				  .is_behind = true,
				  .count = 1,
				  .verdict = w ? SNAG_PREDICTED : SNAG_UNVERIFIED};
	if (w)
		snag_witness_copy(w, f->ix->nthreads, &found);
	f->nfound++;
	f->env->on_race(f->env->ctx, &found);
}

/* [race] */
static bool is_race(struct freed *f, struct pair pair)
{
	return snag_op_is_access(f->ix->trace->ev[pair.access].op) &&
	       !snag_index_common_lock(f->ix, pair.access, pair.end) &&
	       snag_decide(f->decider, pair.access, pair.end) == SNAG_VERIFIED;
}

static enum snag_decision decision_of(struct freed *f, struct pair pair)
{
	struct snag_error unused;
	enum snag_decision decision = snag_decide_behind(f->decider, pair.end, pair.access);
	if (decision != SNAG_VERIFIED)
		return decision;
	struct snag_witness w = *snag_decider_witness(f->decider);
	uint32_t freed[2] = {pair.end, pair.access};
	w.freed = freed;
	w.nfreed = 2;
	if (snag_witness_check(f->ix->trace, &w, SNAG_RULES_READS, &unused) < 0)
		return SNAG_UNDECIDED;
	report(f, pair, &w);
	return SNAG_VERIFIED;
}

/* [verdict] Returns whether the access is settled: reported, now or before, or a race. */
static bool candidate_settle(struct freed *f, struct pair pair)
{
	const uint32_t event[2] = {pair.access, pair.end};
	struct snag_candidate_place *p =
		snag_candidate_places_of(&f->places, f->env, f->ix->trace, event, 2);
	if (!p || p->is_settled)
		return p;
	if (!p->left) {
		f->is_incomplete = true;
		return false;
	}
	p->left--;
	f->ndecided++;
	if (is_race(f, pair))
		return true;
	enum snag_decision decision = decision_of(f, pair);
	p->is_settled = decision == SNAG_VERIFIED;
	if (decision == SNAG_UNDECIDED) {
		f->is_incomplete = true;
		if (f->env->pairs)
			report(f, pair, NULL);
		else if (p->undecided[0] == SNAG_NO_EVENT)
			memcpy(p->undecided, event, sizeof(event));
	}
	return p->is_settled;
}

/* [order] Whether the access has happened whenever the block has ended. */
static bool is_before(struct freed *f, struct pair pair)
{
	const struct snag_rows *rows = &f->ix->rows[SNAG_MODE_M2];
	struct snag_point p = snag_point_before(f->ix, rows, pair.end);
	return snag_rows_has(f->ix, rows, &f->walk, &p, pair.access);
}

/* The accesses of a lane that may come behind the end; all were observed before it. */
static void lane_collect(struct freed *f, const struct snag_lanes *lanes,
			 const struct snag_lane *lane, uint32_t end, bool is_of_writes)
{
	uint32_t low = 0, high = snag_lane_length(lane), found = 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t e =
			snag_index_event(f->ix, lane->thread, snag_lane_at(lanes, lane, middle));
		if (e < end && is_before(f, (struct pair){e, end}))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < snag_lane_length(lane); low++) {
		uint32_t e = snag_index_event(f->ix, lane->thread, snag_lane_at(lanes, lane, low));
		const struct snag_event *ev = &f->ix->trace->ev[e];
		if (e > end)
			return;
		/* An update is in both lanes. */
		if (ev->size == 0 || (is_of_writes && snag_op_reads(ev->op)))
			continue;
		if (!f->env->pairs && ++found > MAX_NEAR) {
			f->is_incomplete = true;
			return;
		}
		f->near = snag_grow(f->near, &f->near_cap, f->nnear + 1, sizeof(*f->near));
		f->near[f->nnear++] = (struct pair){e, end};
	}
}

static void lanes_collect(struct freed *f, const struct snag_lanes *lanes, uint32_t end,
			  bool is_of_writes)
{
	const struct snag_event *ev = &f->ix->trace->ev[end];
	for (uint32_t i = lanes->first[ev->target]; i < lanes->first[ev->target + 1]; i++)
		if (lanes->lane[i].thread != ev->thread)
			lane_collect(f, lanes, &lanes->lane[i], end, is_of_writes);
}

static bool is_end(const struct snag_event *ev) /* [end] */
{
	return ev->op == SNAG_OP_WRITE && ev->size == 0;
}

static int by_access(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;
	return (a->access > b->access) - (a->access < b->access);
}

/* Whether the thread of two accesses does nothing but access memory from one to the other. */
static bool is_one_stretch(const struct freed *f, uint32_t from, uint32_t to) /* [stretch] */
{
	snag_tid t = snag_index_thread(f->ix, from);
	for (uint32_t p = f->ix->position[from] + 1; p < f->ix->position[to]; p++)
		if (!snag_op_is_access(f->ix->trace->ev[snag_index_event(f->ix, t, p)].op))
			return false;
	return true;
}

/* All accesses to one block. */
static void near_decide(struct freed *f)
{
	uint32_t *settled = snag_filled(f->ix->nthreads, SNAG_NO_EVENT); /* the last access */
	qsort(f->near, f->nnear, sizeof(*f->near), by_access);
	for (size_t i = 0; i < f->nnear && !(f->env->stop && *f->env->stop); i++) {
		uint32_t e = f->near[i].access, *last = &settled[snag_index_thread(f->ix, e)];
		bool is_covered =
			!f->env->pairs && *last != SNAG_NO_EVENT && is_one_stretch(f, *last, e);
		if (is_covered || candidate_settle(f, f->near[i]))
			*last = e;
	}
	free(settled);
}

static bool freed_finish(void *state, struct snag_index *ix)
{
	struct freed *f = state;
	const struct snag_trace *trace = ix->trace;
	if (ix->is_task)
		return false;
	f->ix = ix;
	snag_index_add_mode(ix, SNAG_MODE_M2);
	snag_walk_init(&f->walk, &ix->rows[SNAG_MODE_M2]);
	struct snag_decide_options options = {.mode = SNAG_MODE_M2, .max_nodes = f->env->budget};
	f->decider = snag_decider_new(ix, &options);
	for (uint32_t e = 0; e < trace->n; e++) {
		if (!is_end(&trace->ev[e]))
			continue;
		lanes_collect(f, &ix->reads, e, false);
		lanes_collect(f, &ix->writes, e, true);
		/* The ends of the variables of a block are neighbours. */
		bool goes_on = e + 1 < trace->n && is_end(&trace->ev[e + 1]) &&
			       trace->ev[e + 1].thread == trace->ev[e].thread &&
			       trace->ev[e + 1].loc == trace->ev[e].loc;
		f->nends += !goes_on;
		if (goes_on || !f->nnear)
			continue;
		near_decide(f);
		f->nnear = 0;
	}
	for (size_t i = 0; i < f->places.n && !f->env->pairs; i++) {
		const struct snag_candidate_place *p = &f->places.at[i];
		if (!p->is_settled && p->undecided[0] != SNAG_NO_EVENT)
			report(f, (struct pair){p->undecided[0], p->undecided[1]}, NULL);
	}
	snag_decider_free(f->decider);
	snag_walk_done(&f->walk);
	return !f->is_incomplete && !(f->env->stop && *f->env->stop);
}

static void freed_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct freed *f = state;
	handler(ctx, "ends of blocks", f->nends);
	handler(ctx, "accesses behind them decided", f->ndecided);
	handler(ctx, "uses of freed memory", f->nfound);
}

const struct snag_detector snag_detector_freed = {
	.name = "freed",
	.summary = "an access that some reordering with the same reads puts behind a free, without "
		   "a race",
	.kind = "prediction",
	.guarantee = "sound: every one has a checked witness; complete unless it says otherwise",
	.cost = "the slice in memory, about 80 bytes an event; microseconds per candidate",
	.reference = "Huang, ICSE 2018, decided exactly",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.finds_freed = true,
	.no_windows = true,
	.slice = SNAG_WANT_KEPT,
	.open = freed_open,
	.finish = freed_finish,
	.stats = freed_stats,
	.close = freed_close,
};
