/* SPDX-License-Identifier: Apache-2.0
 *
 * task_explore.h - what `snag task --explore` prints
 */
#ifndef SNAG_CLI_TASK_EXPLORE_H
#define SNAG_CLI_TASK_EXPLORE_H

#include "lang/explore.h"
#include "report/json_writer.h"

/* The member "explore" of the JSON object. */
void cli_explore_json(const struct snag_explored *x, const struct snag_program *program,
		      struct snag_json *j);
/* A section of the text report. */
void cli_explore_text(const struct snag_explored *x, const struct snag_program *program,
		      struct snag_printer *to);

#endif
