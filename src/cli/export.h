/* SPDX-License-Identifier: Apache-2.0
 *
 * export.h - reports of runs in the formats of code hosts (cmd_export.c)
 */
#ifndef SNAG_CLI_EXPORT_H
#define SNAG_CLI_EXPORT_H

#include "cli/report_file.h"
#include "report/printer.h"

struct cli_exported {
	struct cli_report_entry **at; /* no two with the same id, and no suppressed ones */
	size_t n;
	const char *prefix; /* to leave out of file names; NULL: none */
};

/* GitLab's code quality report: an array of issues. */
void cli_export_gitlab(const struct cli_exported *x, struct snag_printer *to);
/* Workflow commands of GitHub Actions: `::error file=...,line=...::text`. */
void cli_export_github(const struct cli_exported *x, struct snag_printer *to);
/* A plist as clang's analyzer writes it, which `CodeChecker store` reads. */
void cli_export_codechecker(const struct cli_exported *x, struct snag_printer *to);
/* A file for --suppressions: see report/incident/suppress.h. */
void cli_export_suppressions(const struct cli_exported *x, struct snag_printer *to);

#endif
