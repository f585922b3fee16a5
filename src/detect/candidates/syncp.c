/* SPDX-License-Identifier: Apache-2.0
 *
 * syncp.c - sync-preserving races, each with a witness
 *
 * Idea.   Two conflicting accesses are a sync-preserving race if some valid reordering with the
 *         same reads puts them next to each other, and the critical sections of a lock that are in
 *         it keep their observed order.  There is one iff the least closed set of events does not
 *         contain an access of the pair (witness/decide/closed.h, PRESERVING).
 *
 * State.  None while the trace is read; then its index, and the state of verify.h.  The trace is
 *         mostly a slice (slice.h).
 *
 * Rules.  [candidate]  as m2: conflicting, no lock in common, not ordered by program order, fork,
 *                      join and reads-from
 *         [closed]     two sections of a lock in the set: the earlier one ends in the set
 *         [verdict]    predicted, with a witness: the set in observed order
 *
 * Guarantee.  Sound: every race has a checked witness.  Complete for sync-preserving races;
 *             complete for all predictable races only if no candidate was rejected, and then it
 *             says so.
 * Cost.   Linear in the trace for all but the candidates; O(threads) for each section that the set
 *         ends, about a microsecond for most candidates.  Nothing is searched.
 * Reference.  Mathur, Pavlogiannis and Viswanathan, POPL 2021.
 */
#include "base/memory.h"
#include "detect/candidates/decide_all.h"
#include "detect/detector.h"

static void *syncp_open(const struct snag_detector_env *env)
{
	const struct snag_detector_env **state = snag_alloc(sizeof(struct snag_detector_env *));
	*state = env;
	return state;
}

static void syncp_close(void *state)
{
	free(state);
}

static bool syncp_finish(void *state, struct snag_index *ix)
{
	const struct snag_detector_env *env = *(const struct snag_detector_env **)state;
	return snag_candidates_decide(env, ix, SNAG_SYNC_PRESERVING);
}

const struct snag_detector snag_detector_syncp = {
	.name = "syncp",
	.summary = "races of reorderings that keep the order of critical sections",
	.kind = "prediction",
	.guarantee = "sound: every race has a checked witness; misses races that need sections "
		     "reordered",
	.cost = "as m2, and no search: about a microsecond per candidate",
	.reference = "Mathur, Pavlogiannis, Viswanathan, POPL 2021",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_PREDICTED,
	.slice = SNAG_WANT_KEPT,
	.open = syncp_open,
	.finish = syncp_finish,
	.close = syncp_close,
};
