/* SPDX-License-Identifier: Apache-2.0
 *
 * early.h - races that `snag run` prints while the program still runs
 *
 * Idea.   A server runs for days, and a supervisor may kill it together with the tool.  So observed
 *         races must not wait for its end.  The scout (scout/scout.h) notices two accesses that
 *         happens-before does not order.  Then the tool forks.  The copy treats the run as if it
 *         ended here, analyses it with `hb` and `mixed`, and prints the races that are new.  The
 *         tool waits for the copy, remembers what it printed, and goes on.
 *
 * Rules.  [when]     not in the first second, and not before ten times as long has passed as the
 *                    last look took: looks take at most a tenth of the time
 *         [printed]  the text of the final report leaves out what was printed.  All other outputs
 *                    have everything
 *         [log]      the file of log_path is written as a whole each time, and has everything
 *         [halt]     with halt_on_error the tool looks at once; after the first report the program
 *                    ends, and the text has no other report
 *         [scout]    without a scout (--keep, --with of other detectors, tasks) there are no looks
 * Guarantee. A race that is printed early is also in the final report, with the same pair of lines.
 */
#ifndef SNAG_CLI_EARLY_H
#define SNAG_CLI_EARLY_H

#include "cli/run/observe.h"
#include "cli/run/run_environment.h"
#include "cli/run/run_files.h"
#include "report/incident/incident.h"

struct cli_early;

/* The caller keeps all of these longer than the struct cli_early. */
struct cli_early_options {
	const struct cli_run_values *v;
	char *const *argv;
	const struct cli_place *place;
	struct snag_suppressions *suppressions;
	const struct cli_observed *observed; /* the program, which still runs */
};
struct cli_early *cli_early_new(const struct cli_early_options *options);
void cli_early_free(struct cli_early *e); /* accepts NULL */

/* [when] Forks a copy that analyses the run so far, if it is time.  To be called as
 *        snag_live_options.on_records. */
void cli_early_look(void *early);

/* Whether the program was ended because of a report. */
bool cli_early_has_halted(const struct cli_early *e);
/* [printed] [halt] Marks the incidents whose text is not to be printed (again). */
void cli_early_mark(const struct cli_early *e, struct snag_incidents *incidents);

#endif
