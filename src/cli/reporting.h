/* SPDX-License-Identifier: Apache-2.0
 *
 * reporting.h - what commands say about an analysis
 */
#ifndef SNAG_CLI_REPORTING_H
#define SNAG_CLI_REPORTING_H

#include "detect/analyze/analyze.h"
#include "report/report.h"

/* What was found in a source, as data; `part` is filled and must live as long. */
struct snag_report cli_report(const struct snag_analysis *a, const struct snag_source *src,
			      struct snag_report_part part[SNAG_MAX_DETECTORS]);
/* Whether the trace did not fit into memory, and some detector looked at windows of it. */
bool cli_is_windowed(const struct snag_analysis *a);

#endif
