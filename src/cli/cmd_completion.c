/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_completion.c - `snag completion bash|zsh`
 */
#include "cli/completion.h"
#include "detect/detector.h"

#include <string.h>

void completion_commands(struct snag_printer *to)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->hidden)
			snag_printf(to, "%s%s", i ? " " : "", cli_commands[i]->name);
}

void completion_detectors(struct snag_printer *to, enum cli_offer offer)
{
	uint32_t of = offer == CLI_OFFER_TASK_DETECTORS ? SNAG_OPS_OF_TASKS : UINT32_MAX;
	snag_print(to, "all");
	for (size_t i = 0; snag_detectors[i]; i++)
		if (snag_detectors[i]->ops & of)
			snag_printf(to, " %s", snag_detectors[i]->name);
}

void completion_choices(struct snag_printer *to, const char *words)
{
	for (; *words; words++)
		snag_printf(to, "%c", *words == '|' ? ' ' : *words);
}

static int completion_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct snag_printer to;
	bool for_bash = strcmp(operand[0], "bash") == 0;
	if (!for_bash && strcmp(operand[0], "zsh") != 0)
		return snag_fail(err, SNAG_EINPUT, "unknown shell '%s': expected bash or zsh",
				 operand[0]);
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	if (for_bash)
		completion_bash(&to);
	else
		completion_zsh(&to);
	return snag_printer_commit(&to, err);
}

const struct cli_command cli_command_completion = {
	.name = "completion",
	.summary = "print the completion script of a shell",
	.operands = "bash|zsh",
	.min_operands = 1,
	.max_operands = 1,
	.about = "Prints the script that lets the shell complete snag's command line.\n",
	.hidden = true,
	.run = completion_run,
};
