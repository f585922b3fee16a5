/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c - reports of runs in the formats of code hosts (cmd_export.c)
 */
#include "cli/export.h"

#include "report/json_writer.h"
#include "report/incident/suppress_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const struct cli_exported *x, const char *file)
{
	size_t n = x->prefix ? strlen(x->prefix) : 0;
	return n && strncmp(file, x->prefix, n) == 0 ? file + n : file;
}

/* Returns the word of a format for the certainty of a race: a run has shown it, it is possible, or
 * the replay did not reach it. */
static const char *by_verdict(const struct cli_report_entry *e, const char *sure,
			      const char *possible, const char *unlikely)
{
	if (strcmp(e->verdict, "unverified") == 0)
		return possible;
	return strcmp(e->verdict, "unconfirmed") == 0 ? unlikely : sure;
}

void cli_export_gitlab(const struct cli_exported *x, struct snag_printer *to)
{
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_array(&j, NULL);
	for (size_t i = 0; i < x->n; i++) {
		const struct cli_report_entry *e = x->at[i];
		snag_json_newline(&j);
		snag_json_object(&j, NULL);
		snag_json_string(&j, "description", e->text);
		snag_json_string(&j, "check_name", e->kind);
		snag_json_string(&j, "fingerprint", e->id ? e->id : e->text);
		snag_json_string(&j, "severity", by_verdict(e, "critical", "minor", "info"));
		snag_json_object(&j, "location");
		snag_json_string(&j, "path", e->file ? file_of(x, e->file) : "");
		snag_json_object(&j, "lines");
		snag_json_uint(&j, "begin", e->line ? e->line : 1);
		snag_json_end(&j);
		snag_json_end(&j);
		snag_json_end(&j);
	}
	snag_json_end(&j);
}

/* Text of a workflow command; in properties more bytes are special. */
static void github_text(struct snag_printer *to, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s))
			snag_printf(to, "%%%02X", (unsigned char)*s);
		else
			snag_print_bytes(to, s, 1);
	}
}

void cli_export_github(const struct cli_exported *x, struct snag_printer *to)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct cli_report_entry *e = x->at[i];
		snag_printf(to, "::%s ", by_verdict(e, "error", "warning", "notice"));
		if (e->file) {
			snag_print(to, "file=");
			github_text(to, file_of(x, e->file), "%\r\n:,");
			snag_printf(to, ",line=%u,", e->line ? e->line : 1);
		}
		if (e->column)
			snag_printf(to, "col=%u,", e->column);
		snag_print(to, "title=snag ");
		github_text(to, e->kind, "%\r\n:,");
		snag_print(to, "::");
		github_text(to, e->text, "%\r\n");
		if (e->id)
			snag_printf(to, " (%s)", e->id);
		snag_print(to, "\n");
	}
}

void cli_export_suppressions(const struct cli_exported *x, struct snag_printer *to)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i]->id)
			snag_terms_print(to, x->at[i]->text, x->at[i]->id);
}
