/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_verify_fix.c - `snag verify-fix`: is the error of a witness gone?
 *
 * Two questions: does the old schedule still lead to the race, the deadlock or the atomicity
 * violation, and do other schedules of the changed program have an error?  The first is a replay;
 * the second are runs of `snag run` with different seeds, each of which predicts from its own run.
 * No number of runs proves that an error is gone, so the answer says how many there were.
 */
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/explore/replay_failure.h"
#include "cli/report_file.h"
#include "cli/run/replay_other.h"
#include "cli/self.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "record/replay/replay_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verify_values {
	uint64_t schedules;
	double seconds;
};

static const struct verify_values verify_defaults = {.schedules = 20, .seconds = 60};

#define FIELD(name) offsetof(struct verify_values, name)
static const struct cli_option verify_options[] = {
	{.name = "schedules",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(schedules),
	 .min = 1,
	 .max = 1000000,
	 .help = "run PROG at N seeds; default: 20"},
	{.name = "seconds",
	 .kind = CLI_SECONDS,
	 .value = "S",
	 .offset = FIELD(seconds),
	 .max = 1000000,
	 .help = "begin no run after S seconds; default: 60"},
	{0},
};
#undef FIELD

/* Prints the outcome of the old schedule.  Returns CLI_RACES if the error, in words `what`, is
 * still there. */
static int old_print(const struct snag_replay_result *result, const char *what)
{
	if (result->is_confirmed)
		printf("old schedule: the %s is still there: %s\n", what, result->words);
	else
		printf("old schedule: it no longer shows the %s: %s\n", what, result->words);
	return result->is_confirmed ? CLI_RACES : CLI_OK;
}

static int replay_old_other(const struct snag_replay_file *file, char *const *argv, double seconds,
			    struct snag_error *err)
{
	struct cli_replay_other how = {.file = file,
				       .argv = argv,
				       .seed = 1,
				       .is_quiet = true,
				       .seconds = seconds,
				       .interrupt = &cli_stop};
	struct snag_replay_result result;
	int rc = cli_replay_other(&how, &result, err);
	/* "a deadlock", without its article */
	return rc < 0 ? rc : old_print(&result, strchr(cli_replay_other_kind(file), ' ') + 1);
}

static int replay_old(const struct snag_replay_file *file, char *const *argv, double seconds,
		      struct snag_error *err)
{
	struct snag_replay_plan plan = {.argv = argv,
					.turns = &file->turns,
					.access = {file->access[0], file->access[1]},
					.seed = 1,
					.is_quiet = true,
					.stops = true,
					.interrupt = &cli_stop,
					.seconds = seconds};
	struct snag_replay_result result;
	int rc = snag_replay_run(&plan, &result, err);
	return rc < 0 ? rc : old_print(&result, "race");
}

/* Runs the program once under `snag run`; returns how many reports there were, or a negative
 * code. */
static int run_once(const struct snag_replay_file *file, char *const *argv, uint64_t seed,
		    char *report, struct snag_error *err)
{
	static char with_atomicity[] = "--with=hb,mixed,m2,deadlock,atomicity";
	bool is_atomicity = file->naccesses == SNAG_REPLAY_ACCESSES;
	struct cli_report_file f;
	char number[24];
	size_t n = 0;
	int shown = 0;
	while (argv[n])
		n++;
	char **words = snag_calloc(n + 9, sizeof(char *));
	snprintf(number, sizeof(number), "%" PRIu64, seed);
	memcpy(words,
	       (char *[]){"snag", "run", "--seed", number, "--json", report,
			  is_atomicity ? with_atomicity : "--", "--"},
	       8 * sizeof(char *));
	memcpy(words + (is_atomicity ? 8 : 7), argv, n * sizeof(char *));
	int status = cli_run_quietly(words);
	free(words);
	if (status < 0 || access(report, R_OK) != 0)
		return snag_fail(err, SNAG_EINPUT, "%s: snag run fails (status %d)", argv[0],
				 status);
	int rc = cli_report_file_read(report, &f, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < f.n; i++) {
		if (f.at[i].is_suppressed)
			continue;
		shown++;
		printf("seed %" PRIu64 ": %s (%s)\n", seed, f.at[i].text,
		       f.at[i].id ? f.at[i].id : "no id");
	}
	cli_report_file_done(&f);
	unlink(report);
	return shown;
}

