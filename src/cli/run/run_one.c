/* SPDX-License-Identifier: Apache-2.0
 *
 * run_one.c - one run of the plan of `snag run`
 */
#include "cli/run/run_one.h"

#include "cli/command.h"
#include "cli/detector_names.h"
#include "cli/run/early.h"
#include "cli/exhausted.h"
#include "cli/interrupt.h"
#include "cli/run/judging.h"
#include "cli/memory_limit.h"
#include "cli/run/observe.h"
#include "cli/explore/observed_order.h"
#include "cli/run/pass_report.h"
#include "cli/run/program.h"
#include "cli/run/repeat.h"
#include "cli/reporting.h"
#include "cli/run/run_recorded.h"
#include "trace/tee.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A run while it is analysed. */
struct one {
	const struct cli_run_values *v;
	char *const *argv;
	struct cli_plan *plan;
	struct snag_suppressions *suppressions;
	struct snag_analyze_options options;
	struct cli_observed observed;
	struct snag_analysis analysis; /* zeroed until the analysis begins */
	struct cli_steps steps;
	struct cli_early *early;
	struct snag_live_end end;
	const char *cut; /* why the trace was cut short; NULL: it was not */
};

/* Real programs have atomics, so mixed belongs to the default; and hybrid, if the program may run
 * again (run_suspects.h). */
static int detectors_choose(const struct cli_run_values *v, struct snag_analyze_options *options,
			    struct snag_error *err)
{
	int rc = cli_detectors_choose(v->with, UINT32_MAX, options, err);
	if (rc == 0 && !v->with)
		options->detector[options->ndetectors++] = snag_detector_find("mixed", 5);
	if (rc == 0 && !v->with && !v->no_replay)
		options->detector[options->ndetectors++] = snag_detector_find("hybrid", 6);
	if (rc == 0 && !v->with)
		options->detector[options->ndetectors++] = snag_detector_find("freed", 5);
	if (rc == 0 && !v->with && cli_run_wants_deadlocks())
		options->detector[options->ndetectors++] = snag_detector_find("deadlock", 8);
	return rc;
}

static int program_start(struct one *o, const struct cli_place *place, struct snag_error *err)
{
	static const char *const policies[] = {"random", "rr", "pct"};
	const struct cli_run_values *v = o->v;
	const struct cli_plan *p = o->plan;
	bool is_first = p->nruns == 0;
	char words[160];
	const struct snag_live_options how = {
		.options = words,
		.attached = is_first ? v->attached : NULL,
		.io = is_first ? SNAG_LAUNCH_SHARES : cli_input_rewind(),
		.events = cli_plan_events(p),
		.on_records = cli_early_look,
		.ctx = o->early,
		/* a race of tasks needs no replay */
		.convert.keep_steps = (!v->no_replay || v->witness) && !p->judged.is_of_tasks};
	/* apart=1: the judge has found a race, and this run has to find it again */
	snprintf(words, sizeof(words), "seed=%" PRIu64 ":policy=%s:free=%d%s%s%s%s", v->seed,
		 policies[v->policy], v->free, cli_plan_judges(p) ? ":judge=" : "",
		 cli_plan_judges(p) ? p->judge : "",
		 p->run == CLI_RUN_LOCKSTEP ? ":lockstep=1" : "",
		 p->judged.races ? ":apart=1" : "");
	o->options.likely = !v->with;
	cli_interrupt_catch();
	const struct cli_observed_files files = {.trace = place->file,
						 .folder = place->folder,
						 .disk = cli_disk_limit(v->disk, place->folder)};
	if (v->keep || p->judged.is_of_tasks)
		return cli_observe(&o->observed, o->argv, &how, &files, err);
	return cli_observe_slice(&o->observed, o->argv, &how, &files, &o->options, err);
}

/* Waits for the end of the program and ignores its events. */
static void program_wait(struct snag_source *live)
{
	struct snag_batch batch;
	struct snag_error unused = {0};
	while (snag_source_next(live, &batch, &unused) > 0)
		;
}

static bool has_witness(const struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->findings[i].nraces; k++)
			if (a->findings[i].race[k].nwitness)
				return true;
	for (size_t i = 0; i < a->n; i++)
		if (a->findings[i].ndeadlocks)
			return true;
	return false;
}

/* Analyses the program until it has ended. */
static int program_analyse(struct one *o, struct snag_error *err)
{
	struct snag_analysis *a = &o->analysis;
	o->options.follow = o->steps.cursor.log ? cli_steps_follow : NULL;
	o->options.follow_ctx = &o->steps;
	int rc = cli_observed_analyze(&o->observed, &o->options, a, err);
	if (rc == 0 && o->v->free)
		cli_replays_doubt(a);
	bool is_cut = cli_is_windowed(a) && a->interrupted;
	if (rc == 0 && o->steps.cursor.log && !a->slice && !is_cut && has_witness(a))
		rc = cli_steps_read(&o->steps, o->observed.src, cli_is_windowed(a) ? a : NULL, err);
	o->cut = cli_observed_cut(&o->observed);
	if (rc == 0 && o->cut)
		a->interrupted = true;
	if (rc == 0 && a->interrupted)
		program_wait(o->observed.live);
	o->end = snag_live_end(o->observed.live);
	return rc;
}

