/* SPDX-License-Identifier: Apache-2.0
 *
 * run_report.c - from the analysis of a run of a program to what its reports print
 */
#include "cli/run/run_report.h"

#include "base/memory.h"
#include "cli/run/pass_report.h"
#include "cli/run/program.h"
#include "cli/reporting.h"
#include "cli/run/schedules.h"
#include "cli/run/task_verdict.h"
#include "report/incident/incident_deadlock.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the last event that a report shows.  Every thread in a report was created before it. */
static uint64_t last_shown(const struct snag_incidents *all)
{
	uint64_t last = 0;
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].race->second.event > last)
			last = all->at[i].race->second.event;
	for (size_t i = 0; i < all->ndeadlocks; i++)
		for (size_t k = 0; k < all->deadlock[i].deadlock->n; k++) {
			uint32_t event = all->deadlock[i].deadlock->wait[k].at.event;
			if (event != SNAG_NO_EVENT && event > last)
				last = event;
		}
	return last;
}

/* The slice has all forks. */
static int origins_find(struct cli_run_report *r, const struct cli_run *run, struct snag_error *err)
{
	const struct snag_slice *slice = run->analysis->slice;
	uint64_t last = last_shown(&r->incidents);
	struct snag_source *again;
	int rc = 1;
	if (slice) {
		again = snag_trace_source(&slice->trace);
		last = snag_slice_find(slice, (uint32_t)last);
	} else if ((rc = snag_source_again(run->src, &again, err)) < 0) {
		return rc;
	}
	rc = snag_origins_read(&r->origins, again, last, err);
	snag_source_close(again);
	return rc;
}

/* The tasks that wait, if the run ended in a deadlock. */
static void deadlock_take(struct cli_run_report *r, const struct cli_run *run)
{
	static const char *const kind[RT_WAIT_KINDS] = {
		[RT_WAIT_PROMISE] = "promise",
		[RT_WAIT_FINISH] = "finish",
		[RT_WAIT_SYNC] = "sync",
		[RT_WAIT_OTHER] = "lock",
	};
	const struct snag_convert_notes *notes = &run->end->notes;
	const struct snag_names *names = run->src->names;
	r->wait = snag_calloc(notes->nwaits, sizeof(*r->wait));
	for (size_t i = 0; i < notes->nwaits; i++) {
		const struct snag_convert_wait *from = &notes->wait[i];
		struct snag_waiting_task *w = &r->wait[i];
		*w = (struct snag_waiting_task){from->task, kind[from->why], "", from->loc};
		if (from->why == RT_WAIT_PROMISE)
			snprintf(w->what, sizeof(w->what), "promise %u, which no task sets",
				 from->target);
		else if (from->why == RT_WAIT_OTHER)
			snprintf(w->what, sizeof(w->what), "a lock that another task holds");
		else
			snprintf(w->what, sizeof(w->what),
				 "the tasks of its %s, such as task %.20s", kind[from->why],
				 snag_name(names, SNAG_SPACE_THREAD, from->target) + 1);
	}
	r->deadlock = (struct snag_task_deadlock){r->wait, notes->nwaits};
}

static const char *thread_name(const void *live, snag_tid thread)
{
	return snag_live_thread_name(live, thread);
}

int cli_run_report_build(struct cli_run_report *r, const struct cli_run *run,
			 struct snag_error *err)
{
	const struct snag_convert_notes *notes = &run->end->notes;
	r->report = cli_report(run->analysis, run->src, r->part);
	r->report.misuse = run->end->misuse;
	r->report.nmisuses = run->end->nmisuses;
	r->report.benign = run->end->benign;
	r->origins = (struct snag_origins){0};
	r->schedules = (struct snag_schedules){0};
	cli_certificate(&r->certificate, run->analysis, run->src, run->end);
	r->certificate.is_optimised =
		cli_is_of_tasks(run->analysis) && cli_is_optimised(run->argv[0]);
	snag_report_merge(&r->report, &r->merged);
	snag_incidents_build(&r->incidents, &r->report, &r->merged, run->suppressions);
	r->all = (struct snag_incident_report){
		.report = &r->report,
		.incidents = &r->incidents,
		.origins = &r->origins,
		.is_tasks = cli_is_of_tasks(run->analysis),
		.certificate = &r->certificate,
		.tongue =
			notes->dialect == RT_DIALECT_OPENMP ? SNAG_TONGUE_OPENMP : SNAG_TONGUE_SNAG,
		.label = cli_task_label,
		.label_ctx = run->live,
		.thread_name = thread_name,
		.thread_name_ctx = run->live,
		.tool = run->is_tsan ? "ThreadSanitizer" : "snag",
		.arguments = run->argv,
		.status = cli_program_status(run->end->status),
		.pid = run->end->pid,
		.strip_path_prefix = run->strip_path_prefix,
		.has_seed = run->has_seed,
		.seed = run->seed,
	};
	deadlock_take(r, run);
	r->certificate.has_deadlock = r->deadlock.n > 0;
	r->all.deadlock = r->deadlock.n ? &r->deadlock : NULL;
	r->all.crash = notes->crash.signal ? &notes->crash : NULL;
	return r->incidents.n + r->incidents.ndeadlocks ? origins_find(r, run, err) : 0;
}

void cli_run_report_finish(struct cli_run_report *r)
{
	snag_incidents_group(&r->incidents, r->report.names);
	snag_incidents_name(&r->incidents, r->report.names);
}

int cli_run_report_schedules(struct cli_run_report *r, const struct snag_analysis *a,
			     const struct snag_source *src, struct snag_error *err)
{
	bool has_order = !r->all.is_tasks && r->incidents.n + r->incidents.ndeadlocks;
	int rc = has_order ? cli_schedules_build(&r->schedules, a, src, &r->incidents, err) : 0;
	r->all.schedules = rc > 0 ? &r->schedules : NULL;
	return rc < 0 ? rc : 0;
}

void cli_run_report_done(struct cli_run_report *r)
{
	free(r->wait);
	snag_schedules_done(&r->schedules);
	snag_origins_done(&r->origins);
	snag_incidents_done(&r->incidents);
	snag_merged_done(&r->merged);
}

int cli_run_report_print(cli_print_incidents *print, const struct snag_incident_report *r,
			 const char *path, struct snag_error *err)
{
	struct snag_printer to;
	int rc = path ? snag_printer_open(&to, path, err) : 0;
	if (rc < 0 || !path)
		return rc;
	print(r, &to);
	return snag_printer_commit(&to, err);
}
