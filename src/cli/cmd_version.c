/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_version.c - `snag version`, also `snag --version`
 */
#include "cli/command.h"
#include "commit.h"
#include "report/printer.h"
#include "version.h"

static int version_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	snag_print(&to, "snag " SNAG_VERSION " (commit " SNAG_COMMIT ")\n");
	return snag_printer_commit(&to, err);
}

const struct cli_command cli_command_version = {
	.name = "version",
	.summary = "print the version and the commit",
	.operands = "",
	.about = "Prints \"snag\", the version, and the commit it was built from; \"unknown\" if "
		 "it was not\n"
		 "built from a git checkout.\n",
	.run = version_run,
};
