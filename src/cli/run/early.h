/* SPDX-License-Identifier: Apache-2.0
 *
 * early.h - races that `snag run` prints while the program still runs
 *
 * Idea.   A server runs for days, and may be ended together with the tool.  So observed
 *         races must not wait for its end.  The scout (scout/scout.h) sees when two accesses are
 *         not ordered by happens-before.  Then the tool forks.  The copy treats the run as if it
 *         ended here, analyses it with `hb` and `mixed`, and prints what is new.  The tool waits
 *         for the copy, remembers what it printed, and goes on.
 *
 * Rules.  [when]     not in the first second, and not before ten times as long has passed as the
 *                    last look took: looks take at most a tenth of the time
 *         [printed]  the text of the final report leaves out what was printed.  All other outputs
 *                    have everything
 *         [log]      the file of log_path is written as a whole each time, and has everything
 *         [halt]     with halt_on_error the tool looks at once; after the first report the program
 *                    ends, and the text has no other report
 *         [scout]    without a scout (--keep, --with of other detectors, tasks) there are no looks
 * Guarantee.  What is printed early is in the final report, too: both have one pair of lines.
 */
#ifndef SNAG_CLI_EARLY_H
#define SNAG_CLI_EARLY_H

#include "cli/run/observe.h"
#include "cli/run/run_environment.h"
#include "cli/run/run_files.h"
#include "report/incident/incident.h"

struct cli_early;

/* All of these outlive it. */
struct cli_early_options {
	const struct cli_run_values *v;
	char *const *argv;
	const struct cli_place *place;
	struct snag_suppressions *suppressions;
	const struct cli_observed *observed; /* that runs */
};
struct cli_early *cli_early_new(const struct cli_early_options *options);
void cli_early_free(struct cli_early *e); /* accepts NULL */

/* Looks, if it is time; for snag_live_options.on_records. */
void cli_early_look(void *early);

/* Whether the program was ended because of a report. */
bool cli_early_has_halted(const struct cli_early *e);
/* [printed] [halt] Marks the incidents whose text is not to be printed (again). */
void cli_early_mark(const struct cli_early *e, struct snag_incidents *incidents);

#endif
