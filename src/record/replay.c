/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - run a program again, steered by a schedule to a race
 */
#include "record/replay.h"

#include "record/live.h"
#include "trace/callstack.h"
#include "trace/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE = 4096 };

/* Looks for the two accesses in the trace of the new run. */
struct watch {
	const struct snag_replay_plan *plan;
	const struct snag_names *names;
	struct snag_event last; /* the event before */
	bool has_last, is_found;
	uint64_t event; /* where */
};

static bool is_expected(const struct watch *w, const struct snag_event *ev, int which)
{
	const struct snag_replay_access *expected = &w->plan->access[which];
	char place[PLACE];
	if ((ev->op == SNAG_OP_WRITE) != expected->is_write)
		return false;
	snag_location_text(w->names, ev->loc, place, sizeof(place));
	return strcmp(place, expected->place) == 0;
}

static void watch_event(struct watch *w, const struct snag_event *ev, uint64_t number)
{
	const struct snag_event *a = &w->last;
	bool is_pair = w->has_last && snag_op_is_access(ev->op) && snag_op_is_access(a->op) &&
		       a->thread != ev->thread && a->target == ev->target &&
		       (a->op == SNAG_OP_WRITE || ev->op == SNAG_OP_WRITE);
	if (is_pair && !w->is_found &&
	    ((is_expected(w, a, 0) && is_expected(w, ev, 1)) ||
	     (is_expected(w, a, 1) && is_expected(w, ev, 0)))) {
		w->is_found = true;
		w->event = number - 1;
	}
	w->last = *ev;
	w->has_last = true;
}

/* Reads the run to its end, or to where it stands still. */
static int watch_run(struct watch *w, struct snag_source *live, struct snag_sink *sink,
		     struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(live, &batch, err)) > 0) {
		for (size_t i = 0; i < batch.n; i++)
			watch_event(w, &batch.ev[i], batch.first + i);
		if (sink && (rc = snag_sink_write(sink, &batch, live->names, err)) < 0)
			break;
	}
	return rc;
}

static void words_fill(const struct watch *w, const struct snag_live_end *end,
		       struct snag_replay_result *result)
{
	result->is_confirmed = w->is_found;
	if (w->is_found)
		snprintf(result->words, sizeof(result->words),
			 "events %" PRIu64 " and %" PRIu64 " of the replay are the two accesses",
			 w->event, w->event + 1);
	else if (end->notes.diverged)
		snprintf(result->words, sizeof(result->words),
			 "at turn %" PRIu64 " of %zu the thread that should run cannot",
			 end->notes.turn + 1, w->plan->turns->n);
	else
		snprintf(result->words, sizeof(result->words),
			 "the schedule was followed, but the accesses did not come together");
}

static int run_steered(const struct snag_replay_plan *plan, int schedule,
		       struct snag_replay_result *result, struct snag_error *err)
{
	char options[128];
	struct snag_source *live;
	struct snag_sink *sink = NULL;
	snprintf(options, sizeof(options), "seed=%" PRIu64 ":hold=%d:schedule=/proc/self/fd/%d",
		 plan->seed, plan->on_held != NULL, schedule);
	struct snag_live_options how = {
		.options = options,
		.io = plan->is_quiet ? SNAG_LAUNCH_SILENT : SNAG_LAUNCH_SHARES,
		.seconds = plan->seconds,
		.on_held = plan->on_held,
		.ctx = plan->ctx,
	};
	int rc = plan->trace ? snag_sink_open(plan->trace, 0, &sink, err) : 0;
	if (rc == 0)
		rc = snag_live_source(plan->argv, &how, &live, err);
	if (rc < 0) {
		snag_sink_abort(sink);
		return rc;
	}
	struct watch w = {.plan = plan, .names = live->names};
	rc = watch_run(&w, live, sink, err);
	if (rc < 0)
		snag_sink_abort(sink);
	else if (sink)
		rc = snag_sink_commit(sink, err);
	struct snag_live_end end = snag_live_end(live);
	words_fill(&w, &end, result);
	result->status = end.status;
	snag_source_close(live);
	return rc;
}

int snag_replay_run(const struct snag_replay_plan *plan, struct snag_replay_result *ret_result,
		    struct snag_error *err)
{
	enum { ACCESSES = 2 };
	int schedule = snag_turns_share(plan->turns, plan->on_held ? ACCESSES : 0, err);
	if (schedule < 0)
		return schedule;
	int rc = run_steered(plan, schedule, ret_result, err);
	close(schedule);
	return rc;
}
