/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_all.c - all candidates of a trace, decided by one procedure
 */
#include "detect/candidates/decide_all.h"

#include "detect/candidates/candidates.h"

static bool on_candidate(void *ctx, uint32_t e1, uint32_t e2)
{
	return snag_verify_add(ctx, e1, e2);
}

bool snag_candidates_decide(const struct snag_detector_env *env, struct snag_index *ix,
			    enum snag_procedure procedure)
{
	struct snag_candidates_options options = {.mode = SNAG_MODE_M2,
						  .by_class = !env->pairs,
						  .is_bounded = env->max_races != SNAG_ALL_RACES,
						  .on_cut = snag_verify_cut};
	if (ix->is_task) /* they have no witnesses */
		return false;
	snag_index_add_mode(ix, SNAG_MODE_M2);
	struct snag_verify *v = snag_verify_new(env, ix, SNAG_MODE_M2, procedure);
	if (!env->pairs)
		snag_verify_keep(v);
	snag_candidates(ix, &options, on_candidate, v);
	bool again = snag_verify_round(v);
	options.by_class = false;
	options.locations = snag_verify_locations(v);
	if (again) {
		snag_candidates(ix, &options, on_candidate, v);
		snag_verify_round(v);
	}
	if (!env->pairs) {
		snag_verify_count(v);
		snag_candidates(ix, &options, on_candidate, v);
		snag_verify_report(v);
	}
	bool is_complete = snag_verify_is_complete(v);
	snag_verify_free(v);
	return is_complete;
}
