/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_deadlock.h - a deadlock of a program, as its authors think of it
 *
 * All deadlocks whose threads wait at the same lines are one incident.  Its id stays the same when
 * lines move: it is made of the functions in which the threads wait, and their files.
 */
#ifndef SNAG_REPORT_INCIDENT_DEADLOCK_H
#define SNAG_REPORT_INCIDENT_DEADLOCK_H

#include "report/incident/incident.h"
#include "trace/deadlock.h"

struct snag_deadlock_incident {
	char id[24]; /* "D-1a2b3c4d"; unique in this report */
	const struct snag_deadlock *deadlock;
	const char *found_by;
	size_t witness; /* the number of its file, from 1; 0: none */
	uint64_t count; /* deadlocks at these lines */
	/* By request: where its thread waits, and where it took what the one before waits for;
	 * .n is 0: it holds no lock. */
	struct snag_callstack *at, *held;
	bool is_suppressed;
	enum snag_replay replay; /* the caller sets it after a replay */
	char *replay_words;	 /* what came of it, or NULL */
};

/* For snag_incidents_build() and snag_incidents_done(). */
void snag_deadlock_incidents_build(struct snag_incidents *to, const struct snag_report *report,
				   struct snag_suppressions *suppressions);
void snag_deadlock_incidents_done(struct snag_incidents *incidents);

/* "T1 waits for a", "T1 waits for the end of T2" */
void snag_deadlock_wait_words(const struct snag_incident_report *r,
			      const struct snag_deadlock_wait *w, char *buf, size_t room);
/* One sentence about the verdict, without its end. */
const char *snag_deadlock_why(const struct snag_deadlock *d);
/* "a, b": what the threads wait for. */
void snag_deadlock_things(const struct snag_incident_report *r, const struct snag_deadlock *d,
			  char *buf, size_t room);

/* One incident each. */
void snag_deadlock_incident_text(const struct snag_incident_report *r,
				 const struct snag_deadlock_incident *in, struct snag_printer *to);
void snag_deadlock_incident_json(const struct snag_incident_report *r,
				 const struct snag_deadlock_incident *in, struct snag_json *j);

/* SARIF: one rule for each verdict, the first of which has that number; and a result. */
void snag_deadlock_sarif_rules(struct snag_json *j);
struct snag_step_names;
void snag_deadlock_sarif_result(const struct snag_incident_report *r, struct snag_step_names *names,
				const struct snag_deadlock_incident *in, unsigned first_rule,
				struct snag_json *j);

#endif
