/* SPDX-License-Identifier: Apache-2.0
 *
 * run_suspects.h - suspicious pairs of a run, which snag reports if another run shows that
 * they race
 *
 * A prediction must hold whatever the program does with the values it reads, so every read must see
 * what it saw.  Sometimes only this stands between two accesses, for example a counter that both
 * threads have incremented.  Another run can still show that they race.  The detector `hybrid`
 * names the pairs that only locks and atomics keep apart.  snag runs the program again with
 * one access held back (record/replay/delay.h), reports the pairs that this confirms, and drops the
 * rest.
 */
#ifndef SNAG_CLI_RUN_SUSPECTS_H
#define SNAG_CLI_RUN_SUSPECTS_H

#include "cli/run/run_replays.h"
#include "cli/run/run_report.h"

/* Replays the predicted races, then the pairs that only `hybrid` found, as long as there is
 * time. Leaves the confirmed ones in the analysis. (`replays->step` NULL: replays none.) */
int cli_suspects_settle(struct cli_replays *replays, struct snag_analysis *a,
			const struct cli_run *run, struct snag_error *err);

#endif
