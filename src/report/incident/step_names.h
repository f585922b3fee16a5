/* SPDX-License-Identifier: Apache-2.0
 *
 * step_names.h - what the steps of schedules act on, as the source calls it
 *
 * Idea.   A report calls the variable of its race and the locks of a deadlock as the source does
 *         (naming.h).  The steps of its schedule name the same memory, and more.  They get the same
 *         names: those of the reports first, all others by the line of the step that asks first.
 * Cost.   A pointer for each name of the trace.  The debug information is asked for at most MOST
 *         names; the others keep their places ("table+0x40").
 */
#ifndef SNAG_REPORT_STEP_NAMES_H
#define SNAG_REPORT_STEP_NAMES_H

#include "report/incident/incident.h"

struct snag_step_names;
struct snag_step_names *snag_step_names_new(const struct snag_incident_report *r); /* borrowed */
/* The operand of an event: "S.hits", "lock[1]", "T2"; "" if its operation has none. */
const char *snag_step_name(struct snag_step_names *x, const struct snag_event *ev);
void snag_step_names_free(struct snag_step_names *x);

#endif
