/* SPDX-License-Identifier: Apache-2.0
 *
 * run_recorded.c - the report of a recorded run, and the runs that confirm it
 */
#include "cli/run/run_recorded.h"

#include "cli/interrupt.h"
#include "cli/command.h"
#include "cli/task/picture.h"
#include "cli/run/program.h"
#include "cli/reporting.h"
#include "cli/run/run_deadlock.h"
#include "cli/run/run_orders.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_suspects.h"
#include "report/deadlocks.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the exit status if no race is reported. A run of which a part was not analysed, or not
 * replayed, is no success. */
static int status_without_race(const struct cli_recorded *of)
{
	const struct cli_judged *judged = &of->plan->judged;
	int status = judged->was_there ? judged->status : cli_program_status(of->run.end->status);
	if (of->analysis->interrupted && cli_stop)
		fprintf(stderr, "%s: interrupted: not all that the program did was looked at\n",
			cli_run_tool(of->v));
	return status == 0 && cli_stop ? CLI_SIGNAL + cli_stop : status;
}

static int status_with(const struct cli_recorded *of, size_t reported)
{
	return reported && of->v->exitcode ? (int)of->v->exitcode : status_without_race(of);
}

/* Writes the witnesses, makes the replays that are left, and leaves one report for each cause. */
static int races_confirm(struct cli_recorded *of, struct cli_run_report *r, struct snag_error *err)
{
	const struct cli_run_values *v = of->v;
	struct cli_replays *replays = &of->replays;
	int rc = 0;
	if (v->witness)
		rc = snag_report_witnesses(&r->report, &r->merged, v->witness, err);
	if (rc == 0 && v->witness)
		rc = snag_deadlock_witnesses(&r->report, v->witness, err);
	if (rc == 0 && replays->steps && !v->no_replay) {
		replays->reports_unconfirmed = v->unconfirmed;
		cli_replays_run(replays, &r->incidents);
		cli_deadlock_replays(replays, &r->incidents);
		r->all.replays = &replays->tally;
	}
	cli_run_report_finish(r);
	cli_replays_freed(&r->incidents);
	if (rc == 0 && v->effects != CLI_EFFECTS_NEVER && replays->steps && !v->no_replay)
		cli_replays_effects(replays, &r->incidents, v->effects == CLI_EFFECTS_ASKED);
	if (rc == 0 && (v->sarif || v->html))
		rc = cli_run_report_schedules(r, of->analysis, of->run.src, err);
	return rc;
}

static int outputs_write(const struct cli_recorded *of, const struct cli_run_report *r,
			 struct snag_error *err)
{
	const struct cli_run_values *v = of->v;
	int rc = v->dot && r->all.is_tasks ? cli_picture_write(of->run.src, of->analysis,
							       of->run.argv[0], v->dot, err)
					   : 0;
	if (rc == 0)
		rc = cli_run_outputs_write(v, &r->all, err);
	if (rc == 0 && of->run.end->was_cut)
		fprintf(stderr,
			"%s: of its second run only the first %" PRIu64
			" million events were looked at; --once looks at all\n",
			cli_run_tool(v), cli_plan_events(of->plan) / 1000000);
	return rc;
}

/* The report is built; settles what other runs can, and writes it. */
static int report_finish(struct cli_recorded *of, struct cli_run_report *r, struct cli_outcome *ret,
			 struct snag_error *err)
{
	const struct cli_run_values *v = of->v;
	/* The run that was judged had a race, and this one has none. */
	bool is_missing = of->plan->judged.races && !r->incidents.n;
	bool does_not_repeat = is_missing && !of->is_reduced;
	if (is_missing && of->run.end->was_cut) {
		*ret = (struct cli_outcome){.is_enough = false};
		return 0;
	}
	if (does_not_repeat) {
		snag_certificate_add(&r->certificate, "does-not-repeat",
				     "its first run, which was not recorded, had one; try --once");
		r->certificate.is_race_free = false;
	}
	struct cli_run_orders x = {.v = v,
				   .of_locks = of->run.end->notes.dialect == RT_DIALECT_OPENMP};
	int rc = 0;
	if (!v->with && r->all.is_tasks && !r->incidents.n && !does_not_repeat &&
	    !r->all.deadlock && cli_orders_matter(&r->certificate, x.of_locks))
		rc = cli_orders_run(&x, &of->run, of->replays.budget, r, err);
	if (rc == 0 && (x.orders.has_race || x.orders.has_deadlock)) {
		*ret = (struct cli_outcome){true, status_with(of, x.shown)};
		return 0;
	}
	if (rc == 0)
		rc = races_confirm(of, r, err);
	cli_early_mark(of->early, &r->incidents);
	if (rc == 0)
		rc = outputs_write(of, r, err);
	if (rc == 0)
		*ret = (struct cli_outcome){
			true, status_with(of, snag_incidents_reported(&r->all) + does_not_repeat)};
	return rc;
}

int cli_recorded_report(struct cli_recorded *of, struct cli_outcome *ret, struct snag_error *err)
{
	struct cli_replays *replays = &of->replays;
	struct snag_analysis *a = of->analysis;
	struct cli_run_report r;
	if (of->run.src->skipped || a->interrupted || cli_early_has_halted(of->early))
		replays->steps = NULL;
	int rc = cli_deadlock_observed(a, of->run.src, of->run.end, err);
	if (rc == 0 && !of->v->with)
		rc = cli_suspects_settle(replays, a, &of->run, err);
	if (rc < 0)
		return rc;
	rc = cli_run_report_build(&r, &of->run, err);
	r.report.witness_members = cli_replays_members;
	r.report.deadlock_members = cli_deadlock_members;
	r.report.ctx = replays;
	r.all.witness_dir = of->v->witness;
	r.all.limit = of->v->limit;
	replays->report = &r.report;
	if (rc == 0)
		rc = report_finish(of, &r, ret, err);
	cli_run_report_done(&r);
	return rc;
}
