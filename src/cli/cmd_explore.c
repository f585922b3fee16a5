/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_explore.c - `snag explore`: a program of tasks in every order of its isolated blocks, or critical
 * sections (cli/exploring.h)
 */
#include "cli/command.h"
#include "cli/exploring.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/writing.h"
#include "report/json_writer.h"

#include <stdio.h>

struct explore_values {
	const char *with;
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
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_TASK_DETECTORS,
	 .help = "detectors that judge each run; default: sections"},
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

struct showing {
	const struct explore_values *v;
	struct snag_orders orders;
	struct cli_progress progress;
};

static void explore_member(void *ctx, struct snag_json *j)
{
	snag_orders_json(ctx, j);
}

static void orders_print(struct showing *s, const struct snag_names *names)
{
	struct snag_printer to;
	struct snag_error unused = {0};
	cli_progress_end(&s->progress);
	if (snag_printer_open(&to, "/dev/stderr", &unused) < 0)
		return;
	snag_orders_text(&s->orders, names, "snag", &to);
	snag_printer_commit(&to, &unused);
}

static int on_failure(void *ctx, struct cli_run_report *r, struct snag_source *src,
		      const struct snag_blocks *blocks, struct snag_error *err)
{
	struct showing *s = ctx;
	(void)src;
	r->all.members = explore_member;
	r->all.members_ctx = &s->orders;
	cli_progress_end(&s->progress);
	int rc = cli_run_report_print(snag_incidents_json, &r->all, s->v->json, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_text, &r->all, "/dev/stderr", err);
	if (rc < 0)
		return rc;
	cli_explored_order_print(blocks, r->report.names);
	orders_print(s, r->report.names);
	return 0;
}

static void on_order(void *ctx, uint64_t orders)
{
	cli_progress_orders(&((struct showing *)ctx)->progress, orders);
}

static void on_end(void *ctx, const struct snag_names *names)
{
	orders_print(ctx, names);
}

static int json_write(const struct showing *s, char *const *argv, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_printer_open(&to, s->v->json, err);
	if (rc < 0)
		return rc;
	snag_json_init(&j, &to);
	snag_json_object(&j, NULL);
	snag_incidents_program_json(argv, s->orders.nstatuses ? s->orders.status[0].status : 0, &j);
	snag_orders_json(&s->orders, &j);
	snag_json_end(&j);
	return snag_printer_commit(&to, err);
}

static int explore_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct showing s = {.v = values};
	const struct cli_explore_options options = {.argv = operand,
						    .with = s.v->with,
						    .runs = s.v->schedules,
						    .seconds = s.v->seconds,
						    .strip_path_prefix = s.v->strip_path_prefix,
						    .on_failure = on_failure,
						    .on_order = on_order,
						    .on_end = on_end,
						    .ctx = &s};
	int rc = s.v->json ? cli_output_probe(s.v->json, err) : 0;
	cli_interrupt_catch();
	cli_progress_begin(&s.progress, CLI_PROGRESS_AUTO);
	if (rc == 0)
		rc = cli_explore(&options, &s.orders, err);
	bool has_failed = s.orders.has_race || s.orders.has_deadlock;
	if (rc == 0 && s.v->json && !has_failed)
		rc = json_write(&s, operand, err);
	cli_progress_end(&s.progress);
	return rc < 0 ? rc : has_failed ? CLI_RACES : 0;
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
