/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_page.c - `snag analyze --html`
 *
 * A trace has no program: the page shows its locations, and schedules as of a run.
 */
#include "cli/analyze/analyze_page.h"

#include "cli/run/run_report.h"
#include "cli/run/schedules.h"

static int origins_read(struct snag_origins *ret, const struct snag_source *src,
			struct snag_error *err)
{
	struct snag_source *again;
	int rc = snag_source_again(src, &again, err);
	if (rc <= 0)
		return rc;
	rc = snag_origins_read(ret, again, SNAG_MAX_EVENTS, err);
	snag_source_close(again);
	return rc;
}

/* Fills in the verdict of the detectors of tasks, if the trace is of tasks. */
static void certificate_make(struct snag_certificate *c, const struct snag_report *report)
{
	for (size_t i = 0; i < report->nparts; i++) {
		c->is_race_free |= report->part[i].findings->race_free;
		snag_certificate_findings(c, report->part[i].findings, report->names);
	}
}

int cli_analyze_page(const struct snag_report *report, const struct snag_merged *merged,
		     const struct snag_analysis *a, const struct snag_source *src, const char *path,
		     const char *witness_dir, struct snag_error *err)
{
	struct snag_incidents incidents;
	struct snag_origins origins = {0};
	struct snag_schedules schedules = {0};
	struct snag_certificate certificate = {0};
	struct snag_incident_report all = {.report = report,
					   .incidents = &incidents,
					   .origins = &origins,
					   .is_tasks = (a->ops & SNAG_OPS_OF_TASKS) != 0,
					   .certificate = &certificate,
					   .tool = "snag",
					   .witness_dir = witness_dir,
					   .is_trace = true};
	snag_incidents_build(&incidents, report, merged, NULL);
	snag_incidents_group(&incidents, report->names);
	snag_incidents_name(&incidents, report->names);
	certificate_make(&certificate, report);
	int rc = origins_read(&origins, src, err);
	if (rc >= 0 && !all.is_tasks)
		rc = cli_schedules_build(&schedules, a, src, &incidents, err);
	all.schedules = rc > 0 && !all.is_tasks ? &schedules : NULL;
	if (rc >= 0)
		rc = cli_run_report_print(snag_incidents_html, &all, path, err);
	snag_schedules_done(&schedules);
	snag_origins_done(&origins);
	snag_incidents_done(&incidents);
	return rc;
}
