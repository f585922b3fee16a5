/* SPDX-License-Identifier: Apache-2.0
 *
 * page.h - the parts of the HTML report: what C tells the script of the page, as JSON
 *
 * The page is the file html/page.html with the style, the script and one JSON object inside.  C
 * writes only the object: the incidents as `--json` has them, and what only the page shows.  All
 * that people see is made by the script.
 */
#ifndef SNAG_REPORT_PAGE_H
#define SNAG_REPORT_PAGE_H

#include "report/incident/incident.h"
#include "report/json_writer.h"
#include "report/incident/schedule.h"

/* Lines of source that the page is to show (page_lines.c). */
struct snag_page_lines;
struct snag_page_lines *snag_page_lines_new(void);
/* Wants the line of a frame, and so many before and behind it. */
void snag_page_lines_want(struct snag_page_lines *l, const struct snag_frame *f, uint32_t around);
void snag_page_lines_want_stack(struct snag_page_lines *l, const struct snag_callstack *s);
/* Writes the member "lines". */
void snag_page_lines_write(struct snag_json *j, struct snag_page_lines *l);
void snag_page_lines_free(struct snag_page_lines *l);

/* Writes the members "events", "names", "places" and "ops" (page_events.c). */
void snag_page_events(struct snag_json *j, const struct snag_incident_report *r,
		      struct snag_page_lines *lines);
/* Writes the member "schedule", if there is one. */
void snag_page_schedule(struct snag_json *j, const struct snag_shown_schedule *s);

/* Writes the member "graph": the tasks of a race and their creators (page_tasks.c). */
void snag_page_tasks(struct snag_json *j, const struct snag_incident_report *r,
		     const struct snag_race *race);

#endif
