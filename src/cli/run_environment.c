/* SPDX-License-Identifier: Apache-2.0
 *
 * run_environment.c - the settings of `snag run`, from the command line, the environment and
 * the program
 */
#include "cli/run_environment.h"

#include "cli/environment.h"
#include "cli/run_files.h"

#include <stdlib.h>

void cli_run_environment_take(struct cli_run_values *v, struct cli_run_environment *e)
{
	char number[16];
	if (!v->suppressions)
		v->suppressions = cli_environment_option("suppressions", true, e->suppressions,
							 sizeof(e->suppressions));
	if (!v->strip_path_prefix)
		v->strip_path_prefix =
			cli_environment_option("strip_path_prefix", true, e->strip_path_prefix,
					       sizeof(e->strip_path_prefix));
	v->log_path = cli_environment_option("log_path", true, e->log_path, sizeof(e->log_path));
	if (v->exitcode_is_default &&
	    cli_environment_option("exitcode", true, number, sizeof(number)))
		v->exitcode = strtoul(number, NULL, 10) & 255;
	if (cli_environment_option("free", false, number, sizeof(number)))
		v->free |= strtol(number, NULL, 10) != 0;
}

int cli_run_program_says(struct cli_run_values *v, struct cli_run_environment *e,
			 const struct snag_live_end *end, struct snag_suppressions *suppressions,
			 struct snag_error *err)
{
	bool has_suppressions = v->suppressions != NULL;
	cli_environment_defaults(end->defaults[RT_DEFAULT_OPTIONS]);
	cli_run_environment_take(v, e);
	cli_environment_defaults(NULL);
	int rc = has_suppressions ? 0 : cli_suppressions_read(v->suppressions, suppressions, err);
	return rc < 0 ? rc
		      : cli_suppressions_own(end->defaults[RT_DEFAULT_SUPPRESSIONS], suppressions,
					     err);
}

bool cli_run_is_verbose(void)
{
	char number[16];
	return cli_environment_option("verbosity", true, number, sizeof(number)) &&
	       strtol(number, NULL, 10) > 0;
}

bool cli_run_wants_deadlocks(void)
{
	char number[16];
	return !cli_environment_option("detect_deadlocks", true, number, sizeof(number)) ||
	       strtol(number, NULL, 10) != 0;
}
