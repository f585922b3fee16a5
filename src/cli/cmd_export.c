/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_export.c - `snag export`: reports of runs in the formats of code hosts
 *
 * It reads what `snag run --json` wrote, of one run or of many: a report with an id that came
 * before is left out.  Suppressed reports are left out, too.
 */
#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/export.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export_values {
	int to;
	const char *output;
	const char *prefix;
};

static const struct export_values export_defaults = {.output = "-"};

#define FIELD(name) offsetof(struct export_values, name)
static const struct cli_option export_options[] = {
	{.name = "to",
	 .kind = CLI_CHOICE,
	 .value = "gitlab|github|codechecker|suppressions",
	 .offset = FIELD(to),
	 .help = "the format; default: gitlab"},
	CLI_OPTION_OUTPUT(FIELD(output), "FILE", "write to FILE; default: standard output"),
	{.name = "strip-path-prefix",
	 .kind = CLI_TEXT,
	 .value = "PATH",
	 .offset = FIELD(prefix),
	 .help = "leave PATH out of file names; default: this folder"},
	{0},
};
#undef FIELD

static bool is_known(const struct cli_exported *x, const struct cli_report_entry *e)
{
	for (size_t i = 0; i < x->n && e->id; i++)
		if (x->at[i]->id && strcmp(x->at[i]->id, e->id) == 0)
			return true;
	return false;
}

static int print(const struct export_values *v, const struct cli_exported *x,
		 struct snag_error *err)
{
	static void (*const printer[])(const struct cli_exported *, struct snag_printer *) = {
		cli_export_gitlab, cli_export_github, cli_export_codechecker,
		cli_export_suppressions};
	struct snag_printer to;
	int rc = snag_printer_open(&to, v->output, err);
	if (rc < 0)
		return rc;
	printer[v->to](x, &to);
	return snag_printer_commit(&to, err);
}

static int export_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct export_values *v = values;
	size_t nfiles = 0, room = 0;
	while (operand[nfiles])
		nfiles++;
	struct cli_report_file *file = snag_calloc(nfiles, sizeof(*file));
	char here[4096] = "";
	struct cli_exported x = {.prefix = v->prefix};
	if (!x.prefix && getcwd(here, sizeof(here) - 1)) {
		strcat(here, "/");
		x.prefix = here;
	}
	int rc = 0;
	for (size_t i = 0; i < nfiles && rc == 0; i++)
		rc = cli_report_file_read(operand[i], &file[i], err);
	for (size_t i = 0; i < nfiles && rc == 0; i++)
		for (size_t k = 0; k < file[i].n; k++) {
			struct cli_report_entry *e = &file[i].at[k];
			if (e->is_suppressed || is_known(&x, e))
				continue;
			x.at = snag_grow(x.at, &room, x.n + 1, sizeof(struct cli_report_entry *));
			x.at[x.n++] = e;
		}
	if (rc == 0)
		rc = print(v, &x, err);
	free(x.at);
	for (size_t i = 0; i < nfiles; i++)
		if (file[i].root)
			cli_report_file_done(&file[i]);
	free(file);
	return rc;
}

const struct cli_command cli_command_export = {
	.name = "export",
	.summary = "write reports in the format of a code host",
	.operands = "REPORT.json...",
	.min_operands = 1,
	.max_operands = 100000,
	.offer = CLI_OFFER_FILES,
	.options = export_options,
	.about = "Reads files of 'snag run --json' and writes their reports, each once, as GitLab\n"
		 "code quality, GitHub annotations, a plist for CodeChecker, or suppressions.\n",
	.defaults = &export_defaults,
	.values_size = sizeof(struct export_values),
	.run = export_run,
};
