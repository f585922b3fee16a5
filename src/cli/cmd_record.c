/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_record.c - `snag record`: run a program built with `snag cc` and write its trace
 */
#include "cli/command.h"
#include "record/convert.h"
#include "record/launch.h"
#include "trace/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct record_values {
	const char *output;
	uint64_t seed;
	int policy;
	const char *schedule;
	const char *follow;
};

static const struct record_values record_defaults = {.output = "run.snag", .seed = 1};

static const struct cli_option record_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .kind = CLI_TEXT,
	 .value = "TRACE",
	 .offset = offsetof(struct record_values, output),
	 .offer = CLI_OFFER_FILES,
	 .help = "where to write the trace (default run.snag)"},
	{.name = "seed",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = offsetof(struct record_values, seed),
	 .min = 0,
	 .max = INT64_MAX / 10 - 10,
	 .help = "of the scheduler's choices (default 1)"},
	{.name = "policy",
	 .kind = CLI_CHOICE,
	 .value = "random|rr|pct",
	 .offset = offsetof(struct record_values, policy),
	 .help = "who runs next (default random)"},
	{.name = "schedule",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = offsetof(struct record_values, schedule),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the turns of this run: thread, events"},
	{.name = "follow",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = offsetof(struct record_values, follow),
	 .offer = CLI_OFFER_FILES,
	 .help = "take the turns that --schedule has written"},
	{0},
};

static int record_one(void *ctx, const struct rt_record *r, struct snag_error *err)
{
	return snag_convert_record(ctx, r, err);
}

/* Runs the program; its wait status goes to *ret_status. */
static int program_record(const struct record_values *v, char *const *argv, struct snag_sink *sink,
			  FILE *schedule, int *ret_status, struct snag_error *err)
{
	static const char *const policies[] = {"random", "rr", "pct"};
	char options[1024];
	struct snag_launch *launch;
	snprintf(options, sizeof(options), "seed=%" PRIu64 ":policy=%s%s%.600s", v->seed,
		 policies[v->policy], v->follow ? ":schedule=" : "", v->follow ? v->follow : "");
	int rc = snag_launch_start(argv, options, &launch, err);
	if (rc < 0)
		return rc;
	struct snag_convert *convert = snag_convert_new(sink, schedule);
	rc = snag_launch_read(launch, record_one, convert, ret_status, err);
	if (rc == 0)
		rc = snag_convert_finish(convert, err);
	if (rc == 0 && !snag_launch_was_claimed(launch))
		rc = snag_fail(err, SNAG_EINPUT,
			       "%s: was not built with 'snag cc', or did not start", argv[0]);
	else if (rc == 0 && snag_convert_events(convert) == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: nothing was recorded", argv[0]);
	snag_convert_free(convert);
	snag_launch_free(launch);
	return rc;
}

static int schedule_close(const struct record_values *v, FILE *schedule, struct snag_error *err)
{
	if (schedule && (ferror(schedule) | fclose(schedule)))
		return snag_fail(err, SNAG_EIO, "%s: %s", v->schedule, strerror(errno));
	return 0;
}

static int record_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct record_values *v = values;
	struct snag_sink *sink;
	FILE *schedule = NULL;
	int status = 0;
	int rc = snag_sink_open(v->output, 0, &sink, err);
	if (rc < 0)
		return rc;
	if (v->schedule && !(schedule = fopen(v->schedule, "w")))
		rc = snag_fail(err, SNAG_EIO, "%s: %s", v->schedule, strerror(errno));
	if (rc == 0)
		rc = program_record(v, operand, sink, schedule, &status, err);
	int closed = schedule_close(v, schedule, rc == 0 ? err : NULL);
	rc = rc < 0 ? rc : closed;
	if (rc < 0)
		snag_sink_abort(sink);
	else
		rc = snag_sink_commit(sink, err);
	if (rc < 0)
		return rc;
	return WIFSIGNALED(status) ? CLI_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

const struct cli_command cli_command_record = {
	.name = "record",
	.summary = "run a program built with snag cc and write its trace",
	.operands = "PROG [ARGS...]",
	.min_operands = 1,
	.max_operands = CLI_ALL_OPERANDS,
	.offer = CLI_OFFER_FILES,
	.options = record_options,
	.about =
		"Runs PROG, which was built with 'snag cc', its threads one at a time, and writes\n"
		"what they did.  The exit status is that of the program.\n",
	.defaults = &record_defaults,
	.values_size = sizeof(struct record_values),
	.run = record_run,
};
