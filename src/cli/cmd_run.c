/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c - `snag run`: run a program built with `snag cc` and report its races
 *
 * The program runs, and while it does, what it tells is written to a trace and read by the
 * detectors; what needs the whole trace comes after its end.  The report goes to standard
 * error, as ThreadSanitizer's does: standard output is the program's.
 */
#include "cli/baseline.h"
#include "cli/command.h"
#include "cli/detector_names.h"
#include "cli/environment.h"
#include "cli/exhausted.h"
#include "cli/interrupt.h"
#include "cli/judged_asked.h"
#include "cli/judging.h"
#include "cli/memory_limit.h"
#include "cli/observe.h"
#include "cli/observed_order.h"
#include "cli/picture.h"
#include "cli/pass_report.h"
#include "cli/program.h"
#include "cli/run_attached.h"
#include "cli/run_deadlock.h"
#include "cli/run_environment.h"
#include "cli/run_files.h"
#include "cli/run_orders.h"
#include "cli/run_replays.h"
#include "cli/run_report.h"
#include "cli/run_steps.h"
#include "cli/run_suspects.h"
#include "cli/writing.h"
#include "report/deadlocks.h"
#include "trace/tee.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXITCODE_NOT_GIVEN = 256 };
static const struct cli_run_values run_defaults = {.seed = 1,
						   .exitcode = EXITCODE_NOT_GIVEN,
						   .replay_seconds = UINT64_MAX,
						   .memory = CLI_MEMORY_NOT_GIVEN};

