/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.h - a signal that ended the program, as a report shows it
 */
#ifndef SNAG_REPORT_CRASH_H
#define SNAG_REPORT_CRASH_H

#include "trace/event.h"

#include <stdbool.h>
#include <stdint.h>

struct snag_names;

struct snag_crash {
	int signal; /* 0: there was none, or its place is not known */
	snag_tid thread;
	snag_loc loc;
	bool has_address; /* the memory that was accessed */
	uint64_t address;
	/* Of the thread and location; those of a report may lack what comes behind the last
	 * event. */
	const struct snag_names *names;
};

/* Needs report/incident/incident.h. */
struct snag_incident_report;
struct snag_printer;
struct snag_json;
void snag_crash_text(const struct snag_incident_report *r, struct snag_printer *to);
void snag_crash_json(const struct snag_incident_report *r, struct snag_json *j);

#endif
