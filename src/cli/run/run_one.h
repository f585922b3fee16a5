/* SPDX-License-Identifier: Apache-2.0
 *
 * run_one.h - one run of the plan of `snag run`
 *
 * The program runs.  While it does, snag writes its events to a trace and analyses them, or a
 * detector inside the program judges them.  What needs the whole trace comes after its end.
 */
#ifndef SNAG_CLI_RUN_ONE_H
#define SNAG_CLI_RUN_ONE_H

#include "cli/run/run_environment.h"
#include "cli/run/run_files.h"
#include "cli/run/run_plan.h"

/* Makes the current run of the plan and reports it. Sets p->judged if a detector inside the
 * program judged the run. The trace goes to `place`. Returns 0 or an error. */
int cli_run_one(const struct cli_run_values *v, char *const *argv, struct cli_plan *p,
		const struct cli_place *place, struct snag_suppressions *suppressions,
		struct cli_outcome *ret, struct snag_error *err);

#endif
