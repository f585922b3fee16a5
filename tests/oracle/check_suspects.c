/* SPDX-License-Identifier: Apache-2.0
 *
 * check_suspects.c - suspects refuted by dependence (detect/candidates/suspects.h)
 *
 * The suspects are the racy pairs of hybrid.
 *   whole   in the whole trace a pair is refuted iff the search by dependence does not find it, or
 *           not at all if the trace has no branch
 *   part    in a part of it, without the plain accesses of some other variables, which have no
 *           atomic ones, no pair is refuted that the search finds in the whole trace
 *   filter  without the branches that trace/branch_filter.h leaves out of such a part, the same
 *           pairs are refuted
 */
#include "base/memory.h"
#include "check.h"
#include "detect/candidates/suspects.h"
#include "prng.h"
#include "trace/branch_filter.h"

#include <string.h>

enum { MAX_PAIRS = 64 };

static bool is_in(uint64_t variables, const struct snag_event *ev)
{
	return variables >> ev->target & 1;
}

/* Leaves an event out, without changing the numbers of the others. */
static void leave_out(struct snag_event *ev)
{
	*ev = (struct snag_event){.thread = ev->thread, .loc = ev->loc, .op = SNAG_OP_BEGIN};
}

/* Without the plain accesses of the variables in the set. */
static struct snag_trace trace_without(const struct snag_trace *trace, uint64_t variables)
{
	struct snag_trace left = *trace;
	left.ev = snag_alloc((trace->n + 1) * sizeof(*left.ev));
	memcpy(left.ev, trace->ev, trace->n * sizeof(*left.ev));
	for (size_t i = 0; i < trace->n; i++)
		if (snag_op_is_access(left.ev[i].op) && is_in(variables, &left.ev[i]))
			leave_out(&left.ev[i]);
	return left;
}

/* Leaves out the branches that do not matter without these variables. */
static void branches_filter(struct snag_trace *trace, uint64_t variables)
{
	size_t nthreads = trace->names.space[SNAG_SPACE_THREAD].n;
	struct snag_branch_filter *filter = snag_calloc(nthreads, sizeof(*filter));
	for (size_t i = 0; i < trace->n; i++) {
		struct snag_event *ev = &trace->ev[i];
		struct snag_branch_filter *f = &filter[ev->thread];
		bool is_kept = true;
		if (ev->op == SNAG_OP_BRANCH)
			is_kept = snag_branch_filter_branch(f);
		else if (ev->op == SNAG_OP_DEPENDS)
			is_kept = snag_branch_filter_dep(f, !is_in(variables, ev));
		else if (snag_op_reads(ev->op))
			snag_branch_filter_read(f);
		if (!is_kept)
			leave_out(ev);
	}
	free(filter);
}

static void decide(const struct snag_trace *trace, struct snag_suspect *suspect, size_t n)
{
	struct snag_source *src = snag_trace_source(trace);
	struct snag_error err = {0};
	if (snag_suspects_decide(src, suspect, n, &err) < 0) /* memory cannot be unreadable */
		abort();
	snag_source_close(src);
}

static size_t suspects_collect(struct subject *s, struct snag_suspect *to)
{
	size_t n = 0;
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		for (event_set races = subject_races(s, REL_HYBRID, e2); races && n < MAX_PAIRS;)
			to[n++] = (struct snag_suspect){.first = take_first(&races), .second = e2};
	return n;
}

static bool has_branch(const struct snag_trace *trace)
{
	for (size_t i = 0; i < trace->n; i++)
		if (trace->ev[i].op == SNAG_OP_BRANCH)
			return true;
	return false;
}

/* The variables with atomic accesses, whose plain ones are in every part. */
static uint64_t atomics_of(const struct snag_trace *trace)
{
	uint64_t set = 0;
	for (size_t i = 0; i < trace->n; i++)
		if (snag_op_info[trace->ev[i].op].space == SNAG_SPACE_VARIABLE &&
		    trace->ev[i].op != SNAG_OP_DEPENDS && !snag_op_is_access(trace->ev[i].op))
			set |= UINT64_C(1) << trace->ev[i].target;
	return set;
}

/* One pair, without some variables that are not its own. */
static enum outcome check_part(struct subject *s, struct snag_suspect pair, bool is_race,
			       struct prng *random, struct reason *why)
{
	uint64_t own = UINT64_C(1) << s->trace->ev[pair.first].target;
	uint64_t leave = prng_next(random) & ~own & ~atomics_of(s->trace);
	struct snag_trace part = trace_without(s->trace, leave);
	struct snag_suspect filtered = pair;
	bool had_branch = has_branch(&part);
	decide(&part, &pair, 1);
	branches_filter(&part, leave);
	decide(&part, &filtered, 1);
	/* a trace without branches says nothing */
	bool is_same = pair.is_refuted == filtered.is_refuted || has_branch(&part) != had_branch;
	free(part.ev);
	if (is_race && (pair.is_refuted || filtered.is_refuted))
		return check_fail(why, "%u and %u are refuted in a part of the trace", pair.first,
				  pair.second);
	return is_same ? PASSED
		       : check_fail(why, "%u and %u, without some branches: refuted %d, not %d",
				    pair.first, pair.second, filtered.is_refuted, pair.is_refuted);
}

enum outcome check_suspects(struct subject *s, struct reason *why)
{
	const struct search *search = subject_search(s, SNAG_RULES_DEPENDENCE);
	struct snag_suspect suspect[MAX_PAIRS];
	size_t n = suspects_collect(s, suspect);
	struct prng random = {s->seed};
	enum outcome outcome = PASSED;
	if (!search)
		return SKIPPED;
	bool can_refute = has_branch(s->trace);
	decide(s->trace, suspect, n);
	for (size_t i = 0; i < n && outcome == PASSED; i++) {
		bool is_race = search_races(search, suspect[i].first) >> suspect[i].second & 1;
		if (suspect[i].is_refuted != (can_refute && !is_race))
			outcome = check_fail(why, "%u and %u: refuted %d, a race %d",
					     suspect[i].first, suspect[i].second,
					     suspect[i].is_refuted, is_race);
		else
			outcome = check_part(s, suspect[i], is_race, &random, why);
	}
	return outcome;
}
