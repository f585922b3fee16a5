/* SPDX-License-Identifier: Apache-2.0
 *
 * check_suspects.c - suspects refuted by dependence (detect/candidates/suspects.h)
 *
 * The suspects are the racy pairs of hybrid.
 *   whole   in the whole trace a pair is refuted iff the search by dependence does not find it, or not
 *           at all if the trace has no branch
 *   part    in a part of it, without the plain accesses of some other variables, which have no
 *           atomic ones, no pair is refuted that the search finds in the whole trace
 */
#include "base/memory.h"
#include "check.h"
#include "detect/candidates/suspects.h"
#include "prng.h"

#include <string.h>

enum { MAX_PAIRS = 64 };

/* Without the plain accesses of the variables in the set; events keep their numbers. */
static struct snag_trace trace_without(const struct snag_trace *trace, uint64_t variables)
{
	struct snag_trace left = *trace;
	left.ev = snag_alloc((trace->n + 1) * sizeof(*left.ev));
	memcpy(left.ev, trace->ev, trace->n * sizeof(*left.ev));
	for (size_t i = 0; i < trace->n; i++)
		if (snag_op_is_access(left.ev[i].op) && variables >> left.ev[i].target & 1)
			left.ev[i] = (struct snag_event){.thread = left.ev[i].thread,
							 .loc = left.ev[i].loc,
							 .op = SNAG_OP_BEGIN};
	return left;
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
static enum outcome check_part(struct subject *s, struct snag_suspect pair, struct prng *random,
			       struct reason *why)
{
	uint64_t own = UINT64_C(1) << s->trace->ev[pair.first].target;
	uint64_t leave = prng_next(random) & ~own & ~atomics_of(s->trace);
	struct snag_trace part = trace_without(s->trace, leave);
	decide(&part, &pair, 1);
	free(part.ev);
	return pair.is_refuted ? check_fail(why, "%u and %u are refuted in a part of the trace",
					    pair.first, pair.second)
			       : PASSED;
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
		else if (is_race)
			outcome = check_part(s, suspect[i], &random, why);
	}
	return outcome;
}
