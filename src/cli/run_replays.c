/* SPDX-License-Identifier: Apache-2.0
 *
 * run_replays.c - the predicted races of a run, replayed
 */
#include "cli/run_replays.h"

#include "base/memory.h"
#include "cli/interrupt.h"
#include "record/replay_file.h"

#include <stdlib.h>
#include <string.h>

struct plan {
	struct snag_turns turns;
	char place[2][4096];
	struct snag_replay_access access[2];
};

static int plan_make(const struct cli_replays *r, const struct snag_race *race, struct plan *ret,
		     struct snag_error *err)
{
	const struct snag_site *site[2] = {&race->first, &race->second};
	uint32_t *event = snag_report_witness_events(r->report, race);
	int rc = snag_turns_of_witness(&ret->turns, r->step, event,
				       snag_report_witness_length(r->report, race), err);
	free(event);
	for (int i = 0; i < 2; i++) {
		snag_location_text(r->report->names, site[i]->loc, ret->place[i],
				   sizeof(ret->place[i]));
		ret->access[i] = (struct snag_replay_access){
			.place = ret->place[i], .is_write = site[i]->op == SNAG_OP_WRITE};
	}
	return rc;
}

void cli_replays_members(void *ctx, const struct snag_race *race, struct snag_json *j)
{
	const struct cli_replays *r = ctx;
	struct plan *plan = snag_calloc(1, sizeof(*plan));
	if (r->step && plan_make(r, race, plan, NULL) == 0)
		snag_replay_file_write(&plan->turns, plan->access, j);
	snag_turns_done(&plan->turns);
	free(plan);
}

enum snag_replay cli_replay(const struct cli_replays *r, const struct snag_race *race,
			    double seconds, char **ret_words)
{
	struct plan *plan = snag_calloc(1, sizeof(*plan));
	struct snag_replay_result result;
	struct snag_error err = {0};
	enum snag_replay outcome = SNAG_REPLAY_NOT_TRIED;
	if (plan_make(r, race, plan, &err) == 0) {
		struct snag_replay_plan how = {
			.argv = r->argv,
			.turns = &plan->turns,
			.access = {plan->access[0], plan->access[1]},
			.seed = r->seed,
			.is_quiet = true,
			.seconds = seconds,
		};
		int rc = snag_replay_run(&how, &result, &err);
		outcome = rc == 0 && result.is_confirmed ? SNAG_REPLAY_CONFIRMED
							 : SNAG_REPLAY_DIVERGED;
		*ret_words = strdup(rc == 0 ? result.words : err.msg);
	}
	snag_turns_done(&plan->turns);
	free(plan);
	return outcome;
}

void cli_replays_run(const struct cli_replays *r, struct snag_incidents *all)
{
	enum { MOST = 20 };
	size_t n = 0;
	for (size_t i = 0; i < all->n && n < MOST && !cli_stop; i++) {
		struct snag_incident *in = &all->at[i];
		if (in->is_suppressed || in->race->verdict != SNAG_PREDICTED || !in->race->nwitness)
			continue;
		in->replay = cli_replay(r, in->race, 10 + 10 * r->seconds, &in->replay_words);
		n++;
	}
}
