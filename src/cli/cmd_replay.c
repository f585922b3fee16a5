/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_replay.c - `snag replay`: run a program again, steered to a race
 */
#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/run/effect.h"
#include "cli/run/in_gdb.h"
#include "cli/run/replay_other.h"
#include "cli/explore/replay_failure.h"
#include "record/replay/replay_file.h"

#include <stdio.h>

struct replay_values {
	int gdb;
	uint64_t seed;
	double seconds;
	const char *trace;
	int order; /* enum access_order */
};

enum access_order { FIRST_SECOND, SECOND_FIRST, BOTH };

static const struct replay_values replay_defaults = {.seed = 1};

#define FIELD(name) offsetof(struct replay_values, name)
static const struct cli_option replay_options[] = {
	{.name = "gdb",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(gdb),
	 .help = "run PROG inside gdb, up to the accesses of a race"},
	{.name = "seed",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(seed),
	 .max = INT64_MAX / 10 - 10,
	 .help = "of the choices after the race; default: 1"},
	{.name = "seconds",
	 .kind = CLI_SECONDS,
	 .value = "S",
	 .offset = FIELD(seconds),
	 .max = 1000000,
	 .help = "kill the program if it takes longer; default: never"},
	CLI_OPTION_OUTPUT(FIELD(trace), "TRACE", "write the trace of the replay"),
	{.name = "order",
	 .kind = CLI_CHOICE,
	 .value = "first-second|second-first|both",
	 .offset = FIELD(order),
	 .help = "of the two accesses; both: compare what they do"},
	{0},
};
#undef FIELD

/* Returns the exit status. */
static int outcome_print(const struct snag_replay_result *result)
{
	fprintf(stderr, "snag: replay: %s: %s\n", result->is_confirmed ? "confirmed" : "diverged",
		result->words);
	return result->is_confirmed ? CLI_RACES : CLI_OK;
}

/* Replays the witness of a deadlock, an atomicity violation or a use of freed memory, and prints
 * whether the run shows it again. */
static int other_run(const struct replay_values *v, const struct snag_replay_file *file,
		     char *const *argv, struct snag_error *err)
{
	struct cli_replay_other how = {
		.file = file, .argv = argv, .seed = v->seed, .seconds = v->seconds};
	struct snag_replay_result result;
	if (v->gdb || v->trace || v->order != FIRST_SECOND)
		return snag_fail(err, SNAG_EINPUT,
				 "--gdb, --output and --order: not for the witness of %s",
				 cli_replay_other_kind(file));
	int rc = cli_replay_other(&how, &result, err);
	return rc < 0 ? rc : outcome_print(&result);
}

/* Runs both orders of the accesses, and prints how the runs differ. */
static int both_run(const struct snag_replay_plan *plan, struct snag_error *err)
{
	struct cli_effect effect;
	if (plan->is_debugged || plan->trace)
		return snag_fail(err, SNAG_EINPUT, "--order both: not with --gdb or --output");
	int rc = cli_effect_find(plan, &effect, err);
	if (rc < 0)
		return rc;
	fprintf(stderr, "snag: replay: %s\n", effect.words);
	return effect.severity == CLI_SEVERITY_UNKNOWN ? CLI_OK : CLI_RACES;
}

/* Follows the schedule, inside gdb if the plan says so. */
static int race_run(struct snag_replay_plan *plan, struct snag_replay_result *ret_result,
		    struct snag_error *err)
{
	struct cli_in_gdb gdb;
	if (!plan->is_debugged)
		return snag_replay_run(plan, ret_result, err);
	int rc = cli_in_gdb_make(plan->argv, true, &gdb, err);
	if (rc < 0)
		return rc;
	const char *prog = plan->argv[0];
	plan->argv = gdb.argv;
	rc = snag_replay_run(plan, ret_result, err);
	cli_in_gdb_done(&gdb);
	if (rc == SNAG_EINPUT)
		rc = snag_fail(err, SNAG_EINPUT,
			       "%s: was not built with this 'snag cc', or did not start", prog);
	return rc;
}

static int replay_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct replay_values *v = values;
	struct snag_replay_file file;
	int rc = snag_replay_file_read(operand[0], &file, err);
	if (rc < 0)
		return rc;
	if (file.failure) {
		const struct cli_replay_failure how = {.file = &file,
						       .argv = operand + 1,
						       .seed = v->seed,
						       .seconds = v->seconds,
						       .in_gdb = v->gdb};
		rc = v->trace ? snag_fail(err, SNAG_EINPUT,
					  "--output: not for a schedule of 'snag explore'")
			      : cli_replay_failure(&how, err);
		snag_replay_file_done(&file);
		return rc;
	}
	if (cli_replay_other_kind(&file)) {
		rc = other_run(v, &file, operand + 1, err);
		snag_replay_file_done(&file);
		return rc;
	}
	if (v->order == SECOND_FIRST)
		cli_turns_swap(&file.turns);
	struct snag_replay_plan plan = {
		.argv = operand + 1,
		.turns = &file.turns,
		.access = {file.access[0], file.access[1]},
		.seed = v->seed,
		.seconds = v->seconds,
		.trace = v->trace,
		.is_debugged = v->gdb,
	};
	if (v->order == BOTH) {
		rc = both_run(&plan, err);
		snag_replay_file_done(&file);
		return rc;
	}
	struct snag_replay_result result;
	rc = race_run(&plan, &result, err);
	snag_replay_file_done(&file);
	if (rc < 0)
		return rc;
	return !v->gdb ? outcome_print(&result) : result.is_confirmed ? CLI_RACES : CLI_OK;
}

const struct cli_command cli_command_replay = {
	.name = "replay",
	.summary = "run a program again, steered by a witness to its race",
	.operands = "WITNESS PROG [ARGS...]",
	.min_operands = 2,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = replay_options,
	.about = "Runs PROG, which was built with 'snag cc', through the schedule of WITNESS, a\n"
		 "file of 'snag run --witness', and says whether the two accesses came next to\n"
		 "each other: confirmed (exit status 66) or diverged (0).  With a file of\n"
		 "'snag explore' it says whether the run fails in the same way.\n",
	.defaults = &replay_defaults,
	.values_size = sizeof(struct replay_values),
	.run = replay_run,
};
