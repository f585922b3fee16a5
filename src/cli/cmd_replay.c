/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_replay.c - `snag replay`: run a program again, steered to a race
 */
#include "cli/command.h"
#include "cli/effect.h"
#include "cli/replay_failure.h"
#include "record/replay_atomicity.h"
#include "record/replay_deadlock.h"
#include "record/replay_file.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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
	 .help = "stop before the accesses, or run PROG inside gdb"},
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
	{.name = "output",
	 .letter = 'o',
	 .kind = CLI_TEXT,
	 .value = "TRACE",
	 .offset = FIELD(trace),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the trace of the replay"},
	{.name = "order",
	 .kind = CLI_CHOICE,
	 .value = "first-second|second-first|both",
	 .offset = FIELD(order),
	 .help = "of the two accesses; both: compare what they do"},
	{0},
};
#undef FIELD

static volatile sig_atomic_t is_over;

static void over(int signal)
{
	(void)signal;
	is_over = 1;
}

/* Both threads stand before their accesses: waits until the user has seen enough. */
static void held(void *ctx, int pid)
{
	const struct snag_replay_file *file = ctx;
	const struct snag_turn *last = &file->turns.at[file->turns.n - 2];
	fprintf(stderr,
		"snag: replay: the program stands still, its threads before their accesses:\n"
		"  T%u at %s\n  T%u at %s\n"
		"  attach with: gdb -p %d, then: thread apply all backtrace\n"
		"  Ctrl-C ends the program\n",
		last[0].thread, file->access[0].place, last[1].thread, file->access[1].place, pid);
	struct sigaction action = {.sa_handler = over};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (!is_over && kill(pid, 0) == 0)
		usleep(50000);
}

/* Of a deadlock: whether its threads waited for each other. */
static int deadlock_run(const struct replay_values *v, const struct snag_replay_file *file,
			char *const *argv, struct snag_error *err)
{
	struct snag_deadlock_plan plan = {.argv = argv,
					  .turns = &file->turns,
					  .place = (const char *const *)file->wait,
					  .n = file->nwaits,
					  .seed = v->seed,
					  .seconds = v->seconds};
	struct snag_replay_result result = {0};
	if (v->gdb || v->trace)
		return snag_fail(err, SNAG_EINPUT,
				 "--gdb and --output: not for the witness of a deadlock");
	int rc = snag_replay_deadlock(&plan, &result, err);
	if (rc < 0)
		return rc;
	fprintf(stderr, "snag: replay: %s: %s\n", result.is_confirmed ? "confirmed" : "diverged",
		result.words);
	return result.is_confirmed ? CLI_RACES : CLI_OK;
}

/* Of an atomicity violation: whether the write came between. */
static int atomicity_run(const struct replay_values *v, const struct snag_replay_file *file,
			 char *const *argv, struct snag_error *err)
{
	struct snag_atomicity_plan plan = {
		.argv = argv, .turns = &file->turns, .seed = v->seed, .seconds = v->seconds};
	struct snag_replay_result result = {0};
	for (size_t i = 0; i < SNAG_REPLAY_ACCESSES; i++)
		plan.place[i] = file->access[i].place;
	if (v->gdb || v->trace || v->order != FIRST_SECOND)
		return snag_fail(err, SNAG_EINPUT,
				 "--gdb, --output and --order: not for the witness of an atomicity "
				 "violation");
	int rc = snag_replay_atomicity(&plan, &result, err);
	if (rc < 0)
		return rc;
	fprintf(stderr, "snag: replay: %s: %s\n", result.is_confirmed ? "confirmed" : "diverged",
		result.words);
	return result.is_confirmed ? CLI_RACES : CLI_OK;
}

/* Both orders of the accesses, and what differs. */
static int both_run(const struct snag_replay_plan *plan, struct snag_error *err)
{
	struct cli_effect effect;
	if (plan->on_held || plan->trace)
		return snag_fail(err, SNAG_EINPUT, "--order both: not with --gdb or --output");
	int rc = cli_effect_find(plan, &effect, err);
	if (rc < 0)
		return rc;
	fprintf(stderr, "snag: replay: %s\n", effect.words);
	return effect.severity == CLI_SEVERITY_UNKNOWN ? CLI_OK : CLI_RACES;
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
	if (file.wait || file.naccesses == SNAG_REPLAY_ACCESSES) {
		rc = (file.wait ? deadlock_run : atomicity_run)(v, &file, operand + 1, err);
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
		.on_held = v->gdb ? held : NULL,
		.ctx = &file,
	};
	if (v->order == BOTH) {
		rc = both_run(&plan, err);
		snag_replay_file_done(&file);
		return rc;
	}
	struct snag_replay_result result;
	rc = snag_replay_run(&plan, &result, err);
	if (rc == 0 && !v->gdb)
		fprintf(stderr, "snag: replay: %s: %s\n",
			result.is_confirmed ? "confirmed" : "diverged", result.words);
	snag_replay_file_done(&file);
	if (rc < 0)
		return rc;
	return result.is_confirmed ? CLI_RACES : CLI_OK;
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
		 "'snag explore' it says whether the run fails in the same way; --gdb then runs\n"
		 "PROG inside gdb.\n",
	.defaults = &replay_defaults,
	.values_size = sizeof(struct replay_values),
	.run = replay_run,
};
