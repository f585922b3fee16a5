/* SPDX-License-Identifier: Apache-2.0
 *
 * reporting.h - what several commands print about an analysis
 */
#ifndef SNAG_CLI_REPORTING_H
#define SNAG_CLI_REPORTING_H

#include "detect/analyze/analyze.h"
#include "report/report.h"

/* Returns the findings of a source as data. The caller fills `part`, which must live as long as
 * the result. */
struct snag_report cli_report(const struct snag_analysis *a, const struct snag_source *src,
			      struct snag_report_part part[SNAG_MAX_DETECTORS]);
/* Returns whether the trace did not fit into memory, so that some detector read windows of it. */
bool cli_is_windowed(const struct snag_analysis *a);

#endif
