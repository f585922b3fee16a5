/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_failure.c - `snag replay` of a schedule that `snag explore` has written
 */
#include "cli/explore/replay_failure.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/run/in_gdb.h"
#include "explore/failure.h"
#include "record/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int events_judge(struct snag_source *live, struct snag_judge *judge, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(live, &batch, err)) > 0)
		snag_judge_events(judge, &batch);
	return rc;
}

static int verdict_print(const struct cli_replay_failure *how, const struct snag_live_end *live,
			 const struct snag_judge *judge)
{
	const enum snag_failure_kind kind =
		snag_failure_find(how->file->failure, strlen(how->file->failure));
	const struct snag_trial_end end = {.status = live->status,
					   .was_late = live->was_late,
					   .has_deadlock =
						   live->notes.was_deadlock || live->notes.ncircle,
					   .has_used_freed = judge->has_used_freed,
					   .has_freed_twice = judge->has_freed_twice,
					   .races = judge->races};
	/* A status or an output is the failure only in comparison with other runs. */
	struct snag_expectation expected = {.status = -1, .ignored = ~(1u << kind)};
	bool is_same = kind == SNAG_FAILURE_STATUS
			       ? WIFEXITED(end.status) && end.status == how->file->status
		       : kind == SNAG_FAILURE_OUTPUT
			       ? !live->notes.diverged
			       : snag_failure_of(&end, &expected).kind == kind;
	char words[256] = "no failure like that of the file";
	struct snag_failure f = {.kind = kind, .status = end.status};
	if (is_same && kind == SNAG_FAILURE_STATUS)
		snprintf(words, sizeof(words), "exit status %d", WEXITSTATUS(end.status));
	else if (is_same && kind == SNAG_FAILURE_OUTPUT)
		snprintf(words, sizeof(words), "the schedule was followed; its output is above");
	else if (is_same)
		snag_failure_words(&f, &expected, words, sizeof(words));
	fprintf(stderr, "snag: replay: %s: %s%s\n", is_same ? "confirmed" : "diverged", words,
		!is_same && live->notes.diverged ? "; the schedule could not be followed" : "");
	return is_same ? CLI_RACES : CLI_OK;
}

int cli_replay_failure(const struct cli_replay_failure *how, struct snag_error *err)
{
	char options[128];
	struct snag_judge judge;
	struct snag_source *live;
	int schedule = snag_turns_share(&how->file->turns, err);
	if (schedule < 0)
		return schedule;
	snprintf(options, sizeof(options), "policy=stay:seed=%" PRIu64 ":schedule=/proc/self/fd/%d",
		 how->seed, schedule);
	const struct snag_live_options as = {
		.options = options, .io = SNAG_LAUNCH_SHARES, .seconds = how->seconds};
	struct cli_in_gdb gdb;
	int rc = how->in_gdb ? cli_in_gdb_make(how->argv, false, &gdb, err) : 0;
	if (rc == 0)
		rc = snag_live_source(how->in_gdb ? gdb.argv : how->argv, &as, &live, err);
	if (how->in_gdb)
		cli_in_gdb_done(&gdb);
	close(schedule);
	if (rc < 0)
		return rc;
	snag_judge_begin(&judge, false);
	rc = events_judge(live, &judge, err);
	struct snag_live_end end = snag_live_end(live);
	snag_judge_misuses(&judge, end.misuse, end.nmisuses);
	if (how->in_gdb) {
		*err = (struct snag_error){0}; /* the user may not have run it */
		rc = CLI_OK;
	} else if (rc == 0) {
		rc = verdict_print(how, &end, &judge);
	}
	snag_judge_end(&judge);
	snag_source_close(live);
	return rc;
}
