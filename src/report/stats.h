/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.h - the figures that a detector reports about its run, as `--stats` shows them
 */
#ifndef SNAG_REPORT_STATS_H
#define SNAG_REPORT_STATS_H

#include "report/json_writer.h"
#include "report/printer.h"
#include "trace/race.h"

/* A line each, or nothing. */
void snag_stats_text(const struct snag_findings *f, struct snag_printer *to);
/* The member "stats", an object with a member each. */
void snag_stats_json(const struct snag_findings *f, struct snag_json *j);

#endif
