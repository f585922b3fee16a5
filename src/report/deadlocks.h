/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlocks.h - the deadlocks of a report, for people and for programs
 */
#ifndef SNAG_REPORT_DEADLOCKS_H
#define SNAG_REPORT_DEADLOCKS_H

#include "report/json_writer.h"
#include "report/report.h"
#include "trace/deadlock.h"

/* The findings that tell deadlocks, or NULL: no detector looked for them. */
const struct snag_findings *snag_report_deadlocks(const struct snag_report *r);

/* The members of one deadlock in JSON, inside an object that is open: "events", "threads", "locks",
 * "held", "locations", "verdict" and the witness. */
void snag_deadlock_json_members(const struct snag_report *r, const struct snag_deadlock *d,
				struct snag_json *j);
/* The member "deadlocks" of an analysis. */
void snag_deadlocks_json(const struct snag_report *r, const struct snag_findings *f,
			 struct snag_json *j);

/* What the deadlock is about: "a, b", the locks asked for in their order. */
void snag_deadlock_locks(const struct snag_report *r, const struct snag_deadlock *d,
			 struct snag_printer *to);
/* The text of each deadlock, up to `limit`; 0: all. */
void snag_deadlocks_text(const struct snag_report *r, const struct snag_text_options *o,
			 struct snag_printer *to);

/* Writes DIR/deadlock-<n>.json for every deadlock with a witness; n counts from 1 in the order of
 * the findings. */
int snag_deadlock_witnesses(const struct snag_report *r, const char *dir, struct snag_error *err);

#endif
