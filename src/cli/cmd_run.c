/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c - `snag run`: run a program built with `snag cc` and report its races
 *
 * The plan (run_plan.h) says which runs of the program are made; run_one.h makes one of them.  The
 * report goes to standard error, as ThreadSanitizer's does: standard output is the program's.
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/memory_limit.h"
#include "cli/options.h"
#include "cli/run/baseline.h"
#include "cli/run/environment.h"
#include "cli/run/judging.h"
#include "cli/run/pass_report.h"
#include "cli/run/run_attached.h"
#include "cli/run/run_environment.h"
#include "cli/run/run_files.h"
#include "cli/run/run_forked.h"
#include "cli/run/run_one.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_plan.h"
#include "cli/shared_options.h"
#include "cli/writing.h"

#include <stdlib.h>

enum { EXITCODE_NOT_GIVEN = 256 };
static const struct cli_run_values run_defaults = {.seed = 1,
						   .exitcode = EXITCODE_NOT_GIVEN,
						   .replay_seconds = UINT64_MAX,
						   .memory = CLI_MEMORY_NOT_GIVEN,
						   .disk = CLI_MEMORY_NOT_GIVEN};

#define FIELD(name) offsetof(struct cli_run_values, name)
static const struct cli_option run_options[] = {
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_DETECTORS,
	 .help = "default: hb,mixed,m2,hybrid,freed,deadlock; tasks drdp"},
	CLI_OPTION_JSON(FIELD(json)),
	{.name = "sarif",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(sarif),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the report as SARIF 2.1.0 as well"},
	CLI_OPTION_HTML(FIELD(html)),
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
	{.name = "gen-suppressions",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(gen_suppressions),
	 .offer = CLI_OFFER_FILES,
	 .help = "write suppressions of all reports, to be filled in"},
	{.name = "dot",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(dot),
	 .offer = CLI_OFFER_FILES,
	 .help = "of tasks: draw their graph for graphviz, or as .svg"},
	CLI_OPTION_WITNESS(FIELD(witness)),
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
	 .help = "threads in parallel"},
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
	CLI_OPTION_STRIP_PATH_PREFIX(FIELD(strip_path_prefix)),
	{.name = "limit",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(limit),
	 .max = UINT32_MAX,
	 .help = "show at most N reports as text; default: 0, all"},
	{.name = "color",
	 .kind = CLI_CHOICE,
	 .value = "auto|always|never",
	 .offset = FIELD(colour),
	 .help = "colour the text; default: auto, on a terminal"},
	{.name = "no-replay",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(no_replay),
	 .help = "do not run PROG again to confirm predicted races"},
	{.name = "effects",
	 .kind = CLI_FLAG,
	 .set = CLI_EFFECTS_ASKED,
	 .offset = FIELD(effects),
	 .help = "run both orders of every race; default: of some"},
	{.name = "no-effects",
	 .kind = CLI_FLAG,
	 .set = CLI_EFFECTS_NEVER,
	 .offset = FIELD(effects),
	 .help = "do not run both orders of races to say what differs"},
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
	CLI_OPTION_JOBS(FIELD(jobs)),
	CLI_OPTION_MEMORY(FIELD(memory)),
	{.name = "disk",
	 .kind = CLI_SIZE,
	 .value = "SIZE",
	 .offset = FIELD(disk),
	 .help = "records, trace on disk, 0: any; default: 1/2 of free"},
	CLI_OPTION_BUDGET(FIELD(budget)),
	{.name = "exitcode",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(exitcode),
	 .max = 255,
	 .help = "status if races are reported; 0: that of PROG"},
	{0},
};
#undef FIELD

/* Makes the runs of the plan, until one is enough.  Returns an exit status, or an error. */
static int plan_follow(const struct cli_run_values *v, char *const *argv,
		       const struct cli_place *place, struct snag_suppressions *suppressions,
		       struct snag_error *err)
{
	bool is_recorded = v->once || v->keep || cli_run_has_outputs(v);
	struct cli_plan plan = cli_plan(is_recorded ? NULL : cli_judge_choose(v->with));
	struct cli_outcome outcome = {0};
	int rc = cli_run_one(v, argv, &plan, place, suppressions, &outcome, err);
	while (rc == 0 && !outcome.is_enough) {
		cli_plan_next(&plan);
		rc = cli_run_one(v, argv, &plan, place, suppressions, &outcome, err);
	}
	return rc < 0 ? rc : outcome.status;
}

static int run_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct cli_run_values copy = *(const struct cli_run_values *)values, *v = &copy;
	struct cli_run_environment environment;
	struct cli_place place = {0};
	static struct cli_forked forked; /* must stay: the launcher points to it */
	v->no_replay |= v->replay_seconds == 0;
	v->exitcode_is_default = v->exitcode == EXITCODE_NOT_GIVEN;
	if (v->exitcode_is_default)
		v->exitcode = CLI_RACES;
	v->is_quiet = v->attached && !cli_run_is_verbose();
	cli_run_environment_take(v, &environment);
	struct snag_suppressions *suppressions = snag_suppressions_new();
	int rc = cli_suppressions_read(v->suppressions, suppressions, err);
	if (rc == 0)
		rc = cli_baseline_read(v->baseline, suppressions, err);
	if (rc == 0)
		rc = cli_run_outputs_probe(v, err);
	if (rc == 0)
		rc = cli_forked_words(v, &forked, err);
	if (rc == 0 && v->witness)
		rc = cli_folder_make(v->witness, err);
	if (rc == 0)
		rc = cli_place_make(&place, v->keep, err);
	if (rc == 0) {
		cli_pass_check(operand[0]);
		rc = plan_follow(v, operand, &place, suppressions, err);
	}
	if (rc >= 0)
		cli_suppressions_note(suppressions);
	cli_place_remove(&place);
	snag_suppressions_free(suppressions);
	return rc;
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

int cli_run_attached(struct snag_attached *to, char *const *word, int n, struct snag_error *err)
{
	struct cli_run_values v = run_defaults;
	char **argv = snag_calloc((size_t)n + 1, sizeof(*argv));
	int rc = cli_options_parse(&cli_command_run, word, n, &v, argv, err);
	v.attached = to;
	v.no_replay |= to->is_forked; /* only its parent could run it again */
	if (rc == 0)
		rc = run_run(&v, argv, err);
	free(argv);
	return rc;
}
