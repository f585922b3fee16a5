/* SPDX-License-Identifier: Apache-2.0
 *
 * run_suspects.h - suspicious pairs of a run, which count if another run shows that they race
 *
 * A prediction holds for whatever the program does with what it reads, so it needs all
 * reads to see what they saw.  Where that stands between two accesses, as a counter that both
 * threads have increased, a run can still show that they race: the detector `hybrid` names the pairs that
 * nothing but locks and atomics keeps apart, and the program runs again with one access held back
 * (record/delay.h).  What this confirms is a race.  The rest is forgotten.
 */
#ifndef SNAG_CLI_RUN_SUSPECTS_H
#define SNAG_CLI_RUN_SUSPECTS_H

#include "cli/run_replays.h"
#include "cli/run_report.h"

/* Replays the predicted races, then the pairs that `hybrid` alone found, as long as there is time, and
 * leaves in the analysis those that are confirmed.  (`replays->step` NULL: none.) */
int cli_suspects_settle(struct cli_replays *replays, struct snag_analysis *a,
			const struct cli_run *run, struct snag_error *err);

#endif
