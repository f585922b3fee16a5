/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_explore.c - `snag explore`: a program of threads under many schedules
 * (cli/explore/hunting.h), or one of tasks in every order of its isolated blocks or critical
 * sections (cli/explore/exploring.h)
 */
#include "cli/command.h"
#include "cli/run/environment.h"
#include "cli/explore/exploring.h"
#include "cli/explore/hunting.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run/run_files.h"
#include "cli/shared_options.h"
#include "cli/writing.h"
#include "explore/store.h"
#include "report/json_writer.h"
#include "version.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explore_values {
	/* Options for programs of threads: */
	int policy;
	uint64_t seed;
	uint64_t jobs;
	uint64_t expect;
	double timeout;
	int keep_going, same_output, exhaustive, no_fork;
	const char *ignore;
	const char *output;
	const char *shard, *store;
	/* Options for programs of tasks: */
	const char *with;
	const char *json;
	const char *strip_path_prefix;
	const char *suppressions;
	uint64_t schedules;
	double seconds;
};

enum { EXPECT_FIRST = 256 };
static const struct explore_values explore_defaults = {
	.seconds = 60, .seed = 1, .expect = EXPECT_FIRST};

#define FIELD(name) offsetof(struct explore_values, name)
static const struct cli_option explore_options[] = {
	{.name = "schedules",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(schedules),
	 .max = UINT64_MAX,
	 .help = "run at most N times; 0, the default: all"},
	CLI_OPTION_EXPLORE_SECONDS(FIELD(seconds)),
	{.name = "policy",
	 .kind = CLI_CHOICE,
	 .value = "all|random|pct|pos|surw|guided|rare",
	 .offset = FIELD(policy),
	 .help = "threads: how to choose; default: all, in turn"},
	{.name = "exhaustive",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(exhaustive),
	 .help = "threads: run every class of equivalent schedules"},
	{.name = "keep-going",
	 .letter = 'k',
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(keep_going),
	 .help = "threads: do not stop at the first failure"},
	{.name = "expect",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(expect),
	 .max = 255,
	 .help = "threads: status of a good run; default: the first's"},
	{.name = "same-output",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(same_output),
	 .help = "threads: other output than at first is a failure"},
	{.name = "ignore",
	 .kind = CLI_TEXT,
	 .value = "KINDS",
	 .offset = FIELD(ignore),
	 .help = "threads: no failures: race,deadlock,hang,crash,..."},
	{.name = "timeout",
	 .kind = CLI_SECONDS,
	 .value = "S",
	 .offset = FIELD(timeout),
	 .max = UINT32_MAX,
	 .help = "threads: a run that takes longer hangs"},
	{.name = "seed",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(seed),
	 .max = INT32_MAX,
	 .help = "threads: of the choice of schedules; default: 1"},
	{.name = "jobs",
	 .letter = 'j',
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(jobs),
	 .min = 1,
	 .max = 1024,
	 .help = "threads: N runs at a time; default: one per processor"},
	{.name = "no-fork",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(no_fork),
	 .help = "threads: start a process for every run"},
	CLI_OPTION_OUTPUT(FIELD(output), "FILE", "threads: write the failing schedule to FILE"),
	{.name = "shard",
	 .kind = CLI_TEXT,
	 .value = "I/N",
	 .offset = FIELD(shard),
	 .help = "threads: run part I of N; with --store"},
	{.name = "store",
	 .kind = CLI_TEXT,
	 .value = "DIR",
	 .offset = FIELD(store),
	 .offer = CLI_OFFER_FOLDERS,
	 .help = "threads: leave the result in DIR, for snag merge"},
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_TASK_DETECTORS,
	 .help = "tasks: detectors of each run; default: sections"},
	CLI_OPTION_JSON(FIELD(json)),
	{.name = "suppressions",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(suppressions),
	 .offer = CLI_OFFER_FILES,
	 .help = "do not count the races that FILE names"},
	CLI_OPTION_STRIP_PATH_PREFIX(FIELD(strip_path_prefix)),
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
	int rc = snag_json_open(&j, &to, s->v->json, err);
	if (rc < 0)
		return rc;
	snag_incidents_program_json(argv, s->orders.nstatuses ? s->orders.status[0].status : 0, &j);
	snag_orders_json(&s->orders, &j);
	return snag_json_commit(&j, err);
}

static int tasks_run(const struct explore_values *v, char *const *operand,
		     struct snag_suppressions *suppressions, struct snag_error *err)
{
	struct showing s = {.v = v};
	const struct cli_explore_options options = {.argv = operand,
						    .with = s.v->with,
						    .runs = s.v->schedules,
						    .seconds = s.v->seconds,
						    .strip_path_prefix = s.v->strip_path_prefix,
						    .suppressions = suppressions,
						    .on_failure = on_failure,
						    .on_order = on_order,
						    .on_end = on_end,
						    .ctx = &s};
	cli_progress_begin(&s.progress, CLI_PROGRESS_AUTO);
	int rc = cli_explore(&options, &s.orders, err);
	bool has_failed = s.orders.has_race || s.orders.has_deadlock;
	if (rc == 0 && s.v->json && !has_failed)
		rc = json_write(&s, operand, err);
	cli_progress_end(&s.progress);
	return rc < 0 ? rc : has_failed ? CLI_RACES : 0;
}

