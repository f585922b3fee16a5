/* SPDX-License-Identifier: Apache-2.0
 *
 * run_outputs.c - the places that a report of `snag run` goes to
 */
#include "cli/run/run_outputs.h"

#include "cli/run/run_report.h"
#include "cli/writing.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 6 };

static void files_list(const struct cli_run_values *v, const char *ret_file[FILES])
{
	const char *const file[FILES] = {v->json,  v->sarif, v->html,
					 v->junit, v->dot,   v->gen_suppressions};
	memcpy(ret_file, file, sizeof(file));
}

bool cli_run_has_outputs(const struct cli_run_values *v)
{
	const char *file[FILES];
	files_list(v, file);
	for (size_t i = 0; i < FILES; i++)
		if (file[i])
			return true;
	return false;
}

int cli_run_outputs_probe(const struct cli_run_values *v, struct snag_error *err)
{
	const char *file[FILES];
	int rc = 0;
	files_list(v, file);
	for (size_t i = 0; i < FILES && rc == 0; i++)
		rc = file[i] ? cli_output_probe(file[i], err) : 0;
	return rc;
}

/* As ThreadSanitizer does, makes a file of log_path only for a report that has something to say. */
int cli_run_text_write(const struct cli_run_values *v, const struct snag_incident_report *r,
		       struct snag_error *err)
{
	char path[PATH_MAX] = "/dev/stderr";
	struct snag_incident_report shown = *r;
	int fd = STDERR_FILENO;
	const bool says_something = snag_incidents_reported(r) || r->crash;
	if (v->is_quiet && !says_something)
		return 0;
	if (v->log_path && strcmp(v->log_path, "stdout") == 0) {
		snprintf(path, sizeof(path), "/dev/stdout");
		fd = STDOUT_FILENO;
	} else if (v->log_path && strcmp(v->log_path, "stderr") != 0 && says_something) {
		snprintf(path, sizeof(path), "%s.%d", v->log_path, r->pid);
		fd = -1;
	}
	shown.has_colour = v->colour == CLI_COLOUR_ALWAYS ||
			   (v->colour == CLI_COLOUR_AUTO && cli_want_colour(fd));
	return cli_run_report_print(snag_incidents_text, &shown, path, err);
}

int cli_run_outputs_write(const struct cli_run_values *v, const struct snag_incident_report *r,
			  struct snag_error *err)
{
	int rc = cli_run_report_print(snag_incidents_json, r, v->json, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_sarif, r, v->sarif, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_html, r, v->html, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_junit, r, v->junit, err);
	if (rc == 0)
		rc = cli_run_report_print(snag_incidents_suppressions, r, v->gen_suppressions, err);
	if (rc == 0)
		rc = cli_run_text_write(v, r, err);
	return rc;
}
