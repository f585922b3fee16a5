/* SPDX-License-Identifier: Apache-2.0
 *
 * run_environment.c - the settings of `snag run`, from the command line, the environment and
 * the program
 */
#include "cli/run/run_environment.h"

#include "cli/run/environment.h"
#include "cli/run/run_files.h"

#include <stdlib.h>
#include <string.h>

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

/* Returns whether a value means 0, also in ThreadSanitizer's words. */
static bool is_off(const char *value)
{
	return strcmp(value, "true") != 0 && strcmp(value, "yes") != 0 &&
	       strtol(value, NULL, 10) == 0;
}

/* With report_bugs=0, snag reports nothing. */
static int bugs_hide(struct snag_suppressions *suppressions, struct snag_error *err)
{
	char value[16];
	if (!cli_environment_option("report_bugs", true, value, sizeof(value)) || !is_off(value))
		return 0;
	return cli_suppressions_own("race:*\ndeadlock:*\nmutex:*\nthread:*\nsignal:*\n",
				    suppressions, err);
}

int cli_run_program_options_take(struct cli_run_values *v, struct cli_run_environment *e,
				 const struct snag_live_end *end,
				 struct snag_suppressions *suppressions, struct snag_error *err)
{
	bool has_suppressions = v->suppressions != NULL;
	cli_environment_defaults(end->defaults[RT_DEFAULT_OPTIONS]);
	cli_run_environment_take(v, e);
	int rc = bugs_hide(suppressions, err);
	cli_environment_defaults(NULL);
	if (rc == 0 && !has_suppressions)
		rc = cli_suppressions_read(v->suppressions, suppressions, err);
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
	char value[16];
	return !cli_environment_option("detect_deadlocks", true, value, sizeof(value)) ||
	       !is_off(value);
}
