/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_help.c - `snag help`
 */
#include "cli/command.h"
#include "cli/help.h"

static int help_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct cli_command *command = NULL;
	if (operand[0]) {
		command = cli_command_find(operand[0], err);
		if (!command)
			return err->code;
	}
	return cli_help_show(command, err);
}

const struct cli_command cli_command_help = {
	.name = "help",
	.summary = "explain a command",
	.operands = "[COMMAND]",
	.max_operands = 1,
	.offer = CLI_OFFER_COMMANDS,
	.about = "Without a command: lists all.\n",
	.run = help_run,
};
