/* SPDX-License-Identifier: Apache-2.0
 *
 * help.h - help texts, made from the tables of the commands
 */
#ifndef SNAG_CLI_HELP_H
#define SNAG_CLI_HELP_H

#include "cli/command.h"
#include "report/printer.h"

void cli_help_all(struct snag_printer *to); /* `snag help` */
void cli_help_command(const struct cli_command *command,
		      struct snag_printer *to); /* `snag help CMD` */

/* Opens standard output, prints by the functions above (NULL: all) and closes it. */
int cli_help_show(const struct cli_command *command, struct snag_error *err);

#endif
