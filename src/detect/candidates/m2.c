/* SPDX-License-Identifier: Apache-2.0
 *
 * m2.c - every predictable race, each with a witness
 *
 * Idea.   A predictable race is a pair of conflicting accesses that some valid reordering of the
 *         trace puts next to each other, where every read sees the write it saw.  Take all pairs
 *         for which that is possible at all (candidates.h), and decide each exactly
 *         (witness/decide/decide.h).
 *
 * State.  None while the trace is read; then its index, and the state of verify.h.  The trace is
 *         mostly a slice (slice.h).
 *
 * Rules.  [candidate]  conflicting, no lock in common, not ordered by program order, fork, join
 *                      and reads-from
 *         [verdict]    verified: predicted, with a witness; infeasible: not reported; budget used
 * up: unverified [locations]  unless all pairs are wanted, one race for each unordered pair of
 * locations: the earliest instances first, then others, until one is a race
 *         [count]      all pairs of the locations that have a race are decided, to count them
 *
 * Guarantee.  Sound: every predicted race has a checked witness.  Complete, for any number of
 *             threads, if nothing stayed undecided.  (Deciding is NP-hard; the published M2 is
 *             polynomial and complete for two threads.)
 * Cost.   Linear in the trace for all but the candidates; a few microseconds for each of those.
 * Reference.  Pavlogiannis, POPL 2020, for the problem, the closure and the filters of section
 *             6.1; docs/algorithms/decide.md for what replaces RaceDecision.
 */
#include "base/memory.h"
#include "detect/candidates/decide_all.h"
#include "detect/detector.h"

static void *m2_open(const struct snag_detector_env *env)
{
	const struct snag_detector_env **state = snag_alloc(sizeof(struct snag_detector_env *));
	*state = env;
	return state;
}

static void m2_close(void *state)
{
	free(state);
}

static bool m2_finish(void *state, struct snag_index *ix)
{
	const struct snag_detector_env *env = *(const struct snag_detector_env **)state;
	bool by_paper = env->stages == SNAG_STAGES_PAPER;
	return snag_candidates_decide(env, ix, by_paper ? SNAG_RACE_DECISION : SNAG_DECIDE_EXACTLY);
}

const struct snag_detector snag_detector_m2 = {
	.name = "m2",
	.summary = "every pair that some reordering with the same reads puts side by side",
	.kind = "prediction",
	.guarantee = "sound: every race has a checked witness; complete unless it says otherwise",
	.cost = "the slice in memory, about 80 bytes an event; microseconds per candidate",
	.reference = "Pavlogiannis, POPL 2020, decided exactly",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.slice = SNAG_WANT_KEPT,
	.by_default = true,
	.has_stages = true,
	.open = m2_open,
	.finish = m2_finish,
	.close = m2_close,
};
