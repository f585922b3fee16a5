/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_page.h - `snag analyze --html`: the findings of a trace as the page of `snag run --html`
 */
#ifndef SNAG_CLI_ANALYZE_PAGE_H
#define SNAG_CLI_ANALYZE_PAGE_H

#include "detect/analyze/analyze.h"
#include "report/report.h"

int cli_analyze_page(const struct snag_report *report, const struct snag_merged *merged,
		     const struct snag_analysis *a, const struct snag_source *src, const char *path,
		     const char *witness_dir, struct snag_error *err);

#endif
