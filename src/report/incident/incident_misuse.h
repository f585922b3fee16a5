/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_misuse.h - a mistake of a program that is neither race nor deadlock, as its authors see
 * it
 *
 * All mistakes of one kind at the same lines are one incident.  Its id stays the same when lines
 * move: it is made of the kind and of the functions.  A use after free that a detector found as a
 * race, too, is reported as that race.
 */
#ifndef SNAG_REPORT_INCIDENT_MISUSE_H
#define SNAG_REPORT_INCIDENT_MISUSE_H

#include "report/incident/incident.h"
#include "trace/misuse.h"

struct snag_misuse_info {
	const char *name; /* as the list has it: "DESTROY_LOCKED" */
	const char *kind, *title, *act, *before, *suppression;
	unsigned cwe;
};
extern const struct snag_misuse_info snag_misuse_info[SNAG_MISUSES];

struct snag_misuse_incident {
	char id[24]; /* "M-1a2b3c4d"; unique in this report */
	const struct snag_misuse *misuse;
	uint64_t count;
	struct snag_callstack at, before; /* .n is 0: what came before is not known */
	bool is_suppressed;
	bool is_printed; /* as of struct snag_incident */
};

/* For snag_incidents_build() and snag_incidents_done(). */
void snag_misuse_incidents_build(struct snag_incidents *to, const struct snag_report *report,
				 struct snag_suppressions *suppressions);
void snag_misuse_incidents_done(struct snag_incidents *incidents);

/* One incident each. */
void snag_misuse_incident_text(const struct snag_incident_report *r,
			       const struct snag_misuse_incident *in, struct snag_printer *to);
void snag_misuse_incident_json(const struct snag_incident_report *r,
			       const struct snag_misuse_incident *in, struct snag_json *j);

/* SARIF: one rule for each kind of trace/misuses.def, the first of which has that number; and a
 * result. */
void snag_misuse_sarif_rules(struct snag_json *j);
void snag_misuse_rule_id(enum snag_misuse_kind kind, char *buf, size_t room);
void snag_misuse_sarif_result(const struct snag_incident_report *r,
			      const struct snag_misuse_incident *in, unsigned first_rule,
			      struct snag_json *j);

#endif
