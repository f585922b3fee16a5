/* SPDX-License-Identifier: Apache-2.0
 *
 * run_recorded.h - the report of a recorded run, and the runs that confirm it
 *
 * The analysis of the recording has found races, deadlocks, and pairs that only locks keep apart.
 * Before the report is written, further runs of the program settle what they can, within the time
 * for replays:
 *
 *   1. replays of predicted races, then of suspicious pairs (run_suspects.h)
 *   2. other orders of isolated blocks and critical sections, if there is no race (run_orders.h)
 *   3. replays of predicted races that were not replayed yet, and of deadlocks (run_replays.h)
 */
#ifndef SNAG_CLI_RUN_RECORDED_H
#define SNAG_CLI_RUN_RECORDED_H

#include "cli/run/early.h"
#include "cli/run/run_environment.h"
#include "cli/run/run_plan.h"
#include "cli/run/run_replays.h"
#include "cli/run/run_report.h"

struct cli_recorded {
	const struct cli_run_values *v;
	const struct cli_plan *plan; /* the recorded run is its present one */
	struct snag_analysis *analysis;
	struct cli_run run;
	struct cli_replays replays;
	const struct cli_early *early; /* the reports that snag printed while the program ran */
	bool is_reduced; /* races that the observed order of sections excludes were removed */
};

/* Writes the report.  Returns 0 or an error. */
int cli_recorded_report(struct cli_recorded *of, struct cli_outcome *ret, struct snag_error *err);

#endif
