/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c - reports of runs in the formats of code hosts
 */
#include "cli/export.h"

#include "base/memory.h"
#include "report/json_writer.h"
#include "report/suppress_terms.h"
#include "report/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const struct cli_exported *x, const char *file)
{
	size_t n = x->prefix ? strlen(x->prefix) : 0;
	return n && strncmp(file, x->prefix, n) == 0 ? file + n : file;
}

/* How sure it is, in the words of a format: for races that a run shows, for possible ones, and for
 * those that the program did not follow. */
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

static void xml_text(struct snag_printer *to, const char *s)
{
	while (*s) {
		size_t n = snag_utf8_char(s);
		if (!n || snag_utf8_is_control(s, n))
			snag_print(to, "?");
		else if (strchr("&<>", *s))
			snag_printf(to, "&#%d;", *s);
		else
			snag_print_bytes(to, s, n);
		s += n ? n : 1;
	}
}

static void plist_string(struct snag_printer *to, const char *key, const char *value)
{
	snag_printf(to, "<key>%s</key><string>", key);
	xml_text(to, value);
	snag_print(to, "</string>\n");
}

/* The number of a file among those of the plist, which are the files of the entries. */
static size_t file_number(const struct cli_exported *x, const char *file)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n; i++) {
		bool is_first = x->at[i]->file != NULL;
		for (size_t k = 0; k < i && is_first; k++)
			is_first = !x->at[k]->file || strcmp(x->at[k]->file, x->at[i]->file) != 0;
		if (!is_first)
			continue;
		if (strcmp(x->at[i]->file, file) == 0)
			return n;
		n++;
	}
	return n;
}

static void plist_location(const struct cli_exported *x, const struct cli_report_entry *e,
			   struct snag_printer *to)
{
	snag_printf(to,
		    "<key>location</key><dict><key>line</key><integer>%u</integer><key>col</key>"
		    "<integer>%u</integer><key>file</key><integer>%zu</integer></dict>\n",
		    e->line ? e->line : 1, e->column ? e->column : 1, file_number(x, e->file));
}

void cli_export_codechecker(const struct cli_exported *x, struct snag_printer *to)
{
	size_t next = 0;
	snag_print(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<!DOCTYPE plist PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" "
		       "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
		       "<plist version=\"1.0\">\n<dict>\n<key>files</key>\n<array>\n");
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i]->file && file_number(x, x->at[i]->file) == next) {
			snag_print(to, "<string>");
			xml_text(to, x->at[i]->file);
			snag_print(to, "</string>\n");
			next++;
		}
	snag_print(to, "</array>\n<key>diagnostics</key>\n<array>\n");
	for (size_t i = 0; i < x->n; i++) {
		const struct cli_report_entry *e = x->at[i];
		char check[200];
		if (!e->file)
			continue;
		snprintf(check, sizeof(check), "snag.%.100s.%.50s", e->kind,
			 *e->verdict ? e->verdict : "found");
		snag_print(to, "<dict>\n");
		plist_string(to, "check_name", check);
		plist_string(to, "category", "concurrency");
		plist_string(to, "type", e->kind);
		plist_string(to, "description", e->text);
		plist_string(to, "issue_hash_content_of_line_in_context", e->id ? e->id : e->text);
		plist_location(x, e, to);
		snag_print(to, "<key>path</key><array><dict>\n");
		plist_string(to, "kind", "event");
		plist_location(x, e, to);
		snag_print(to, "<key>depth</key><integer>0</integer>\n");
		plist_string(to, "message", e->text);
		snag_print(to, "</dict></array>\n</dict>\n");
	}
	snag_print(to, "</array>\n</dict>\n</plist>\n");
}

void cli_export_suppressions(const struct cli_exported *x, struct snag_printer *to)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i]->id)
			snag_terms_print(to, x->at[i]->text, x->at[i]->id);
}
