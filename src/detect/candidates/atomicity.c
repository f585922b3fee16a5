/* SPDX-License-Identifier: Apache-2.0
 *
 * atomicity.c - every write of another thread that can come between a read and the write after it
 *
 * Idea.   `t = n; ... n = t + 1;` is meant as one step, also if each half has a lock of its own.
 *         Such a read and write are a *unit*.  If another thread writes between them, its write is
 *         lost.  Take all units of a trace and all writes that can possibly come between, and
 *         decide each exactly: is there a valid reordering that has the read, then that write, and
 *         ends with the write of the unit (snag_decide_between)?
 *
 * State.  place    locations of a read, a write between, and a write, with what was decided for
 *                  them
 *
 * Rules.  [unit]       a read and the next access of its thread to the variable, if that is a
 *                      write.  Traces do not say what a written value was computed from, so this
 *                      stands for "the write depends on the read".  An atomic update is no part of
 *                      a unit: it reads what it overwrites
 *         [wait]       barriers, semaphores and conditions of a recording are no variables of the
 *                      program
 *         [between]    a write of another thread, or an atomic update, to that variable
 *         [order]      not decided if program order, fork, join and reads-from put it before the
 *                      read, or after the write, in every witness
 *         [lock]       nor if the unit lies in one section of a lock that the other thread holds
 *         [observed]   in the trace itself it comes between: observed
 *         [verdict]    otherwise, verified: predicted, with a checked witness; infeasible: not
 *                      reported; budget used up: unverified
 *         [locations]  unless all are wanted, one report for each triple of locations: an observed
 *                      one if there is one, then the nearest writes, then all, until one is
 *                      verified
 *         [rules]      which reads keep their writer: with AUTO, if the trace has branches, those
 *                      that branches depend on; otherwise all
 *
 * Guarantee.  Sound: every predicted one has a checked witness.  Complete for these units if
 *         nothing stayed undecided.
 * Cost.   The whole trace in memory, about 80 bytes an event; for each unit and other thread some
 *         bisections; microseconds for each decision, at most SNAG_PLACE_DECIDED for a triple of
 *         locations.  Beyond MAX_COMPARED comparisons only the nearest writes are tried.
 * Reference.  Lu, Tucek, Qin and Zhou, ASPLOS 2006 (units of two accesses, cases 3 and 4);
 *         docs/algorithms/atomicity.md.
 */
#include "base/memory.h"
#include "detect/candidates/candidate_places.h"
#include "detect/candidates/pair_judge.h"
#include "witness/decide/decide.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COMPARED = 1 << 26 };

struct unit {
	uint32_t read, write;
};

enum pass { OBSERVED, NEAREST, ALL };

struct atomicity {
	const struct snag_detector_env *env;
	struct snag_index *ix;
	enum snag_mode mode;
	const struct snag_rows *rows;
	struct snag_rows_walk walk;
	struct snag_decider *decider;
	const struct snag_lane **reads_of;   /* by thread: of the variable that is looked at */
	struct snag_candidate_places places; /* by the read, the write between, the write */
	enum pass pass;
	uint64_t compared;
	bool is_incomplete;
	uint64_t nunits, ndecided, nfound;
};

static void *atomicity_open(const struct snag_detector_env *env)
{
	struct atomicity *a = snag_calloc(1, sizeof(*a));
	a->env = env;
	return a;
}

static void atomicity_close(void *state)
{
	struct atomicity *a = state;
	if (!a)
		return;
	snag_candidate_places_done(&a->places);
	free(a);
}

/* Without a witness: unverified, unless the trace itself shows it. */
static void report(struct atomicity *a, const uint32_t *unit, const struct snag_witness *w,
		   bool changes_reads)
{
	bool is_observed = unit[0] < unit[1] && unit[1] < unit[2];
	uint32_t low = unit[1] < unit[2] ? unit[1] : unit[2];
	struct snag_race found = {.first = snag_site_of(a->ix, low),
				  .second = snag_site_of(a->ix, unit[1] + unit[2] - low),
				  .is_atomicity = true,
				  .read = snag_site_of(a->ix, unit[0]),
				  .count = 1,
				  .changes_reads = changes_reads && !is_observed,
				  .verdict = is_observed ? SNAG_OBSERVED
					     : w	 ? SNAG_PREDICTED
							 : SNAG_UNVERIFIED};
	if (w)
		snag_witness_copy(w, a->ix->nthreads, &found);
	a->nfound++;
	a->env->on_race(a->env->ctx, &found);
}

