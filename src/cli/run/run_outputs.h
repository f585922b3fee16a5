/* SPDX-License-Identifier: Apache-2.0
 *
 * run_outputs.h - the places that a report of `snag run` goes to
 */
#ifndef SNAG_CLI_RUN_OUTPUTS_H
#define SNAG_CLI_RUN_OUTPUTS_H

#include "cli/run/run_environment.h"
#include "report/incident/incident.h"

/* Returns whether a report goes to a file. Such a report needs a recorded run. */
bool cli_run_has_outputs(const struct cli_run_values *v);
/* Checks before the program runs that each file can be written. */
int cli_run_outputs_probe(const struct cli_run_values *v, struct snag_error *err);
/* Writes the text alone, to standard error or to the file of log_path. */
int cli_run_text_write(const struct cli_run_values *v, const struct snag_incident_report *r,
		       struct snag_error *err);
/* Writes the files, and the text to standard error or to the file of log_path. */
int cli_run_outputs_write(const struct cli_run_values *v, const struct snag_incident_report *r,
			  struct snag_error *err);

#endif
