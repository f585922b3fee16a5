/* SPDX-License-Identifier: Apache-2.0
 *
 * step_log.h - the steps of all events of a run, in about a byte per event
 *
 * Idea.   A schedule is given in steps: the number of an event among all events of its thread,
 *         recorded or not (record/turns.h).  From one event of a thread to its next, the step
 *         grows by a small number, its gap, and in a loop the gaps repeat.  So the log has the
 *         gaps in the order of events, and for a loop only how long they repeat.  A reader knows
 *         the thread of each event from the trace.
 *
 * Format. Numbers of 7 bits per byte, the lowest first.  2 g: an event with gap g.  2 p + 1, n:
 *         n events, each with the gap of the one p events before it.
 * Cost.   A byte for most events; a few bytes for a run of equal gaps, or a loop.
 */
#ifndef SNAG_RECORD_STEP_LOG_H
#define SNAG_RECORD_STEP_LOG_H

#include "trace/event.h"

#include "record/answers.h"
#include "record/creators.h"

#include <stddef.h>

enum { SNAG_STEP_LOG_PERIOD = 16 }; /* the longest period */

/* The last gaps, of all threads. */
struct snag_gaps {
	uint64_t gap[SNAG_STEP_LOG_PERIOD]; /* a ring */
	uint64_t n;
};

struct snag_step_log { /* all 0: empty */
	uint8_t *at;
	size_t nbytes, cap;
	uint64_t *step; /* by thread: the step of its last event */
	size_t step_cap;
	struct snag_gaps gaps;
	uint64_t repeats;	       /* how often the last gap was repeated and not written yet */
	struct snag_creators creators; /* of the threads */
	struct snag_answers answers;   /* to the threads */
};

void snag_step_log_done(struct snag_step_log *log);
/* Adds an event that is this step of its thread. */
void snag_step_log_add(struct snag_step_log *log, snag_tid thread, uint64_t step);
/* Adds n events of this thread, each with the gap of the one `period` events before it. */
void snag_step_log_run(struct snag_step_log *log, snag_tid thread, uint32_t period, uint64_t n);

/* Reads a log from its beginning, also while it grows.  All 0, except for the log. */
struct snag_step_cursor {
	struct snag_step_log *log;
	size_t at;
	uint64_t *step; /* by thread */
	size_t step_cap;
	struct snag_gaps gaps;
	uint64_t left; /* events left of the run that was begun */
	uint32_t period;
};

void snag_step_cursor_done(struct snag_step_cursor *c);
/* Returns the step of the last of the next n events, which all belong to this thread; n > 0. */
uint64_t snag_step_cursor_next(struct snag_step_cursor *c, snag_tid thread, uint64_t n);

#endif
