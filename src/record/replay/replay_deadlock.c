/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_deadlock.c - runs a program again, steered by a schedule to a deadlock
 */
#include "record/replay/replay_deadlock.h"

#include "base/memory.h"
#include "record/replay/divergence.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 4096 };

/* Returns whether the threads waited for each other at the places of the plan. */
static bool is_reached(const struct snag_deadlock_plan *plan, const struct snag_names *names,
		       const struct snag_convert_notes *notes)
{
	bool *is_met = snag_calloc(plan->n, sizeof(*is_met));
	bool all = notes->ncircle == plan->n;
	for (uint32_t i = 0; all && i < notes->ncircle; i++) {
		char place[PLACE];
		size_t k = 0;
		snag_location_text(names, notes->circle[i].loc, place, sizeof(place));
		while (k < plan->n && (is_met[k] || strcmp(plan->place[k], place) != 0))
			k++;
		all = k < plan->n;
		if (all)
			is_met[k] = true;
	}
	free(is_met);
	return all;
}

static void result_fill(const struct snag_deadlock_plan *plan, const struct snag_names *names,
			const struct snag_live_end *end, struct snag_replay_result *result)
{
	const uint32_t n = end->notes.ncircle;
	result->is_confirmed = is_reached(plan, names, &end->notes);
	snag_replay_end_take(result, end);
	if (n)
		snprintf(result->words, sizeof(result->words),
			 "%" PRIu32 " threads waited for each other%s", n,
			 result->is_confirmed ? "" : ", but at other places");
	else
		snag_divergence_fill(result, end, plan->how.turns, names,
				     "the threads did not wait for each other");
}

struct deadlock_run {
	const struct snag_deadlock_plan *plan;
	struct snag_replay_result *result;
};

static int run_read(void *ctx, struct snag_source *live, struct snag_error *err)
{
	const struct deadlock_run *r = ctx;
	struct snag_batch batch;
	int rc;
	snag_source_take_runs(live);
	snag_source_forget_variables(live);
	while ((rc = snag_source_next(live, &batch, err)) > 0)
		;
	struct snag_live_end end = snag_live_end(live);
	result_fill(r->plan, live->names, &end, r->result);
	return rc;
}

int snag_replay_deadlock(const struct snag_deadlock_plan *plan,
			 struct snag_replay_result *ret_result, struct snag_error *err)
{
	const struct snag_live_options more = {.options = "stop_at_circle=1",
					       .io = SNAG_LAUNCH_SILENT};
	struct deadlock_run r = {plan, ret_result};
	return snag_steer(&plan->how, more, run_read, &r, err);
}
