/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_graph.h - a picture of the tasks of a race and their creators, for the HTML page
 */
#ifndef SNAG_REPORT_INCIDENT_GRAPH_H
#define SNAG_REPORT_INCIDENT_GRAPH_H

#include "report/incident.h"

/* Draws, as inline SVG, from the task where the creators of both meet down to the two accesses. */
void snag_incident_graph(const struct snag_incident_report *r, const struct snag_incident *in,
			 struct snag_printer *to);

/* Text between tags or inside quotes (incident_html.c). */

#endif
