/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_version.c - `snag version`, also `snag --version`
 */
#include "cli/command.h"
#include "report/printer.h"
#include "version.h"

static int version_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	snag_print(&to, "snag " SNAG_VERSION "\n");
	return snag_printer_commit(&to, err);
}

const struct cli_command cli_command_version = {
	.name = "version",
	.summary = "print the version",
	.operands = "",
	.about = "Prints \"snag\" and the version.\n",
	.run = version_run,
};
