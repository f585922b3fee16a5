/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c - the report for programs: `snag analyze --json`
 *
 * One object, described in docs/man/snag-analyze.1.md: "trace" and "analyses",
 * and "interrupted" only if the end of the trace was not reached.  Every race is
 * one line.
 */
#include "report/report.h"

#include "base/memory.h"
#include "report/deadlocks.h"
#include "report/stats.h"
#include "trace/callstack.h"

static void location_string(struct snag_json *j, const struct snag_names *names, snag_loc loc)
{
	char buf[512];
	size_t n = snag_location_text(names, loc, buf, sizeof(buf));
	if (n < sizeof(buf)) {
		snag_json_string(j, NULL, buf);
		return;
	}
	char *text = snag_alloc(n + 1);
	snag_location_text(names, loc, text, n + 1);
	snag_json_string(j, NULL, text);
	free(text);
}

static void race_object(struct snag_json *j, const struct snag_report *report,
			const struct snag_race *race)
{
	const struct snag_names *names = report->names;
	const struct snag_site *site[3] = {&race->first, &race->second};
	const int n = race->is_atomicity ? 3 : 2;
	snag_json_newline(j);
	snag_json_object(j, NULL);
	if (race->is_atomicity) {
		site[0] = &race->read;
		site[1] = snag_race_between(race);
		site[2] = snag_race_write(race);
		snag_json_string(j, "kind", "atomicity");
		snag_json_uint(j, "read", site[0]->event);
		snag_json_uint(j, "between", site[1]->event);
		snag_json_uint(j, "write", site[2]->event);
	}
	if (race->is_behind)
		snag_json_string(j, "kind", "use-after-free");
	snag_json_uint(j, "first", race->first.event);
	snag_json_uint(j, "second", race->second.event);
	snag_json_string(j, "variable", snag_name(names, SNAG_SPACE_VARIABLE, race->second.target));
	snag_json_array(j, "locations");
	for (int i = 0; i < n; i++)
		location_string(j, names, site[i]->loc);
	snag_json_end(j);
	/* For a race of another run, nothing is known about this run. */
	bool is_of_other_run = race->verdict == SNAG_CONFIRMED;
	snag_json_string(j, "verdict",
			 snag_verdict_text[is_of_other_run ? SNAG_UNVERIFIED : race->verdict]);
	snag_json_uint(j, "count", race->count);
	snag_json_array(j, "threads");
	for (int i = 0; i < n; i++)
		snag_json_string(j, NULL, snag_name(names, SNAG_SPACE_THREAD, site[i]->thread));
	snag_json_end(j);
	snag_json_array(j, "operations");
	for (int i = 0; i < n; i++)
		snag_json_string(j, NULL, snag_op_info[site[i]->op].text);
	snag_json_end(j);
	if (race->nwitness && !is_of_other_run)
		snag_report_witness_json(report, race, j);
	snag_json_end(j);
}

static void analysis_object(struct snag_json *j, const struct snag_report *report,
			    const struct snag_findings *f)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "name", f->name);
	snag_json_double(j, "seconds", f->seconds);
	snag_json_bool(j, "complete", f->complete);
	if (f->race_free)
		snag_json_bool(j, "race_free", true);
	if (f->orders_races)
		snag_json_bool(j, "races_ordered", true);
	if (f->by_paper)
		snag_json_uint(j, "uncertain", f->uncertain);
	snag_json_uint(j, "pairs", f->npairs);
	if (f->at_least)
		snag_json_string(j, "counts", "at least");
	if (f->abridged)
		snag_json_uint(j, "abridged", f->abridged);
	if (f->windows) {
		snag_json_object(j, "windows");
		snag_json_uint(j, "count", f->windows);
		snag_json_uint(j, "events", f->window_events);
		snag_json_end(j);
	}
	if (report->stats)
		snag_stats_json(f, j);
	snag_json_newline(j);
	snag_json_array(j, "racy_events");
	for (size_t i = 0; i < f->nracy; i++)
		snag_json_uint(j, NULL, f->racy[i]);
	snag_json_end(j);
	snag_json_newline(j);
	snag_json_array(j, "races");
	for (size_t i = 0; i < f->nraces; i++)
		race_object(j, report, &f->race[i]);
	snag_json_end(j);
	if (f->finds_deadlocks)
		snag_deadlocks_json(report, f, j);
	snag_json_end(j);
}

void snag_report_json_members(const struct snag_report *report, struct snag_json *j)
{
	snag_json_object(j, "trace");
	snag_json_uint(j, "events", report->events);
	snag_json_uint(j, "threads", report->counts.n[SNAG_SPACE_THREAD]);
	snag_json_uint(j, "variables", report->counts.n[SNAG_SPACE_VARIABLE]);
	snag_json_uint(j, "locks", report->counts.n[SNAG_SPACE_LOCK]);
	snag_json_uint(j, "skipped", report->skipped);
	snag_json_end(j);
	if (report->interrupted)
		snag_json_bool(j, "interrupted", true);
	snag_json_newline(j);
	snag_json_array(j, "analyses");
	for (size_t i = 0; i < report->nparts; i++)
		analysis_object(j, report, report->part[i].findings);
	snag_json_end(j);
}

void snag_report_json(const struct snag_report *report, struct snag_printer *to)
{
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_report_json_members(report, &j);
	snag_json_end(&j);
}
