/* SPDX-License-Identifier: Apache-2.0
 *
 * schedules.h - the steps of the witnesses of an analysis, for reports that show schedules
 */
#ifndef SNAG_CLI_SCHEDULES_H
#define SNAG_CLI_SCHEDULES_H

#include "detect/analyze/analyze.h"
#include "report/incident/schedule.h"

/* Returns 1, or 0 if the events cannot be looked up: the trace was analysed in windows, is longer
 * than memory, or cannot be read again. */
int cli_schedules_build(struct snag_schedules *ret, const struct snag_analysis *a,
			const struct snag_source *src, const struct snag_incidents *all,
			struct snag_error *err);

#endif