static void decide(struct atomicity *a, struct snag_candidate_place *p,
		   uint32_t *unit) /* [verdict] */
{
	struct snag_error unused;
	bool is_observed = unit[0] < unit[1] && unit[1] < unit[2];
	a->ndecided++;
	p->left--;
	enum snag_decision decision = snag_decide_between(a->decider, unit[0], unit[1], unit[2]);
	if (decision == SNAG_VERIFIED) {
		struct snag_witness w = *snag_decider_witness(a->decider);
		enum snag_rules rules = snag_rules_of_mode(a->mode);
		w.unit = unit;
		w.nunit = 3;
		if (snag_witness_check(a->ix->trace, &w, rules, &unused) == 0) {
			p->is_settled = true;
			report(a, unit, &w,
			       rules != SNAG_RULES_READS &&
				       snag_witness_check(a->ix->trace, &w, SNAG_RULES_READS,
							  &unused) < 0);
			return;
		}
		decision = SNAG_UNDECIDED;
	}
	if (decision == SNAG_INFEASIBLE)
		return;
	if (is_observed || a->env->pairs) {
		p->is_settled = true;
		report(a, unit, NULL, false);
	} else if (p->undecided[0] == SNAG_NO_EVENT) {
		memcpy(p->undecided, unit, 3 * sizeof(*unit));
	}
	a->is_incomplete |= !is_observed;
}

static bool is_wait(const struct atomicity *a, uint32_t e) /* [wait] */
{
	return snag_event_is_wait(&a->ix->trace->ev[e]);
}

/* [lock] */
static bool is_kept_apart(const struct snag_index *ix, struct unit unit, uint32_t between)
{
	for (uint32_t i = ix->held[unit.write]; i; i = ix->node[i].below) {
		uint32_t acquire = ix->node[i].acquire;
		if (acquire > unit.read)
			continue;
		for (uint32_t k = ix->held[between]; k; k = ix->node[k].below)
			if (ix->node[k].lock == ix->node[i].lock &&
			    (ix->trace->ev[acquire].op == SNAG_OP_ACQUIRE ||
			     ix->trace->ev[ix->node[k].acquire].op == SNAG_OP_ACQUIRE))
				return true;
	}
	return false;
}

static void candidate_decide(struct atomicity *a, struct unit unit, uint32_t between)
{
	uint32_t event[3] = {unit.read, between, unit.write};
	a->compared++;
	if (is_wait(a, between) || is_kept_apart(a->ix, unit, between))
		return;
	struct snag_candidate_place *p =
		snag_candidate_places_of(&a->places, a->env, a->ix->trace, event, 3);
	if (!p || p->is_settled)
		return;
	if (p->left)
		decide(a, p, event);
	else
		a->is_incomplete = true;
}

/* Whether event x has happened whenever the thread of y has done y. */
static bool is_needed(struct atomicity *a, uint32_t x, uint32_t y)
{
	struct snag_point p =
		snag_point_of(a->ix, a->rows, snag_index_thread(a->ix, y), a->ix->position[y] + 1);
	return snag_rows_has(a->ix, a->rows, &a->walk, &p, x);
}

static uint32_t lane_event(const struct atomicity *a, const struct snag_lane *lane, uint32_t i)
{
	return snag_index_event(a->ix, lane->thread, snag_lane_at(&a->ix->writes, lane, i));
}

/* How many writes of the lane were observed before the event. */
static uint32_t observed_before(const struct atomicity *a, const struct snag_lane *lane,
				uint32_t event)
{
	uint32_t low = 0, high = snag_lane_length(lane);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (lane_event(a, lane, middle) < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* [order] The writes of the lane that may come between are those from *ret_from on, up to *ret_to.
 * Those before *ret_from were all observed before the read, and those from *ret_to on after the
 * write. */
static void range_find(struct atomicity *a, const struct snag_lane *lane, struct unit unit,
		       uint32_t *ret_from, uint32_t *ret_to)
{
	uint32_t low = 0, high = observed_before(a, lane, unit.read);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (is_needed(a, lane_event(a, lane, middle), unit.read))
			low = middle + 1;
		else
			high = middle;
	}
	*ret_from = low;
	low = observed_before(a, lane, unit.write);
	high = snag_lane_length(lane);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (is_needed(a, unit.write, lane_event(a, lane, middle)))
			high = middle;
		else
			low = middle + 1;
	}
	*ret_to = low;
}

/* The writes of another thread that may come between, as the pass wants them. */
static void lane_compare(struct atomicity *a, const struct snag_lane *lane, struct unit unit)
{
	uint32_t after_read = observed_before(a, lane, unit.read);
	uint32_t after_write = observed_before(a, lane, unit.write), from, to;
	if (a->pass == OBSERVED) {
		from = after_read;
		to = after_write;
	} else {
		range_find(a, lane, unit, &from, &to);
	}
	if (a->pass == NEAREST) {
		if (after_read > from)
			candidate_decide(a, unit, lane_event(a, lane, after_read - 1));
		if (after_write < to)
			candidate_decide(a, unit, lane_event(a, lane, after_write));
		return;
	}
	for (; from < to; from++) {
		if (!a->env->pairs && a->compared > MAX_COMPARED) {
			a->is_incomplete = true;
			return;
		}
		candidate_decide(a, unit, lane_event(a, lane, from));
	}
}

