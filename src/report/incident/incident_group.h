/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_group.h - one cause gives one report
 *
 * A programmer fixes causes.  `counter++` in two threads has three races: read with write, write
 * with read, write with write.  They have one cause.  An object that two parts of a program use
 * without a lock has a race for each pair of its uses.
 *
 * Rules.  [lines]   Races of the same two source lines on the same object are one report.  It
 *                   shows the one with the strongest verdict, and names the others.
 *         [object]  An object has at most SNAG_OBJECT_REPORTS reports.  The first of them lists
 *                   all further pairs of places.  An object is a global variable, all heap
 *                   blocks allocated at one place (with all calls that led there), or a variable
 *                   on a stack.
 *         [lost]    Only reports take in others: a race that is suppressed, or that a replay did
 *                   not confirm, hides no other one.
 *         [kind]    Uses of freed memory and races have different ids, and are counted apart.
 * Use.    After the replays, because these decide what is reported.
 */
#ifndef SNAG_REPORT_INCIDENT_GROUP_H
#define SNAG_REPORT_INCIDENT_GROUP_H

#include "report/incident/incident.h"

enum { SNAG_OBJECT_REPORTS = 3 };

/* Writes the two places, in an order of their own, as a key; returns its length. */
enum { SNAG_PLACES_KEY = 8192 };
size_t snag_incident_places(const struct snag_callstack stack[2], bool has_columns,
			    char key[SNAG_PLACES_KEY]);

/* Sets the ids.  Incidents of one cause have the same one. */
void snag_incidents_identify(struct snag_incidents *in, const struct snag_names *names);

#endif
