/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.h - the steps of witnesses, looked up: for reports that show schedules
 *
 * Idea.   A witness is a list of event numbers.  A report shows the events: who did what, where.
 *         Witnesses share most of their events, so the events lie in one table, and a schedule is
 *         a list of places in it.  The table is in observed order, so that a range of it is
 *         the observed order.
 * Rules.  [steps]   Branches and dependences are no steps: no reader looks for them.
 *         [bound]   All schedules together show about `room` steps.  A schedule that does not fit
 *                   shows its last steps, and says so.
 *         [around]  The observed order is shown up to the last access of the race, and as far back
 *                   as the schedule goes, but at most as many events.
 * Cost.   One pass over what was analysed for each witness, from its end, and 24 bytes for each
 *         event shown.
 */
#ifndef SNAG_REPORT_SCHEDULE_H
#define SNAG_REPORT_SCHEDULE_H

#include "report/incident/incident.h"

/* The events that were analysed, in observed order: the whole trace or a slice of it. */
struct snag_analysed {
	const struct snag_event *ev;
	size_t n;
	/* The number of each event in the whole trace; NULL: 0, 1, 2 ... */
	const uint32_t *number;
	const uint32_t *variable; /* by target of an access: its id; NULL: the target itself */
	const struct snag_stretches *stretches;
};

struct snag_shown_schedule {
	uint32_t *step;	 /* places in the table; those of the race or the deadlock come last */
	size_t n;	 /* 0: there is no witness */
	bool is_cut;	 /* the witness has earlier steps, which are not shown */
	size_t from, to; /* the range of the table that is the observed order */
	bool is_observed_cut;
};

struct snag_schedules {
	struct snag_event *ev; /* with the ids of the whole trace */
	uint32_t *number;
	size_t n;
	struct snag_shown_schedule *race, *deadlock; /* by incident */
	size_t nraces, ndeadlocks;
};

enum { SNAG_SCHEDULE_ROOM = 100000 };

void snag_schedules_build(struct snag_schedules *ret, const struct snag_analysed *from,
			  const struct snag_incidents *all, size_t room);
void snag_schedules_done(struct snag_schedules *s); /* accepts zeroed ones */

#endif
