/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - run a program again, steered by a schedule to a race
 */
#include "record/replay.h"

#include "base/memory.h"
#include "record/live.h"
#include "record/recording.h"
#include "record/step_log.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE = 4096 };

/* Looks for the two accesses in the trace of the new run.  An access can be several events, which
 * have one step. */
struct watch {
	const struct snag_replay_plan *plan;
	const struct snag_names *names;
	struct snag_step step; /* that of the event before */
	uint64_t nsteps;       /* so far */
	struct touch {	       /* the last access to a variable */
		struct snag_event ev;
		uint64_t number;
		uint64_t step; /* which of them; 0: there was none */
	} * touch;	       /* by variable, of reads and of writes */
	size_t touch_cap;
	bool is_found;
	uint64_t event[2];	    /* where */
	volatile sig_atomic_t stop; /* the program need not go on */
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

/* Whether an access of the step before and this one are the two. */
static bool is_pair(const struct watch *w, const struct touch *t, const struct snag_event *ev)
{
	return t->step && t->step + 1 == w->nsteps && t->ev.thread != ev->thread &&
	       (t->ev.op == SNAG_OP_WRITE || ev->op == SNAG_OP_WRITE) &&
	       ((is_expected(w, &t->ev, 0) && is_expected(w, ev, 1)) ||
		(is_expected(w, &t->ev, 1) && is_expected(w, ev, 0)));
}

static void watch_event(struct watch *w, const struct snag_event *ev, uint64_t number,
			const struct snag_step *step)
{
	w->nsteps +=
		step->thread != w->step.thread || step->count != w->step.count || w->nsteps == 0;
	w->step = *step;
	if (!snag_op_is_access(ev->op))
		return;
	struct touch *touch = &w->touch[2 * (size_t)ev->target];
	for (int i = 0; i < 2 && !w->is_found; i++) {
		w->is_found = is_pair(w, &touch[i], ev);
		w->event[0] = touch[i].number;
		w->event[1] = number;
	}
	touch[ev->op == SNAG_OP_WRITE] = (struct touch){*ev, number, w->nsteps};
}

/* What was an access to one variable was one to the other, too. */
static void watch_split(struct watch *w, const struct snag_split *split)
{
	memcpy(&w->touch[2 * (size_t)split->variable], &w->touch[2 * (size_t)split->from],
	       2 * sizeof(*w->touch));
}

/* Reads the run to its end, or to where it stands still. */
static int watch_run(struct watch *w, struct snag_source *live, struct snag_recording *recording,
		     struct snag_error *err)
{
	struct snag_step_cursor cursor = {.log = snag_live_steps(live)};
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(live, &batch, err)) > 0) {
		w->touch = snag_grow(w->touch, &w->touch_cap,
				     2 * (size_t)batch.counts.n[SNAG_SPACE_VARIABLE],
				     sizeof(*w->touch));
		for (size_t i = 0, k = 0; i < batch.n; i++) {
			for (; k < batch.nsplits && batch.split[k].event <= batch.first + i; k++)
				watch_split(w, &batch.split[k]);
			const struct snag_step step = {
				snag_step_cursor_next(&cursor, batch.ev[i].thread, 1),
				batch.ev[i].thread};
			watch_event(w, &batch.ev[i], batch.first + i, &step);
		}
		w->stop = w->plan->stops && w->is_found;
		if (recording &&
		    (rc = snag_recording_write(recording, &batch, live->names, err)) < 0)
			break;
	}
	snag_step_cursor_done(&cursor);
	return rc;
}

static void words_fill(const struct watch *w, const struct snag_live_end *end,
		       struct snag_replay_result *result)
{
	result->is_confirmed = w->is_found;
	result->was_late = end->was_late && !w->is_found;
	if (w->is_found)
		snprintf(result->words, sizeof(result->words),
			 "events %" PRIu64 " and %" PRIu64 " of the replay are the two accesses",
			 w->event[0], w->event[1]);
	else if (end->was_late)
		snprintf(result->words, sizeof(result->words),
			 "the accesses did not come together in the time there was");
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
	struct snag_recording *recording = NULL;
	struct watch w = {.plan = plan};
	snprintf(options, sizeof(options),
		 "seed=%" PRIu64 ":hold=%d:forget=1:schedule=/proc/self/fd/%d", plan->seed,
		 plan->on_held != NULL, schedule);
	struct snag_live_options how = {
		.options = options,
		.convert.keep_steps = true,
		.io = plan->is_quiet ? SNAG_LAUNCH_SILENT : SNAG_LAUNCH_SHARES,
		.seconds = plan->seconds,
		.stop = &w.stop,
		.on_held = plan->on_held,
		.ctx = plan->ctx,
	};
	int rc = plan->trace ? snag_recording_open(plan->trace, &recording, err) : 0;
	if (rc == 0)
		rc = snag_live_source(plan->argv, &how, &live, err);
	if (rc < 0) {
		snag_recording_abort(recording);
		return rc;
	}
	w.names = live->names;
	rc = watch_run(&w, live, recording, err);
	free(w.touch);
	if (rc < 0)
		snag_recording_abort(recording);
	else if (recording)
		rc = snag_recording_commit(recording, live, w.event, err);
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
