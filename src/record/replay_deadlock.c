/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_deadlock.c - run a program again, steered by a schedule to a deadlock
 */
#include "record/replay_deadlock.h"

#include "base/memory.h"
#include "record/divergence.h"
#include "record/live.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACE = 4096 };

/* Whether the threads that waited for each other did so at the places of the plan. */
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

static void words_fill(const struct snag_deadlock_plan *plan, const struct snag_names *names,
		       const struct snag_live_end *end, struct snag_replay_result *result)
{
	result->was_late = end->was_late && !result->is_confirmed;
	if (result->is_confirmed)
		snprintf(result->words, sizeof(result->words),
			 "%" PRIu32 " threads waited for each other", end->notes.ncircle);
	else if (end->notes.ncircle)
		snprintf(result->words, sizeof(result->words),
			 "%" PRIu32 " threads waited for each other, but elsewhere",
			 end->notes.ncircle);
	else if (end->was_late)
		snprintf(result->words, sizeof(result->words),
			 "the threads did not wait for each other in the time there was");
	else {
		struct snag_sentence words = {.at = result->words, .room = sizeof(result->words)};
		if (end->notes.diverged)
			snag_divergence_stuck(&words, plan->turns, &end->notes, names);
		else
			snag_sentence_add(&words, "the schedule was followed, but the threads did "
						  "not wait for each other");
		snag_divergence_causes(&words, end);
	}
}

static int run_steered(const struct snag_deadlock_plan *plan, int schedule,
		       struct snag_replay_result *result, struct snag_error *err)
{
	char options[128];
	struct snag_source *live;
	struct snag_batch batch;
	snprintf(options, sizeof(options),
		 "seed=%" PRIu64 ":stop_at_circle=1:schedule=/proc/self/fd/%d", plan->seed,
		 schedule);
	struct snag_live_options how = {.options = options,
					.io = plan->is_quiet ? SNAG_LAUNCH_SILENT
							     : SNAG_LAUNCH_SHARES,
					.seconds = plan->seconds,
					.stop = plan->interrupt};
	int rc = snag_live_source(plan->argv, &how, &live, err);
	if (rc < 0)
		return rc;
	snag_source_take_runs(live);
	snag_source_forget_variables(live);
	while ((rc = snag_source_next(live, &batch, err)) > 0)
		;
	struct snag_live_end end = snag_live_end(live);
	result->is_confirmed = is_reached(plan, live->names, &end.notes);
	result->status = end.status;
	words_fill(plan, live->names, &end, result);
	snag_source_close(live);
	return rc;
}

int snag_replay_deadlock(const struct snag_deadlock_plan *plan,
			 struct snag_replay_result *ret_result, struct snag_error *err)
{
	int schedule = snag_turns_share(plan->turns, err);
	if (schedule < 0)
		return schedule;
	int rc = run_steered(plan, schedule, ret_result, err);
	close(schedule);
	return rc;
}
