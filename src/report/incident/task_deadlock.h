/* SPDX-License-Identifier: Apache-2.0
 *
 * task_deadlock.h - a program of tasks that deadlocks: the tasks that wait, for what, and where
 *
 * Until the deadlock the detectors have judged the run.  If it is race-free up to there, and
 * nothing else stands in the way, every schedule of this input ends in this deadlock (Theorem 11 of
 * Jin et al., Dynamic determinacy race detection for task-parallel programs with promises).
 */
#ifndef SNAG_REPORT_TASK_DEADLOCK_H
#define SNAG_REPORT_TASK_DEADLOCK_H

#include "report/printer.h"
#include "trace/event.h"

#include <stddef.h>

struct snag_json;
struct snag_incident_report;

struct snag_waiting_task {
	snag_tid task;
	const char *kind; /* "promise", "finish", "sync", "lock" */
	char what[80];	  /* in words: "promise p3, which no task is left to set" */
	snag_loc loc;	  /* a call stack */
};

struct snag_task_deadlock {
	const struct snag_waiting_task *wait;
	size_t n;
};

/* Of a report that has one: */
void snag_task_deadlock_text(const struct snag_incident_report *r, struct snag_printer *to);
/* An element of "incidents". */
void snag_task_deadlock_json(const struct snag_incident_report *r, struct snag_json *j);

#endif