static bool is_stopped(const struct atomicity *a)
{
	return a->env->stop && *a->env->stop;
}

static void unit_compare(struct atomicity *a, struct unit unit)
{
	const struct snag_lanes *writes = &a->ix->writes;
	uint32_t x = a->ix->trace->ev[unit.read].target;
	snag_tid t = snag_index_thread(a->ix, unit.read);
	a->nunits++;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1] && !is_stopped(a); i++)
		if (writes->lane[i].thread != t)
			lane_compare(a, &writes->lane[i], unit);
}

/* [unit] Those of one thread: it reads by one lane and writes by the other. */
static void units_find(struct atomicity *a, const struct snag_lane *read,
		       const struct snag_lane *write)
{
	const struct snag_index *ix = a->ix;
	for (uint32_t i = 0, k = 0; i < snag_lane_length(write); i++) {
		uint32_t p = snag_lane_at(&ix->writes, write, i);
		uint32_t since = i ? snag_lane_at(&ix->writes, write, i - 1) + 1 : 0;
		while (k < snag_lane_length(read) && snag_lane_at(&ix->reads, read, k) < p)
			k++;
		struct unit unit = {.write = snag_index_event(ix, write->thread, p)};
		if (k == 0 || snag_lane_at(&ix->reads, read, k - 1) < since ||
		    snag_op_reads(ix->trace->ev[unit.write].op))
			continue;
		unit.read =
			snag_index_event(ix, write->thread, snag_lane_at(&ix->reads, read, k - 1));
		if (!is_wait(a, unit.read) && !is_wait(a, unit.write))
			unit_compare(a, unit);
	}
}

static void variable_look(struct atomicity *a, uint32_t x)
{
	const struct snag_lanes *reads = &a->ix->reads, *writes = &a->ix->writes;
	if (writes->first[x + 1] - writes->first[x] < 2)
		return;
	for (uint32_t i = reads->first[x]; i < reads->first[x + 1]; i++)
		a->reads_of[reads->lane[i].thread] = &reads->lane[i];
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++)
		if (a->reads_of[writes->lane[i].thread])
			units_find(a, a->reads_of[writes->lane[i].thread], &writes->lane[i]);
	for (uint32_t i = reads->first[x]; i < reads->first[x + 1]; i++)
		a->reads_of[reads->lane[i].thread] = NULL;
}

static bool has_branch(const struct snag_trace *trace)
{
	for (size_t i = 0; i < trace->n; i++)
		if (trace->ev[i].op == SNAG_OP_BRANCH)
			return true;
	return false;
}

static bool atomicity_finish(void *state, struct snag_index *ix)
{
	struct atomicity *a = state;
	if (ix->is_task)
		return false;
	a->ix = ix;
	a->mode = snag_mode_of(snag_rules_of(a->env->rules, has_branch(ix->trace)));
	snag_index_add_mode(ix, a->mode);
	a->rows = &ix->rows[a->mode];
	snag_walk_init(&a->walk, a->rows);
	struct snag_decide_options options = {.mode = a->mode, .max_nodes = a->env->budget};
	a->decider = snag_decider_new(ix, &options);
	a->reads_of = snag_calloc(ix->nthreads, sizeof(*a->reads_of));
	for (a->pass = a->env->pairs ? ALL : OBSERVED; a->pass <= ALL; a->pass++) {
		a->nunits = 0;
		for (uint32_t x = 0; x < ix->nvariables && !is_stopped(a); x++)
			variable_look(a, x);
	}
	const struct snag_candidate_places *places = &a->places;
	for (size_t i = 0; i < places->n && !a->env->pairs; i++)
		if (!places->at[i].is_settled && places->at[i].undecided[0] != SNAG_NO_EVENT)
			report(a, places->at[i].undecided, NULL, false);
	free(a->reads_of);
	snag_decider_free(a->decider);
	snag_walk_done(&a->walk);
	return !a->is_incomplete && !is_stopped(a);
}

static void atomicity_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct atomicity *a = state;
	handler(ctx, "units of a read and a write", a->nunits);
	handler(ctx, "writes between them decided", a->ndecided);
	handler(ctx, "broken units", a->nfound);
}

const struct snag_detector snag_detector_atomicity = {
	.name = "atomicity",
	.summary = "a write of another thread between a read and the write that follows it",
	.kind = "prediction",
	.guarantee = "sound: every one has a checked witness; complete unless it says otherwise",
	.cost = "the trace in memory, about 80 bytes an event; microseconds per candidate",
	.reference = "Lu et al., ASPLOS 2006, decided exactly",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.finds_atomicity = true,
	.no_windows = true,
	.open = atomicity_open,
	.finish = atomicity_finish,
	.stats = atomicity_stats,
	.close = atomicity_close,
};