static int explore(const struct verify_values *v, const struct snag_replay_file *file,
		   char *const *argv, struct snag_error *err)
{
	char folder[SNAG_TEMPORARY_MAX], report[SNAG_TEMPORARY_MAX + 16];
	double begin = snag_seconds_now();
	uint64_t done = 0;
	int rc = snag_temporary_make(folder, err), shown = 0;
	if (rc < 0)
		return rc;
	snprintf(report, sizeof(report), "%s/run.json", folder);
	while (done < v->schedules && !shown && !cli_stop &&
	       (done == 0 || snag_seconds_now() - begin < v->seconds)) {
		shown = run_once(file, argv, done + 1, report, err);
		if (shown < 0)
			break;
		done++;
	}
	unlink(report);
	snag_temporary_remove(folder);
	if (shown < 0)
		return shown;
	if (shown)
		printf("repeat it: snag run --seed %" PRIu64 " --witness DIR -- %s ...\n", done,
		       argv[0]);
	else
		printf("%" PRIu64 " schedule%s: no report\n", done, done == 1 ? "" : "s");
	return shown ? CLI_RACES : CLI_OK;
}

/* Checks a schedule that `snag explore` has written: does the program still fail under it, and
 * does `snag explore` find another one? */
static int failure_verify(const struct verify_values *v, const struct snag_replay_file *file,
			  char *const *argv, struct snag_error *err)
{
	char folder[SNAG_TEMPORARY_MAX], found[SNAG_TEMPORARY_MAX + 16], schedules[24], seconds[32];
	const struct cli_replay_failure how = {
		.file = file, .argv = argv, .seed = 1, .seconds = v->seconds};
	size_t n = 0;
	int rc = cli_replay_failure(&how, err);
	if (rc < 0)
		return rc;
	printf("old schedule: %s\n",
	       rc == CLI_RACES ? "the program still fails" : "the program no longer fails");
	fflush(stdout);
	if (rc == CLI_RACES)
		return rc;
	rc = snag_temporary_make(folder, err);
	if (rc < 0)
		return rc;
	while (argv[n])
		n++;
	snprintf(found, sizeof(found), "%s/found.json", folder);
	snprintf(schedules, sizeof(schedules), "%" PRIu64, v->schedules);
	snprintf(seconds, sizeof(seconds), "%g", v->seconds);
	char *const words[] = {"snag",	"explore", "--schedules", schedules, "--seconds",
			       seconds, "-o",	   found,	  "--"};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };
	char **all = snag_calloc(n + WORDS + 1, sizeof(char *));
	memcpy(all, words, sizeof(words));
	memcpy(all + WORDS, argv, n * sizeof(char *));
	rc = cli_run_quietly(all);
	free(all);
	unlink(found);
	snag_temporary_remove(folder);
	if (rc == CLI_RACES)
		printf("another schedule fails: snag explore --schedules %s -- %s ...\n", schedules,
		       argv[0]);
	else if (rc == CLI_OK)
		printf("%s schedule%s: no failure\n", schedules, v->schedules == 1 ? "" : "s");
	else
		return snag_fail(err, SNAG_EINPUT, "%s: snag explore fails (status %d)", argv[0],
				 rc);
	return rc;
}

static int verify_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct verify_values *v = values;
	struct snag_replay_file file;
	cli_interrupt_catch();
	int rc = snag_replay_file_read(operand[0], &file, err);
	if (rc < 0)
		return rc;
	if (file.failure)
		rc = failure_verify(v, &file, operand + 1, err);
	else
		rc = (cli_replay_other_kind(&file) ? replay_old_other : replay_old)(
			&file, operand + 1, v->seconds, err);
	fflush(stdout);
	if (rc == CLI_OK && !file.failure)
		rc = explore(v, &file, operand + 1, err);
	snag_replay_file_done(&file);
	return rc;
}

const struct cli_command cli_command_verify_fix = {
	.name = "verify-fix",
	.summary = "check that a changed program no longer has the error of a witness",
	.operands = "WITNESS PROG [ARGS...]",
	.min_operands = 2,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = verify_options,
	.about = "Replays the schedule of WITNESS, a file of 'snag run --witness', with PROG, the\n"
		 "changed program.  If that no longer shows the race, deadlock or atomicity\n"
		 "violation, runs PROG at several seeds.  The exit status is 66 if the error is\n"
		 "still there or a run has a report.\n",
	.defaults = &verify_defaults,
	.values_size = sizeof(struct verify_values),
	.run = verify_run,
};
