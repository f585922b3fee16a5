/* SPDX-License-Identifier: Apache-2.0
 *
 * judging.h - runs in which a detector inside the program judges its tasks
 *
 * Such a detector is many times faster than one that reads a recording, but it does not keep the
 * places and call stacks that a report shows.  Its verdict is final if it is clean; otherwise the
 * plan goes on (run_plan.h).
 */
#ifndef SNAG_CLI_JUDGING_H
#define SNAG_CLI_JUDGING_H

#include "cli/run/run_environment.h"
#include "cli/run/run_plan.h"
#include "record/live.h"

/* Returns the detector to put into the program, for the detectors that the user named (NULL: the
 * default).  Returns NULL if none of them can be inside, or if the program cannot run again. */
const char *cli_judge_choose(const char *list);

/* Reads the verdict of a run into *ret_judged.  If it is final, prints it. */
struct cli_outcome cli_judged_report(const struct cli_run_values *v, const char *program,
				     const struct snag_live_end *end,
				     struct cli_judged *ret_judged);

/* Returns whether snag may run other orders of isolated blocks (run_orders.h). */
bool cli_may_run_orders(const struct cli_run_values *v);

#endif
