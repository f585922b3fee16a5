/* SPDX-License-Identifier: Apache-2.0
 *
 * task_trace.h - the steps of a detector as a table: `snag task --trace`
 */
#ifndef SNAG_CLI_TASK_TRACE_H
#define SNAG_CLI_TASK_TRACE_H

#include "detect/analyze/analyze.h"
#include "report/printer.h"
#include "trace/names.h"

struct cli_task_trace {
	struct snag_table rows;
	const struct snag_names *names;
	char **cell; /* row after row; the first row has the names of the columns */
	size_t ncells, cap, ncolumns, nleft_out;
};

/* Makes the detector of the options write its rows.  Fails if there are several detectors, or if
 * the detector has no rows. */
int cli_task_trace_begin(struct cli_task_trace *t, const struct snag_names *names,
			 struct snag_analyze_options *options, struct snag_error *err);
void cli_task_trace_print(const struct cli_task_trace *t, struct snag_printer *to);
void cli_task_trace_done(struct cli_task_trace *t); /* accepts a zeroed one */

#endif
