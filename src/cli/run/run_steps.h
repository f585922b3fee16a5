/* SPDX-License-Identifier: Apache-2.0
 *
 * run_steps.h - the steps of the events that a schedule may have to name
 *
 * Idea.   A witness becomes a schedule in steps (record/turns.h).  The recorder has logged the
 *         steps of all events (record/step_log.h).  Only those of the analysed slice are
 *         looked up: a thread that runs up to an event of the slice makes all its events
 *         before it, so the others need no step of their own.
 * State.  event[i]   ascending, the number of an event in the whole trace
 *         step[i]    its step
 *         kind[i]    whether its step takes a lock after the event; whether the event ends sections
 * Rules.  [look]     A thread that takes a lock for the first time reads it just before, in the
 *                    same step; a branch may be part of it, too.  A witness may have other threads
 *                    take the lock in between.  So for these events the thread runs up to the step,
 *                    and makes it where the witness has the acquire.
 *         [section]  The slice leaves sections out that a thread enters one after another, and its
 *                    release before them stands for all of them.  But the thread has to leave
 *                    the last one before another thread takes the lock.  So the last one has a
 *                    step, and what comes before it in these sections has none.
 * Cost.   21 bytes an event of the slice; if it was too long for the memory, 21 bytes a stretch
 *         (trace/stretches.h) and an event of a witness.
 */
#ifndef SNAG_CLI_RUN_STEPS_H
#define SNAG_CLI_RUN_STEPS_H

#include "detect/analyze/analyze.h"
#include "record/convert/convert.h"
#include "record/step_log.h"

struct cli_steps {
	struct snag_step_cursor cursor;
	uint32_t *event;
	struct snag_step *step;
	uint8_t *kind;
	size_t n, event_cap, step_cap, kind_cap;
};

/* The log outlives the steps. */
void cli_steps_init(struct cli_steps *s, struct snag_step_log *log);
void cli_steps_done(struct cli_steps *s);
/* A snag_slice_follower; ctx is a struct cli_steps. */
void cli_steps_follow(void *ctx, const struct snag_followed *some);
/* Looks up the steps of a trace of which there is no slice: of all events, or if it was analysed in
 * windows, of those at which the schedules of its witnesses stop (run_stops.h). */
int cli_steps_read(struct cli_steps *s, const struct snag_source *src,
		   const struct snag_analysis *windowed, struct snag_error *err);

/* The steps of the events of a witness that have one, in their order; to be freed.  The last
 * two are those of the race. */
struct snag_step *cli_steps_of_witness(const struct cli_steps *s,
				       const struct snag_stretches *stretches,
				       const struct snag_race *race, size_t *ret_n);

#endif
