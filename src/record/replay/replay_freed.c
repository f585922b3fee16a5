/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_freed.c - runs a program again, steered to an access after the free of its memory
 *
 * Idea.   The converter notices every use of freed memory (convert_misuse.c).  So the replay reads
 *         the run to its end, and looks for one with both places.
 */
#include "record/replay/replay_freed.h"

#include "record/replay/divergence.h"
#include "trace/callstack.h"

#include <stdio.h>
#include <string.h>

enum { PLACE = 4096 };

static bool is_at(const struct snag_names *names, snag_loc loc, const char *place)
{
	char text[PLACE];
	snag_location_text(names, loc, text, sizeof(text));
	return strcmp(text, place) == 0;
}

static bool is_reached(const struct snag_freed_plan *plan, const struct snag_names *names,
		       const struct snag_live_end *end)
{
	for (size_t i = 0; i < end->nmisuses; i++) {
		const struct snag_misuse *m = &end->misuse[i];
		if (m->kind == SNAG_MISUSE_USE_AFTER_FREE && m->has_before &&
		    is_at(names, m->loc, plan->access) && is_at(names, m->before, plan->end))
			return true;
	}
	return false;
}

static void result_fill(const struct snag_freed_plan *plan, const struct snag_names *names,
			const struct snag_live_end *end, struct snag_replay_result *result)
{
	result->is_confirmed = is_reached(plan, names, end);
	snag_replay_end_take(result, end);
	if (result->is_confirmed)
		snprintf(result->words, sizeof(result->words),
			 "the memory was freed, and then accessed");
	else
		snag_divergence_fill(result, end, plan->how.turns, names,
				     "the memory was not accessed after its end");
}

struct freed_run {
	const struct snag_freed_plan *plan;
	struct snag_replay_result *result;
};

static int run_read(void *ctx, struct snag_source *live, struct snag_error *err)
{
	const struct freed_run *r = ctx;
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(live, &batch, err)) > 0)
		;
	if (rc == 0) {
		struct snag_live_end end = snag_live_end(live);
		result_fill(r->plan, live->names, &end, r->result);
	}
	return rc;
}

int snag_replay_freed(const struct snag_freed_plan *plan, struct snag_replay_result *ret_result,
		      struct snag_error *err)
{
	const struct snag_live_options more = {.options = "forget=1", .io = SNAG_LAUNCH_OURS};
	struct freed_run r = {plan, ret_result};
	return snag_steer(&plan->how, more, run_read, &r, err);
}
