/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_explore.c - `snag explore`: a program of tasks in every order of its isolated blocks, or critical
 * sections
 *
 * The program is run again and again, each time with the beginning of another order
 * (detect/tasks/reversals.h), and each run is judged as by `snag run`.  The first race ends it: what
 * the program does after one is not decided by the order of its blocks alone.
 */
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/observe.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "base/temporary.h"
#include "cli/task_verdict.h"
#include "cli/writing.h"
#include "base/clock.h"
#include "base/memory.h"
#include "detect/tasks/reversals.h"
#include "report/json_writer.h"
#include "report/orders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct explore_values {
	const char *json;
	const char *strip_path_prefix;
	uint64_t schedules;
	double seconds;
};

static const struct explore_values explore_defaults = {.seconds = 60};

#define FIELD(name) offsetof(struct explore_values, name)
static const struct cli_option explore_options[] = {
	{.name = "schedules",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(schedules),
	 .max = UINT64_MAX,
	 .help = "run at most N times; 0, the default: all"},
	{.name = "seconds",
	 .kind = CLI_SECONDS,
	 .value = "S",
	 .offset = FIELD(seconds),
	 .max = UINT32_MAX,
	 .help = "explore at most S seconds, 0: no limit; default: 60"},
	{.name = "json",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(json),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as JSON as well"},
	{.name = "strip-path-prefix",
	 .kind = CLI_TEXT,
	 .value = "PATH",
	 .offset = FIELD(strip_path_prefix),
	 .help = "leave PATH out of file names"},
	{0},
};
#undef FIELD

static const char interrupted[] = "it was interrupted";

enum { PATIENCE = 10 }; /* a run may take so much longer than all before it */

struct exploration {
	const struct explore_values *v;
	char *const *argv;
	char trace[SNAG_TEMPORARY_MAX + 16];
	struct snag_reversals *reversals;
	struct snag_orders orders;
	struct cli_progress progress;
	uint64_t runs;
	double begin;
	double longest;	  /* seconds of a run */
	const char *late; /* why the last run was broken off; NULL: it was not */
	bool is_over;
};

/* The plan in memory that the program inherits; returns its descriptor. */
static int plan_share(const struct snag_order_plan *plan, struct snag_error *err)
{
	const uint64_t end = 0;
	int fd = memfd_create("snag order", 0);
	size_t begin = plan->nbegin * sizeof(*plan->id);
	size_t rest = (plan->n - plan->nbegin) * sizeof(*plan->id);
	bool is_written = fd >= 0 && write(fd, plan->id, begin) == (ssize_t)begin &&
			  write(fd, &end, sizeof(end)) == sizeof(end) &&
			  write(fd, plan->id + plan->nbegin, rest) == (ssize_t)rest;
	if (is_written)
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	return snag_fail(err, SNAG_EIO, "no memory for an order: %s", strerror(why));
}

static void explore_member(void *ctx, struct snag_json *j)
{
	snag_orders_json(ctx, j);
}

/* Obstacles of a run that other orders of its blocks do not remove. */
static void obstacles_add(struct snag_certificate *all, const struct snag_certificate *c,
			  const char *removed)
{
	for (size_t i = 0; i < c->n; i++) {
		size_t k = 0;
		while (k < all->n && strcmp(all->obstacle[k].kind, c->obstacle[i].kind) != 0)
			k++;
		if (k == all->n && strcmp(c->obstacle[i].kind, removed) != 0)
			all->obstacle[all->n++] = c->obstacle[i];
	}
}

/* Where the blocks of a racy run were, in their order. */
static void order_print(const struct snag_blocks *blocks, const struct snag_names *names)
{
	enum { SHOWN = 20 };
	char place[1024];
	for (size_t i = 0; i < blocks->n && i < SHOWN; i++) {
		const char *task = snag_name(names, SNAG_SPACE_THREAD, blocks->at[i].task);
		snag_location_text(names, blocks->at[i].loc, place, sizeof(place));
		fprintf(stderr, "  Block %zu of this order: task %s at %s\n", i + 1,
			task + (task[0] == 'T'), place);
	}
	if (blocks->n > SHOWN)
		fprintf(stderr, "  and %zu more\n", blocks->n - SHOWN);
}

static void orders_print(struct exploration *x, const struct snag_names *names,
			 struct snag_error *err)
{
	struct snag_printer to;
	cli_progress_end(&x->progress);
	if (snag_printer_open(&to, "/dev/stderr", err) < 0)
		return;
	snag_orders_text(&x->orders, names, "snag", &to);
	snag_printer_commit(&to, err);
}

/* The report of a run that has races. */
static int race_report(struct exploration *x, struct cli_run_report *r,
		       const struct snag_blocks *blocks, struct snag_error *err)
{
	r->all.members = explore_member;
	r->all.members_ctx = &x->orders;
	x->orders.seconds = snag_seconds_now() - x->begin;
	cli_progress_end(&x->progress);
	int rc = cli_run_report_print(snag_incidents_json, &r->all, x->v->json, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_text, &r->all, "/dev/stderr", err);
	if (rc == 0)
		order_print(blocks, r->report.names);
	return rc;
}

/* A run was judged: what its order says, and which are left. */
static int run_take(struct exploration *x, const struct cli_run *run, struct snag_error *err)
{
	struct snag_source *again;
	struct snag_blocks blocks;
	struct cli_run_report r;
	int rc = snag_source_again(run->src, &again, err);
	if (rc < 0)
		return rc;
	bool of_locks = run->end->notes.dialect == RT_DIALECT_OPENMP;
	rc = snag_blocks_read(&blocks, again, of_locks, err);
	snag_source_close(again);
	if (rc < 0)
		return rc;
	enum snag_order_run result = snag_reversals_add(x->reversals, &blocks);
	rc = cli_run_report_build(&r, run, err);
	x->orders.has_race = r.incidents.n > 0;
	if (result == SNAG_ORDER_REDUNDANT && !x->orders.has_race) {
		x->orders.redundant++;
	} else if (!cli_stop || x->orders.has_race) {
		x->orders.orders++;
		snag_orders_ended(&x->orders, cli_program_status(run->end->status));
	}
	if (!x->orders.has_race)
		x->orders.gap = cli_stop  ? interrupted
				: x->late ? x->late
				: result == SNAG_ORDER_DIVERGED
					? "the program did something else when it was run again"
					: NULL;
	x->orders.of_locks = of_locks;
	obstacles_add(&x->orders.certificate, &r.certificate,
		      !of_locks		 ? "isolated"
		      : blocks.is_nested ? "" /* what is inside is not taken apart */
					 : "lock");
	x->is_over = x->orders.has_race || x->orders.gap;
	if (rc == 0 && x->orders.has_race)
		rc = race_report(x, &r, &blocks, err);
	if (rc == 0 && x->is_over)
		orders_print(x, r.report.names, err);
	cli_run_report_done(&r);
	snag_blocks_done(&blocks);
	return rc;
}

/* Why the exploration has to end here; NULL: it has not. */
static const char *limit_reached(const struct exploration *x)
{
	double seconds = snag_seconds_now() - x->begin;
	if (x->v->schedules && x->runs >= x->v->schedules)
		return "the limit of runs was reached";
	if (x->v->seconds > 0 && seconds >= x->v->seconds)
		return "the time was up";
	return NULL;
}

/* After a run without races: goes on, or says what came of it. */
static int run_follow(struct exploration *x, const struct cli_run *run,
		      struct snag_order_plan *plan, struct snag_error *err)
{
	int rc = run_take(x, run, err);
	snag_order_plan_done(plan);
	if (rc < 0 || x->is_over)
		return rc;
	x->is_over = !snag_reversals_next(x->reversals, plan);
	if (!x->is_over)
		x->orders.gap = limit_reached(x);
	x->is_over |= x->orders.gap != NULL;
	if (x->is_over)
		orders_print(x, run->src->names, err);
	return 0;
}

/* How many seconds the next run may take; 0: any number, as the first may. */
static double run_limit(const struct exploration *x)
{
	double left = x->v->seconds - (snag_seconds_now() - x->begin);
	double usual = PATIENCE * x->longest + 1;
	return x->runs == 0 || x->v->seconds <= 0 ? 0 : left > usual ? left : usual;
}

static int run_judge(struct exploration *x, struct cli_observed *o, double begin, double most,
		     struct snag_order_plan *plan, struct snag_error *err)
{
	struct snag_analyze_options options = {.detector = {snag_detector_find("drdp", 4)},
					       .ndetectors = 1,
					       .jobs = 1,
					       .stop = &cli_stop};
	struct snag_analysis analysis;
	int rc = cli_observed_analyze(o, &options, &analysis, err);
	struct snag_live_end end = snag_live_end(o->live);
	if (cli_stop && (rc < 0 || end.notes.launched == 0)) { /* before it did anything */
		if (rc == 0)
			snag_analysis_done(&analysis);
		x->orders.gap = interrupted;
		x->is_over = true;
		orders_print(x, o->src->names, err);
		return 0;
	}
	if (rc < 0)
		return rc;
	double seconds = snag_seconds_now() - begin;
	if (most > 0 && seconds >= most)
		x->late = "in the last one the program did not end";
	x->longest = seconds > x->longest ? seconds : x->longest;
	if (end.notes.launched == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: launches no tasks", x->argv[0]);
	const struct cli_run run = {.analysis = &analysis,
				    .src = o->src,
				    .live = o->live,
				    .end = &end,
				    .argv = x->argv,
				    .strip_path_prefix = x->v->strip_path_prefix};
	if (rc == 0)
		rc = run_follow(x, &run, plan, err);
	snag_analysis_done(&analysis);
	return rc;
}

static int run_once(struct exploration *x, struct snag_order_plan *plan, struct snag_error *err)
{
	struct cli_observed o;
	char words[64];
	int fd = plan_share(plan, err);
	if (fd < 0)
		return fd;
	snprintf(words, sizeof(words), "seed=1:sections=/proc/self/fd/%d", fd);
	double begin = snag_seconds_now(), most = run_limit(x);
	const struct snag_live_options how = {
		.options = words, .io = SNAG_LAUNCH_OURS, .seconds = most, .stop = &cli_stop};
	int rc = cli_observe(&o, x->argv, &how, x->trace, err);
	close(fd);
	if (rc < 0)
		return rc;
	x->runs++;
	cli_progress_orders(&x->progress, x->orders.orders);
	rc = run_judge(x, &o, begin, most, plan, err);
	cli_observed_done(&o);
	unlink(x->trace);
	return rc;
}

static int json_write(const struct exploration *x, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_printer_open(&to, x->v->json, err);
	if (rc < 0)
		return rc;
	snag_json_init(&j, &to);
	snag_json_object(&j, NULL);
	snag_incidents_program_json(x->argv, x->orders.nstatuses ? x->orders.status[0].status : 0,
				    &j);
	snag_orders_json(&x->orders, &j);
	snag_json_end(&j);
	return snag_printer_commit(&to, err);
}

static int explore_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct exploration *x = snag_calloc(1, sizeof(*x));
	struct snag_order_plan plan = {0};
	char folder[SNAG_TEMPORARY_MAX] = "";
	x->v = values;
	x->argv = operand;
	x->begin = snag_seconds_now();
	x->reversals = snag_reversals_new();
	int rc = x->v->json ? cli_output_probe(x->v->json, err) : 0;
	if (rc == 0)
		rc = snag_temporary_make(folder, err);
	snprintf(x->trace, sizeof(x->trace), "%s/run.snag", folder);
	cli_interrupt_catch();
	cli_progress_begin(&x->progress, CLI_PROGRESS_AUTO);
	snag_reversals_next(x->reversals, &plan);
	while (rc == 0 && !x->is_over)
		rc = run_once(x, &plan, err);
	x->orders.seconds = snag_seconds_now() - x->begin;
	if (rc == 0 && x->v->json && !x->orders.has_race)
		rc = json_write(x, err);
	bool has_race = x->orders.has_race;
	cli_progress_end(&x->progress);
	snag_order_plan_done(&plan);
	snag_reversals_free(x->reversals);
	snag_temporary_remove(folder);
	free(x);
	return rc < 0 ? rc : has_race ? CLI_RACES : 0;
}

const struct cli_command cli_command_explore = {
	.name = "explore",
	.summary = "run a program in every order of its isolated or critical sections",
	.operands = "PROG [ARGS...]",
	.min_operands = 1,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = explore_options,
	.about = "Runs PROG, which was built with 'snag cc -fsnag-task' or '-fopenmp', once for\n"
		 "every order of isolated blocks, or of critical sections and locks of OpenMP,\n"
		 "that can matter, without input and output, and judges each run as 'snag run'\n"
		 "does.  Ends with the first race, and status 66.  Says whether all orders were\n"
		 "run.\n",
	.defaults = &explore_defaults,
	.values_size = sizeof(struct explore_values),
	.run = explore_run,
};
