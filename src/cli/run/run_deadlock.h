/* SPDX-License-Identifier: Apache-2.0
 *
 * run_deadlock.h - the deadlocks of a run: those that happened, and replays of those predicted
 */
#ifndef SNAG_CLI_RUN_DEADLOCK_H
#define SNAG_CLI_RUN_DEADLOCK_H

#include "cli/run/run_replays.h"
#include "detect/analyze/analyze.h"
#include "record/live.h"
#include "trace/deadlock.h"

/* If threads of the program waited for each other, and a detector of deadlocks takes part: adds
 * the deadlock to its findings, as observed. Reads the trace again to find where the threads
 * took what they hold. */
int cli_deadlock_observed(struct snag_analysis *a, const struct snag_source *src,
			  const struct snag_live_end *end, struct snag_error *err);

/* Replays each predicted deadlock that snag would report, as long as there is time. */
void cli_deadlock_replays(struct cli_replays *r, struct snag_incidents *all);
/* The members of a witness file that say how to replay it; ctx is a struct cli_replays. */
void cli_deadlock_members(void *ctx, const struct snag_deadlock *d, struct snag_json *j);

#endif