#define FIELD(name) offsetof(struct cli_run_values, name)
static const struct cli_option run_options[] = {
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_DETECTORS,
	 .help = "default: hb,mixed,m2,hybrid,deadlock; for tasks drdp"},
	{.name = "json",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(json),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as JSON as well"},
	{.name = "sarif",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(sarif),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as SARIF 2.1.0 as well"},
	{.name = "html",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(html),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as one HTML page as well"},
	{.name = "junit",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(junit),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as JUnit XML as well"},
	{.name = "baseline",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(baseline),
	 .offer = CLI_OFFER_FILES,
	 .help = "do not report what an earlier --json FILE has"},
	{.name = "dot",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(dot),
	 .offer = CLI_OFFER_FILES,
	 .help = "of tasks: draw their graph for graphviz, or as .svg"},
	{.name = "witness",
	 .kind = CLI_TEXT,
	 .value = "DIR",
	 .offset = FIELD(witness),
	 .offer = CLI_OFFER_FOLDERS,
	 .help = "write the witnesses to DIR/race-<n>.json"},
	{.name = "keep",
	 .kind = CLI_TEXT,
	 .value = "TRACE",
	 .offset = FIELD(keep),
	 .offer = CLI_OFFER_FILES,
	 .help = "keep the trace of the run (.snag)"},
	{.name = "seed",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(seed),
	 .max = INT64_MAX / 10 - 10,
	 .help = "of the scheduler's choices; default: 1"},
	{.name = "policy",
	 .kind = CLI_CHOICE,
	 .value = "random|rr|pct",
	 .offset = FIELD(policy),
	 .help = "who runs next; default: random"},
	{.name = "free",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(free),
	 .help = "threads in parallel, and happens-before only"},
	{.name = "suppressions",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(suppressions),
	 .offer = CLI_OFFER_FILES,
	 .help = "races not to report, as for ThreadSanitizer"},
	{.name = "format",
	 .kind = CLI_CHOICE,
	 .value = "snag|tsan",
	 .offset = FIELD(format),
	 .help = "the tool's name in the text"},
	{.name = "strip-path-prefix",
	 .kind = CLI_TEXT,
	 .value = "PATH",
	 .offset = FIELD(strip_path_prefix),
	 .help = "leave PATH out of file names"},
	{.name = "no-replay",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(no_replay),
	 .help = "do not run PROG again to confirm predicted races"},
	{.name = "unconfirmed",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(unconfirmed),
	 .help = "report races whose witness changes reads and diverged"},
	{.name = "replay-seconds",
	 .kind = CLI_NUMBER,
	 .value = "S",
	 .offset = FIELD(replay_seconds),
	 .max = 1000000000,
	 .help = "time for all replays; default: that of the first run"},
	{.name = "once",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(once),
	 .help = "run PROG once, recorded, also if it is one of tasks"},
	{.name = "stats",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(stats),
	 .help = "say which checks the compiler pass removed"},
	{.name = "jobs",
	 .letter = 'j',
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(jobs),
	 .min = 1,
	 .max = 4096,
	 .help = "use at most N threads; default: one per processor"},
	{.name = "memory",
	 .kind = CLI_SIZE,
	 .value = "SIZE",
	 .offset = FIELD(memory),
	 .help = "use about SIZE bytes (512M, 2G), 0: any; default: 1/4"},
	{.name = "budget",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(budget),
	 .min = 1,
	 .max = 1000000000,
	 .help = "try at most N ways to decide one pair; default: 500"},
	{.name = "exitcode",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(exitcode),
	 .max = 255,
	 .help = "status if races are reported; 0: that of PROG"},
	{0},
};
#undef FIELD

/* The file is made if there is something to say, as ThreadSanitizer does. */
static int text_write(const struct cli_run_values *v, const struct snag_incident_report *r,
		      struct snag_error *err)
{
	char path[PATH_MAX] = "/dev/stderr";
	if (v->is_quiet && !snag_incidents_reported(r))
		return 0;
	if (v->log_path && strcmp(v->log_path, "stdout") == 0)
		snprintf(path, sizeof(path), "/dev/stdout");
	else if (v->log_path && strcmp(v->log_path, "stderr") != 0 && snag_incidents_reported(r))
		snprintf(path, sizeof(path), "%s.%d", v->log_path, r->pid);
	return cli_run_report_print(snag_incidents_text, r, path, err);
}

static int report_write(const struct cli_run_values *v, const struct snag_incident_report *r,
			struct snag_error *err)
{
	int rc = cli_run_report_print(snag_incidents_json, r, v->json, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_sarif, r, v->sarif, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_html, r, v->html, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_junit, r, v->junit, err);
	if (rc == 0)
		rc = text_write(v, r, err);
	return rc;
}

static void judge_stats(const struct rt_verdict *verdict)
{
	for (uint32_t i = 0; i < verdict->nstats && i < RT_STATS; i++)
		fprintf(stderr, "snag:   %-30.*s %" PRIu64 "\n", (int)sizeof(verdict->stat[i].name),
			verdict->stat[i].name, verdict->stat[i].value);
}

enum { RUN_AGAIN = 1000 }; /* no exit status */

static const char *tool(const struct cli_run_values *v)
{
	return v->format ? "ThreadSanitizer" : "snag";
}

/* Whether other orders of isolated blocks may be run. */
static bool may_explore(const struct cli_run_values *v)
{
	return !v->with && !v->once && !v->no_replay && cli_judge_can_repeat();
}

/* Of a program that judged itself. */
static int judged(const struct cli_run_values *v, const char *program,
		  const struct snag_live_end *end, struct cli_judged *ret)
{
	*ret = cli_judged(end);
	const char *words = cli_judge_words(end), *silence = cli_judge_silence(end);
	if (silence && !v->is_quiet)
		fprintf(stderr, "%s: %s\n", tool(v), silence);
	if (!words || (cli_judge_depends_on_order(end) && may_explore(v)))
		return RUN_AGAIN;
	if (v->is_quiet && !ret->races && !ret->is_unknown)
		return ret->status;
	if (!cli_judge_asks(end))
		fprintf(stderr, "%s: %s\n", tool(v), words);
	else if (!cli_asked_print(&end->verdict, program, tool(v)))
		return RUN_AGAIN;
	if (ret->is_unknown)
		return CLI_INTERNAL;
	return ret->races && v->exitcode ? (int)v->exitcode : ret->status;
}

/* A run that was recorded. */
struct recorded {
	const struct cli_run_values *v;
	struct cli_replays replays;
	const struct cli_judged *before; /* NULL: this is the first */
	struct snag_source *live;
	bool is_reduced; /* races of drdp that the observed order of sections excludes were left out */
};

/* The steps of the whole run are too many, then. */
static bool is_windowed(const struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->findings[i].windows)
			return true;
	return false;
}

/* What came of running other orders. */
struct explored {
	const struct cli_run_values *v;
	struct snag_orders orders;
	size_t shown; /* races and deadlocks that were reported */
};

static void explore_member(void *ctx, struct snag_json *j)
{
	snag_orders_json(ctx, j);
}

static int explored_failure(void *ctx, struct cli_run_report *r, struct snag_source *src,
			    const struct snag_blocks *blocks, struct snag_error *err)
{
	struct explored *x = ctx;
	(void)src;
	r->all.members = explore_member;
	r->all.members_ctx = &x->orders;
	x->shown = r->incidents.shown + x->orders.has_deadlock;
	int rc = report_write(x->v, &r->all, err);
	if (rc == 0 && x->shown)
		cli_explored_order_print(blocks, r->report.names);
	return rc;
}

/* A run without races, whose sections depend on their order: runs it in others. */
static int orders_explore(struct explored *x, const struct cli_replays *replays,
			  struct snag_suppressions *suppressions, struct cli_run_report *r,
			  bool of_locks, struct snag_error *err)
{
	const struct cli_explore_options options = {.argv = replays->argv,
						    .seconds = replays->budget,
						    .is_part = true,
						    .suppressions = suppressions,
						    .is_tsan = x->v->format,
						    .strip_path_prefix = x->v->strip_path_prefix,
						    .on_failure = explored_failure,
						    .ctx = x};
	bool is_run = may_explore(x->v) && replays->budget > 0;
	int rc = is_run ? cli_explore(&options, &x->orders, err) : 0;
	if (rc == 0 && is_run) {
		r->all.members = explore_member;
		r->all.members_ctx = &x->orders;
	}
	if (rc == 0)
		cli_orders_certify(&r->certificate, is_run ? &x->orders : NULL, of_locks);
	return rc;
}

/* The exit status if no race is reported. */
static int status_of(const struct recorded *of, const struct snag_live_end *end,
		     const struct snag_analysis *a)
{
	int status = of->before ? of->before->status : cli_program_status(end->status);
	if (a->interrupted && cli_stop)
		fprintf(stderr, "%s: interrupted: not all that the program did was looked at\n",
			tool(of->v));
	/* Not all was looked at, or not all was replayed: this is no success. */
	return status == 0 && cli_stop ? CLI_SIGNAL + cli_stop : status;
}

static int races_report(struct recorded *of, struct snag_analysis *a, struct snag_source *src,
			const struct snag_live_end *end, struct snag_suppressions *suppressions,
			struct snag_error *err)
{
	const struct cli_run_values *v = of->v;
	struct cli_replays *replays = &of->replays;
	const struct cli_run run = {.analysis = a,
				    .src = src,
				    .live = of->live,
				    .end = end,
				    .argv = replays->argv,
				    .suppressions = suppressions,
				    .is_tsan = v->format,
				    .strip_path_prefix = v->strip_path_prefix};
	struct cli_run_report r;
	if (src->skipped || a->interrupted || is_windowed(a))
		replays->steps = NULL;
	bool of_locks = end->notes.dialect == RT_DIALECT_OPENMP;
	int rc = cli_deadlock_observed(a, src, end, err);
	if (rc == 0 && !v->with)
		rc = cli_suspects_settle(replays, a, &run, err);
	if (rc < 0)
		return rc;
	rc = cli_run_report_build(&r, &run, err);
	r.report.witness_members = cli_replays_members;
	r.report.deadlock_members = cli_deadlock_members;
	r.report.ctx = replays;
	r.all.witness_dir = v->witness;
	replays->report = &r.report;
	bool is_missing = of->before && of->before->races && !r.incidents.n;
	bool is_other = is_missing && !of->is_reduced;
	if (is_missing && end->was_cut) {
		cli_run_report_done(&r);
		return RUN_AGAIN;
	}
	if (is_other) {
		snag_certificate_add(&r.certificate, "does-not-repeat",
				     "its first run, which was not recorded, had one; try --once");
		r.certificate.is_race_free = false;
	}
	struct explored x = {.v = v};
	if (rc == 0 && !v->with && r.all.is_tasks && !r.incidents.n && !is_other &&
	    !r.all.deadlock && cli_orders_matter(&r.certificate, of_locks))
		rc = orders_explore(&x, replays, suppressions, &r, of_locks, err);
	if (rc == 0 && (x.orders.has_race || x.orders.has_deadlock)) {
		cli_run_report_done(&r);
		return x.shown && v->exitcode ? (int)v->exitcode : status_of(of, end, a);
	}
	if (rc == 0 && v->sarif)
		rc = cli_run_report_steps(&r, src, err);
	if (rc == 0 && v->witness)
		rc = snag_report_witnesses(&r.report, &r.merged, v->witness, err);
	if (rc == 0 && v->witness)
		rc = snag_deadlock_witnesses(&r.report, v->witness, err);
	if (rc == 0 && replays->steps && !v->no_replay) {
		replays->reports_unconfirmed = v->unconfirmed;
		cli_replays_run(replays, &r.incidents);
		cli_deadlock_replays(replays, &r.incidents);
		r.all.replays = &replays->tally;
	}
	if (rc == 0 && v->dot && r.all.is_tasks)
		rc = cli_picture_write(src, a, replays->argv[0], v->dot, err);
	if (rc == 0)
		rc = report_write(v, &r.all, err);
	if (rc == 0 && end->was_cut)
		fprintf(stderr,
			"%s: of its second run only the first %" PRIu64
			" million events were looked at; --once looks at all\n",
			tool(v), cli_judged_events(of->before) / 1000000);
	size_t shown = snag_incidents_reported(&r.all) + is_other;
	cli_run_report_done(&r);
	if (rc < 0)
		return rc;
	if (shown && v->exitcode)
		return (int)v->exitcode;
	return status_of(of, end, a);
}

/* Real programs have atomics, so mixed belongs to the default; and hybrid, if the program may run
 * again (run_suspects.h).  Of threads that run freely it is not known which write a read saw. */
static int detectors_choose(const struct cli_run_values *v, struct snag_analyze_options *options,
			    struct snag_error *err)
{
	static const char free_list[] = "hb,mixed,lockset";
	int rc = cli_detectors_choose(v->with || !v->free ? v->with : "hb", UINT32_MAX, options,
				      err);
	if (rc == 0 && !v->with)
		options->detector[options->ndetectors++] = snag_detector_find("mixed", 5);
	if (rc == 0 && !v->with && !v->free && !v->no_replay)
		options->detector[options->ndetectors++] = snag_detector_find("hybrid", 6);
	if (rc == 0 && !v->with && !v->free && cli_run_wants_deadlocks())
		options->detector[options->ndetectors++] = snag_detector_find("deadlock", 8);
	for (size_t i = 0; rc == 0 && v->free && i < options->ndetectors; i++)
		if (!strstr(free_list, options->detector[i]->name))
			rc = snag_fail(err, SNAG_EINPUT,
				       "--free: %s needs the order of all accesses; possible: %s",
				       options->detector[i]->name, free_list);
	return rc;
}

/* Until it has ended; what it tells is not looked at any more. */
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

/* Runs the program and analyses what it does, or, if it judges itself (by which detector, and options that
 * may follow), what it says: RUN_AGAIN if that is not all. */
static int program_run(const struct cli_run_values *v, char *const *argv,
		       const struct cli_place *place, const char *judge, struct cli_judged *before,
		       uint64_t events, struct snag_suppressions *suppressions,
		       struct snag_error *err)
{
	static const char *const policies[] = {"random", "rr", "pct"};
	struct snag_analyze_options options = {.jobs = (unsigned)v->jobs,
					       .budget = (uint32_t)v->budget,
					       .memory = cli_memory_limit(v->memory),
					       .stop = &cli_stop};
	struct cli_observed o;
	struct snag_analysis analysis = {.n = 0};
	char words[128];
	const struct snag_live_options how = {
		.options = words,
		.attached = before->was_there ? NULL : v->attached,
		.io = before->was_there ? cli_judge_again() : SNAG_LAUNCH_SHARES,
		.events = events,
		/* a race of tasks needs no replay */
		.convert.keep_steps =
			(!v->no_replay || v->witness) && !v->free && !before->is_of_tasks};
	int rc = detectors_choose(v, &options, err);
	/* a race that was found is to be found again */
	snprintf(words, sizeof(words), "seed=%" PRIu64 ":policy=%s:free=%d%s%s%s", v->seed,
		 policies[v->policy], v->free, judge ? ":judge=" : "", judge ? judge : "",
		 before->races ? ":apart=1" : "");
	cli_interrupt_catch();
	if (rc == 0)
		rc = cli_observe(&o, argv, &how, place->file, err);
	if (rc < 0)
		return rc;
	struct cli_steps steps;
	cli_steps_init(&steps, snag_live_steps(o.live));
	options.likely = !v->with;
	options.follow = steps.cursor.log ? cli_steps_follow : NULL;
	options.follow_ctx = &steps;
	struct cli_exhausted exhausted = {.analysis = &analysis,
					  .src = o.live,
					  .tool = tool(v),
					  .suspects = v->with ? NULL : "hybrid",
					  .place = place,
					  .attached = v->attached,
					  .status = (int)v->exitcode};
	cli_exhausted_begin(&exhausted);
	rc = cli_observed_analyze(&o, &options, &analysis, err);
	if (rc == 0 && steps.cursor.log && !analysis.slice && !is_windowed(&analysis) &&
	    has_witness(&analysis))
		rc = cli_steps_read(&steps, o.src, err);
	const char *cut = snag_tee_cut(o.tee);
	if (rc == 0 && cut)
		analysis.interrupted = true;
	if (rc == 0 && analysis.interrupted)
		program_wait(o.live);
	struct snag_live_end end = snag_live_end(o.live);
	if (v->stats && !before->was_there) { /* of the first run */
		cli_pass_stats(argv[0], end.executed);
		judge_stats(&end.verdict);
	}
	if (end.verdict.was_judged) {
		if (rc == 0)
			snag_analysis_done(&analysis);
		rc = judged(v, argv[0], &end, before);
		*err = (struct snag_error){0}; /* that there is no trace is none */
	} else if (rc < 0 && end.is_empty) {   /* nothing was shared, so nothing can race */
		rc = cli_program_status(end.status);
	} else if (rc == 0) {
		struct cli_run_values own = *v;
		struct cli_run_environment environment;
		struct recorded of = {.v = &own,
				      .replays = {.argv = argv,
						  .seed = v->seed,
						  .steps = steps.cursor.log ? &steps : NULL,
						  .seconds = end.seconds},
				      .before = before->was_there ? before : NULL,
				      .live = o.live};
		of.replays.budget = v->replay_seconds == UINT64_MAX
					    ? cli_replays_budget(end.seconds)
					    : (double)v->replay_seconds;
		rc = cli_run_program_says(&own, &environment, &end, suppressions, err);
		if (rc == 0 && !v->with)
			rc = cli_observed_order(&o, &analysis,
						end.notes.dialect == RT_DIALECT_OPENMP, err);
		of.is_reduced = rc > 0;
		if (rc >= 0)
			rc = races_report(&of, &analysis, o.src, &end, suppressions, err);
		cli_replays_done(&of.replays);
		snag_analysis_done(&analysis);
	}
	if (rc >= 0 && cut && !end.verdict.was_judged) {
		fprintf(stderr,
			"%s: the trace was cut short, what comes after was not looked at: %s\n",
			tool(v), cut);
		rc = rc == (int)v->exitcode ? rc : CLI_INTERNAL;
	}
	if (rc != RUN_AGAIN)
		cli_pass_check_opened(end.opened);
	cli_exhausted_end();
	cli_steps_done(&steps);
	cli_observed_done(&o);
	return rc;
}

static int run_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct cli_run_values copy = *(const struct cli_run_values *)values, *v = &copy;
	struct cli_run_environment environment;
	struct cli_place place = {0};
	v->no_replay |= v->replay_seconds == 0;
	v->exitcode_is_default = v->exitcode == EXITCODE_NOT_GIVEN;
	if (v->exitcode_is_default)
		v->exitcode = CLI_RACES;
	v->is_quiet = v->attached && !cli_run_is_verbose();
	cli_run_environment_take(v, &environment);
	struct cli_judged before = {0};
	struct snag_suppressions *suppressions = snag_suppressions_new();
	int rc = cli_suppressions_read(v->suppressions, suppressions, err);
	if (rc == 0)
		rc = cli_baseline_read(v->baseline, suppressions, err);
	const char *const file[] = {v->json, v->sarif, v->html, v->junit, v->dot};
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]) && rc == 0; i++)
		rc = file[i] ? cli_output_probe(file[i], err) : 0;
	if (rc == 0 && v->witness)
		rc = cli_folder_make(v->witness, err);
	if (rc == 0)
		rc = cli_place_make(&place, v->keep, err);
	const char *judge =
		v->once || v->keep || v->json || v->sarif || v->html || v->junit || v->dot
			? NULL
			: cli_judge_choose(v->with);
	if (rc == 0)
		cli_pass_check(operand[0]);
	if (rc == 0)
		rc = program_run(v, operand, &place, judge, &before, 0, suppressions, err);
	if (rc == RUN_AGAIN && before.races && before.has_simd) {
		char more[64];
		snprintf(more, sizeof(more), "%s:lockstep=1", judge);
		rc = program_run(v, operand, &place, more, &before, 0, suppressions, err);
	}
	if (rc == RUN_AGAIN)
		rc = program_run(v, operand, &place, NULL, &before, cli_judged_events(&before),
				 suppressions, err);
	if (rc == RUN_AGAIN) /* it was cut before the race came */
		rc = program_run(v, operand, &place, NULL, &before, 0, suppressions, err);
	if (rc >= 0)
		cli_suppressions_note(suppressions);
	cli_place_remove(&place);
	snag_suppressions_free(suppressions);
	return rc;
}

int cli_run_attached(struct snag_attached *to, char *const *argv, struct snag_error *err)
{
	struct cli_run_values v = run_defaults;
	v.attached = to;
	return run_run(&v, argv, err);
}

const struct cli_command cli_command_run = {
	.name = "run",
	.summary = "run a program built with snag cc and report its data races",
	.operands = "PROG [ARGS...]",
	.min_operands = 1,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = run_options,
	.about = "Runs PROG, which was built with 'snag cc', and reports on standard error the\n"
		 "data races of this run and of other schedules of it.  The exit status is 66 if\n"
		 "there are any, else that of the program.  Of a program written with\n"
		 "<snag/task.h> it says whether any schedule of this input has a race.\n",
	.defaults = &run_defaults,
	.values_size = sizeof(struct cli_run_values),
	.run = run_run,
};
