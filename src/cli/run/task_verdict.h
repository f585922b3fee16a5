/* SPDX-License-Identifier: Apache-2.0
 *
 * task_verdict.h - what a run of a program of tasks proves, from the findings and the obstacles
 */
#ifndef SNAG_CLI_TASK_VERDICT_H
#define SNAG_CLI_TASK_VERDICT_H

#include "detect/analyze/analyze.h"
#include "record/live.h"
#include "report/tasks/certificate.h"
#include "report/incident/missing_edge.h"

/* Returns whether detectors of tasks judged the run. */
bool cli_is_of_tasks(const struct snag_analysis *a);

void cli_certificate(struct snag_certificate *ret_certificate, const struct snag_analysis *a,
		     const struct snag_source *src, const struct snag_live_end *end);

/* Adds an obstacle that the program met at this location. */
void cli_certificate_obstacle(struct snag_certificate *c, enum rt_obstacle what, snag_loc loc);

/* Labels a task; the context is the live source that the program is. */
snag_task_label cli_task_label;

#endif
