/* SPDX-License-Identifier: Apache-2.0
 *
 * run_report.h - from the analysis of a run of a program to what its reports print
 */
#ifndef SNAG_CLI_RUN_REPORT_H
#define SNAG_CLI_RUN_REPORT_H

#include "detect/analyze/analyze.h"
#include "record/live.h"
#include "report/incident/incident.h"
#include "report/incident/schedule.h"

struct cli_run { /* an analysed run; outlives the report */
	const struct snag_analysis *analysis;
	struct snag_source *src;  /* the source of the analysis, which can be read again */
	struct snag_source *live; /* below it */
	const struct snag_live_end *end;
	char *const *argv;
	struct snag_suppressions *suppressions; /* may be NULL */
	bool is_tsan;				/* the tool calls itself ThreadSanitizer */
	const char *strip_path_prefix;
	bool has_seed;
	uint64_t seed; /* of the scheduler */
};

struct cli_run_report {
	struct snag_report_part part[SNAG_MAX_DETECTORS];
	struct snag_report report;
	struct snag_merged merged;
	struct snag_incidents incidents;
	struct snag_origins origins;
	struct snag_schedules schedules;
	struct snag_certificate certificate;
	struct snag_task_deadlock deadlock;
	struct snag_waiting_task *wait;	 /* its tasks */
	struct snag_incident_report all; /* everything above, as the printers take it */
};

/* Builds the report. End it also if this fails, and do not move it. Its incidents are all pairs
 * of places, for replays. */
int cli_run_report_build(struct cli_run_report *r, const struct cli_run *run,
			 struct snag_error *err);
/* Leaves one incident for each cause, and names them: when the replays are done. */
void cli_run_report_finish(struct cli_run_report *r);
/* Looks up the steps of the witnesses: for reports that show schedules. */
int cli_run_report_schedules(struct cli_run_report *r, const struct snag_analysis *a,
			     const struct snag_source *src, struct snag_error *err);
void cli_run_report_done(struct cli_run_report *r);

/* Writes a report to a file, if `path` is not NULL. */
typedef void cli_print_incidents(const struct snag_incident_report *r, struct snag_printer *to);
int cli_run_report_print(cli_print_incidents *print, const struct snag_incident_report *r,
			 const char *path, struct snag_error *err);

#endif
