/* SPDX-License-Identifier: Apache-2.0
 *
 * osr.c - optimistic sync-reversal races, each with a witness
 *
 * Idea.   Let every critical section end, unless its end has to follow one of the two accesses.
 *         The sections that cannot end run last, although others of their lock were observed after
 *         them.  Everything else keeps its observed order.  The pair is an optimistic sync-reversal
 *         race iff that is possible (witness/decide/closed.h, OPTIMISTIC).
 *
 * State.  None while the trace is read; then its index, and the state of verify.h.  The trace is
 *         mostly a slice (slice.h).
 *
 * Rules.  [candidate]  as m2: conflicting, no lock in common, not ordered by program order, fork,
 *                      join and reads-from
 *         [closed]     a section of the set ends in it, if its end need not follow an access of the
 *                      pair
 *         [verdict]    predicted, with a witness: the set, in the order of optimistic.h
 *
 * Guarantee.  Sound: every race has a checked witness.  Complete for optimistic sync-reversal
 *             races; complete for all predictable races only if no candidate was rejected, and then
 *             it says so.
 * Cost.   Linear in the trace for all but the candidates.  A candidate costs microseconds, and at
 *         most the events after the section that it delays, for each such section: linear.
 * Reference.  Shi, Mathur and Pavlogiannis, ICSE 2024.
 */
#include "base/memory.h"
#include "detect/candidates/decide_all.h"
#include "detect/detector.h"

static void *osr_open(const struct snag_detector_env *env)
{
	const struct snag_detector_env **state = snag_alloc(sizeof(struct snag_detector_env *));
	*state = env;
	return state;
}

static void osr_close(void *state)
{
	free(state);
}

static bool osr_finish(void *state, struct snag_index *ix)
{
	const struct snag_detector_env *env = *(const struct snag_detector_env **)state;
	return snag_candidates_decide(env, ix, SNAG_SYNC_REVERSAL);
}

const struct snag_detector snag_detector_osr = {
	.name = "osr",
	.summary = "races of reorderings that run sections last if they cannot end",
	.kind = "prediction",
	.guarantee =
		"sound: every race has a checked witness; misses races that need other reorderings",
	.cost = "as m2, and no search: at most linear per candidate",
	.reference = "Shi, Mathur, Pavlogiannis, ICSE 2024",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.slice = SNAG_WANT_KEPT,
	.all_locks = true,
	.open = osr_open,
	.finish = osr_finish,
	.close = osr_close,
};