/* The names in `list`, separated by commas, as a set. */
static int ignored_read(const char *list, unsigned *ret, struct snag_error *err)
{
	*ret = 0;
	for (const char *s = list; s && *s;) {
		size_t n = strcspn(s, ",");
		enum snag_failure_kind kind = snag_failure_find(s, n);
		if (!kind)
			return snag_fail(err, SNAG_EINPUT,
					 "--ignore: unknown kind '%.*s'; there are use-after-free, "
					 "double-free, race, deadlock, crash, "
					 "assertion, hang, status, output",
					 (int)n, s);
		*ret |= 1u << kind;
		s += n + (s[n] == ',');
	}
	return 0;
}

/* Runs the part of one of several workers. */
static int store_run(const struct explore_values *v, struct cli_hunt *h, struct snag_error *err)
{
	unsigned shard = 1, nshards = 1;
	int rc = v->shard ? snag_shard_parse(v->shard, &shard, &nshards, err) : 0;
	if (rc == 0 && !v->store)
		rc = snag_fail(err, SNAG_EINPUT, "--shard: needs --store DIR");
	if (rc == 0 && v->exhaustive)
		rc = snag_fail(
			err, SNAG_EINPUT,
			"--exhaustive: not with --store: its schedules follow from each other");
	const struct snag_store_search search = {.argv = h->hunt.options.argv,
						 .version = SNAG_VERSION,
						 .nshards = nshards,
						 .seed = v->seed,
						 .policy = snag_search_policy_name[v->policy],
						 .schedules = v->schedules};
	struct snag_store store;
	if (rc == 0)
		rc = snag_store_open(&store, v->store, shard, &search, err);
	if (rc < 0)
		return rc;
	if (store.shards.has_ended) {
		fprintf(stderr, "snag: explore: %s: shard %u/%u has ended before\n", v->store,
			shard, nshards);
		rc = snag_store_has_failed(&store) ? CLI_RACES : CLI_OK;
		snag_store_close(&store);
		return rc;
	}
	h->store = &store;
	h->hunt.search.shard = shard - 1;
	h->hunt.search.nshards = nshards;
	rc = cli_hunt_search(h, err);
	if (rc == 0 && h->hunt.has_tasks)
		rc = snag_fail(err, SNAG_EINPUT,
			       "--store: %s launches tasks; only threads can be "
			       "explored in shards",
			       h->hunt.options.argv[0]);
	if (rc == 0)
		rc = cli_hunt_report(h, err);
	if (rc >= 0 && !cli_stop) { /* [killed] */
		int written = snag_store_write(&store, &h->hunt, err);
		rc = written < 0 ? written : rc;
	}
	snag_store_close(&store);
	return rc;
}

/* --suppressions, or the same of the environment. */
static int suppressions_read(const struct explore_values *v, struct cli_hunt *h,
			     struct snag_error *err)
{
	char path[PATH_MAX];
	const char *from =
		v->suppressions ? v->suppressions
				: cli_environment_option("suppressions", true, path, sizeof(path));
	h->hunt.options.has_suppressions = from != NULL;
	return cli_suppressions_read(from, h->suppressions, err);
}

static int explore_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct explore_values *v = values;
	struct cli_hunt h = {
		.json = v->json, .output = v->output, .strip_path_prefix = v->strip_path_prefix};
	h.hunt.options = (struct snag_hunt_options){.argv = operand,
						    .schedules = v->schedules,
						    .seconds = v->seconds,
						    .timeout = v->timeout,
						    .jobs = (unsigned)v->jobs,
						    .keeps_going = v->keep_going,
						    .never_serves = v->no_fork};
	h.hunt.expected.status = v->expect == EXPECT_FIRST ? -1 : (int)v->expect;
	h.hunt.expected.same_output = v->same_output;
	h.hunt.search.seed = v->seed;
	h.hunt.search.policy = (enum snag_search_policy)v->policy;
	h.hunt.search.is_exhaustive = v->exhaustive;
	int rc = v->json ? cli_output_probe(v->json, err) : 0;
	if (rc == 0 && v->output)
		rc = cli_output_probe(v->output, err);
	if (rc == 0)
		rc = ignored_read(v->ignore, &h.hunt.expected.ignored, err);
	if (rc < 0)
		return rc;
	h.suppressions = snag_suppressions_new();
	rc = suppressions_read(v, &h, err);
	if (rc < 0)
		goto out;
	cli_interrupt_catch();
	if (v->with) {
		rc = tasks_run(v, operand, h.suppressions, err);
		goto out;
	}
	snag_launch_repeat_input();
	cli_progress_begin(&h.progress, CLI_PROGRESS_AUTO);
	if (v->shard || v->store)
		rc = store_run(v, &h, err);
	else if ((rc = cli_hunt_search(&h, err)) == 0)
		rc = h.hunt.has_tasks ? tasks_run(v, operand, h.suppressions, err)
				      : cli_hunt_report(&h, err);
out:
	snag_suppressions_free(h.suppressions);
	snag_hunt_done(&h.hunt);
	return rc;
}

const struct cli_command cli_command_explore = {
	.name = "explore",
	.summary = "run a program under many schedules until one fails",
	.operands = "PROG [ARGS...]",
	.min_operands = 1,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = explore_options,
	.about = "Runs PROG, which was built with 'snag cc', under many schedules until one\n"
		 "fails: a race, deadlock, hang, crash, failed assertion, or another exit status\n"
		 "than the first run's.  Prints the report and the command that repeats it.  PROG\n"
		 "reads standard input if that is a file; its output is dropped.  A program of\n"
		 "tasks or OpenMP runs in every order of its isolated blocks, critical sections\n"
		 "and locks that can matter.  The exit status is 66 after a failure, else 0.\n",
	.defaults = &explore_defaults,
	.values_size = sizeof(struct explore_values),
	.run = explore_run,
};
