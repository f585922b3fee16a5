/* SPDX-License-Identifier: Apache-2.0
 *
 * task_explored.h - the findings of an exploration in the form that the report prints
 */
#ifndef SNAG_CLI_TASK_EXPLORED_H
#define SNAG_CLI_TASK_EXPLORED_H

#include "lang/explore.h"
#include "report/tasks/task_report.h"

/* Borrows words from `from`, which must outlive *ret_to. */
void cli_task_explored(const struct snag_program *program, const struct snag_explored *from,
		       struct snag_task_explored *ret_to);
void cli_task_explored_done(struct snag_task_explored *x); /* accepts a zeroed one */

#endif
