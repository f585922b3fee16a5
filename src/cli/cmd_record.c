/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_record.c - `snag record`: run a program built with `snag cc` and write its trace
 */
#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/run/pass_report.h"
#include "cli/run/program.h"
#include "record/live.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record_values {
	const char *output;
	uint64_t seed;
	int policy;
	int free;
	const char *schedule;
	const char *follow;
};

static const struct record_values record_defaults = {.output = "run.snag", .seed = 1};

static const struct cli_option record_options[] = {
	CLI_OPTION_OUTPUT(offsetof(struct record_values, output), "TRACE",
			  "where to write the trace (default run.snag)"),
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
	{.name = "free",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = offsetof(struct record_values, free),
	 .help = "threads in parallel"},
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

static int program_start(const struct record_values *v, char *const *argv,
			 const struct snag_convert_options *convert, struct snag_source **ret_src,
			 struct snag_error *err)
{
	static const char *const policies[] = {"random", "rr", "pct"};
	char options[128], follow[48] = "";
	struct snag_live_options live = {.options = options, .convert = *convert};
	int fd = v->follow ? open(v->follow, O_RDONLY) : -1; /* inherited: any name will do */
	struct stat st;
	if (v->follow && v->free)
		return snag_fail(err, SNAG_EINPUT,
				 "--free: threads that follow a schedule take turns");
	if (v->follow && (fd < 0 || fstat(fd, &st) < 0 || S_ISDIR(st.st_mode)))
		return snag_fail(err, SNAG_EIO, "%s: %s", v->follow,
				 strerror(fd < 0 ? errno : EISDIR));
	if (fd >= 0)
		snprintf(follow, sizeof(follow), ":schedule=/proc/self/fd/%d", fd);
	snprintf(options, sizeof(options), "seed=%" PRIu64 ":policy=%s%s%s", v->seed,
		 policies[v->policy], v->free ? ":free=1" : "", follow);
	cli_pass_check(argv[0]);
	int rc = snag_live_source(argv, &live, ret_src, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int schedule_close(const struct record_values *v, FILE *schedule, struct snag_error *err)
{
	if (schedule && (ferror(schedule) | fclose(schedule)))
		return snag_fail(err, SNAG_EIO, "%s: %s", v->schedule, strerror(errno));
	return 0;
}

static int trace_write(struct snag_recording *recording, struct snag_source *src,
		       struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	snag_source_take_runs(src);
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		if ((rc = snag_recording_write(recording, &batch, src->names, err)) < 0)
			break;
	if (rc == 0)
		return snag_recording_commit(recording, src, NULL, err);
	snag_recording_abort(recording);
	return rc;
}

static int record_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct record_values *v = values;
	struct snag_source *src = NULL;
	struct snag_recording *recording;
	FILE *schedule = NULL;
	int status = 0;
	int rc = snag_recording_open(v->output, &recording, err);
	if (rc < 0)
		return rc;
	if (v->schedule && !(schedule = fopen(v->schedule, "w")))
		rc = snag_fail(err, SNAG_EIO, "%s: %s", v->schedule, strerror(errno));
	if (rc == 0)
		rc = program_start(
			v, operand,
			&(struct snag_convert_options){.schedule = schedule, .is_for_sink = true},
			&src, err);
	if (rc < 0) {
		snag_recording_abort(recording);
	} else {
		rc = trace_write(recording, src, err);
		struct snag_live_end end = snag_live_end(src);
		status = end.status;
		cli_pass_check_opened(end.opened);
		snag_source_close(src);
	}
	int closed = schedule_close(v, schedule, rc == 0 ? err : NULL);
	if (rc < 0 || closed < 0)
		return rc < 0 ? rc : closed;
	return cli_program_status(status);
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
