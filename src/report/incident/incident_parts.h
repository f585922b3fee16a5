/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_parts.h - what reports of races, deadlocks and misuses have in common
 */
#ifndef SNAG_REPORT_INCIDENT_PARTS_H
#define SNAG_REPORT_INCIDENT_PARTS_H

#include "report/incident/incident.h"
#include "report/json_writer.h"

/* Text (incident_text.c).  The first line of an incident, and the last one; both have its title. */
void snag_text_begin(struct snag_printer *to, const struct snag_incident_report *r,
		     const char *title, const char *severity);
void snag_text_end(struct snag_printer *to, const struct snag_incident_report *r, const char *title,
		   const struct snag_frame *top);
/* "main.c:12:3", a stack with an empty line behind it, "main thread". */
void snag_text_place(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_frame *f);
void snag_text_stack(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_callstack *s);
/* The same of a location. */
void snag_text_stack_of(struct snag_printer *to, const struct snag_incident_report *r,
			snag_loc loc);
void snag_text_thread(struct snag_printer *to, const struct snag_incident_report *r, snag_tid t);
/* Returns the name of a file, or a place in it, without the prefix that the user wants to strip. */
const char *snag_text_stripped(const struct snag_incident_report *r, const char *file);
/* Why it is one, its proof and its id (incident_why.c). */
void snag_text_why(struct snag_printer *to, const struct snag_incident_report *r,
		   const struct snag_incident *in);

/* JSON (incident_json.c): a stack as an array. */
void snag_json_stack(struct snag_json *j, const char *key, const struct snag_callstack *s);
/* An array of all incidents, those reported or those apart. */
void snag_incidents_json_list(struct snag_json *j, const struct snag_incident_report *r,
			      const char *key, bool is_apart);

/* SARIF (sarif.c). */
struct snag_sarif_rule {
	const char *id, *text, *level, *precision;
};
void snag_sarif_rule(struct snag_json *j, const struct snag_sarif_rule *r, const char *tag);
void snag_sarif_message(struct snag_json *j, const char *key, const char *text);
void snag_sarif_location(struct snag_json *j, const char *key, const struct snag_incident_report *r,
			 const struct snag_frame *f, const char *words);
/* A schedule as a code flow (sarif_flow.c); its last `goal` steps are what it leads to. */
struct snag_shown_schedule;
struct snag_step_names;
void snag_sarif_flow(struct snag_json *j, const struct snag_incident_report *r,
		     struct snag_step_names *names, const struct snag_shown_schedule *s,
		     size_t goal);
/* The members that identify an incident, under this key, and say whether it is suppressed. */
void snag_sarif_identity(struct snag_json *j, const char *key, const char *id, bool is_suppressed);
void snag_sarif_stack(struct snag_json *j, const struct snag_incident_report *r,
		      const struct snag_callstack *s, const char *words);

#endif