static double replay_budget(const struct cli_run_values *v, double seconds)
{
	return v->replay_seconds == UINT64_MAX
		       ? cli_replays_budget(seconds, v->effects == CLI_EFFECTS_ASKED)
		       : (double)v->replay_seconds;
}

static int recorded_report(struct one *o, struct cli_outcome *ret, struct snag_error *err)
{
	struct cli_run_values own = *o->v;
	struct cli_run_environment environment;
	int rc = cli_run_program_options_take(&own, &environment, &o->end, o->suppressions, err);
	if (rc == 0 && !own.with)
		rc = cli_observed_order(&o->observed, &o->analysis,
					o->end.notes.dialect == RT_DIALECT_OPENMP, err);
	struct cli_recorded of = {.v = &own,
				  .plan = o->plan,
				  .analysis = &o->analysis,
				  .run = {.analysis = &o->analysis,
					  .src = o->observed.src,
					  .live = o->observed.live,
					  .end = &o->end,
					  .argv = o->argv,
					  .suppressions = o->suppressions,
					  .is_tsan = own.format,
					  .strip_path_prefix = own.strip_path_prefix,
					  .has_seed = !own.free,
					  .seed = own.seed},
				  .replays = {.argv = o->argv,
					      .seed = own.seed,
					      .steps = o->steps.cursor.log ? &o->steps : NULL,
					      .seconds = o->end.seconds,
					      .budget = replay_budget(&own, o->end.seconds)},
				  .early = o->early,
				  .is_reduced = rc > 0};
	if (rc >= 0)
		rc = cli_recorded_report(&of, ret, err);
	cli_replays_done(&of.replays);
	if (rc == 0 && o->cut) {
		fprintf(stderr,
			"%s: the trace was cut short, what comes after was not looked at: %s\n",
			cli_run_tool(&own), o->cut);
		if (ret->status != (int)own.exitcode)
			ret->status = CLI_INTERNAL;
	}
	return rc;
}

static void stats_print(const struct one *o)
{
	const struct rt_verdict *v = &o->end.verdict;
	if (o->plan->nruns == 0) {
		cli_pass_stats(o->argv[0], o->end.executed);
		for (uint32_t i = 0; i < v->nstats && i < RT_STATS; i++)
			fprintf(stderr, "snag:   %-30.*s %" PRIu64 "\n",
				(int)sizeof(v->stat[i].name), v->stat[i].name, v->stat[i].value);
	} else {
		fprintf(stderr, "snag: run %u: %s: %s\n", o->plan->nruns + 1,
			cli_run_words(o->plan->run), o->plan->why);
	}
}

int cli_run_one(const struct cli_run_values *v, char *const *argv, struct cli_plan *p,
		const struct cli_place *place, struct snag_suppressions *suppressions,
		struct cli_outcome *ret, struct snag_error *err)
{
	struct one o = {.v = v,
			.argv = argv,
			.plan = p,
			.suppressions = suppressions,
			.options = {.jobs = (unsigned)v->jobs,
				    .budget = (uint32_t)v->budget,
				    .memory = cli_memory_limit(v->memory),
				    .stop = &cli_stop}};
	o.early = cli_early_new(&(struct cli_early_options){.v = v,
							    .argv = argv,
							    .place = place,
							    .suppressions = suppressions,
							    .observed = &o.observed});
	int rc = detectors_choose(v, &o.options, err);
	if (rc == 0)
		rc = program_start(&o, place, err);
	if (rc < 0) {
		cli_early_free(o.early);
		return rc;
	}
	cli_steps_init(&o.steps, snag_live_steps(o.observed.live));
	struct cli_exhausted exhausted = {.analysis = &o.analysis,
					  .src = o.observed.live,
					  .tool = cli_run_tool(v),
					  .suspects = v->with ? NULL : "hybrid",
					  .place = place,
					  .attached = v->attached,
					  .status = (int)v->exitcode};
	cli_exhausted_begin(&exhausted);
	rc = program_analyse(&o, err);
	bool is_analysed = rc == 0;
	if (v->stats)
		stats_print(&o);
	if (o.end.verdict.was_judged) {
		*ret = cli_judged_report(v, argv[0], &o.end, &p->judged);
		*err = (struct snag_error){0}; /* a missing trace is no failure */
		rc = 0;
	} else if (rc < 0 && o.end.is_empty) { /* the program shared nothing, so nothing can race */
		*ret = (struct cli_outcome){true, cli_program_status(o.end.status)};
		rc = 0;
	} else if (rc == 0) {
		rc = recorded_report(&o, ret, err);
	}
	if (is_analysed)
		snag_analysis_done(&o.analysis);
	if (rc == 0 && ret->is_enough)
		cli_pass_check_opened(o.end.opened);
	cli_exhausted_end();
	cli_steps_done(&o.steps);
	cli_observed_done(&o.observed);
	cli_early_free(o.early);
	return rc;
}
