/* SPDX-License-Identifier: Apache-2.0
 *
 * export_codechecker.c - reports as a plist of clang's analyzer, which `CodeChecker store` reads
 *
 * A diagnostic has the id as its hash, so that CodeChecker knows it again when lines move.  Its
 * path leads over the other accesses, the other threads that wait, or what came before a mistake,
 * to the main location.  Files are numbers: the list of files comes first.  Entries without a
 * source file are left out.
 */
#include "cli/export.h"

#include "base/memory.h"
#include "report/utf8.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct files {
	const char **at;
	size_t n, cap;
};

/* Returns the number of a file, which may be new. */
static size_t file_number(struct files *f, const char *file)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->at[i], file) == 0)
			return i;
	f->at = snag_grow(f->at, &f->cap, f->n + 1, sizeof(*f->at));
	f->at[f->n] = file;
	return f->n++;
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

static void string(struct snag_printer *to, const char *key, const char *value)
{
	snag_printf(to, "<key>%s</key><string>", key);
	xml_text(to, value);
	snag_print(to, "</string>\n");
}

/* Lines and columns begin with 1; 0 stands for unknown ones. */
static void location(struct files *f, const char *file, unsigned line, unsigned column,
		     struct snag_printer *to)
{
	snag_printf(to,
		    "<key>location</key><dict><key>line</key><integer>%u</integer><key>col</key>"
		    "<integer>%u</integer><key>file</key><integer>%zu</integer></dict>\n",
		    line ? line : 1, column ? column : 1, file_number(f, file));
}

static void event(struct files *f, const char *file, unsigned line, unsigned column,
		  const char *message, struct snag_printer *to)
{
	snag_print(to, "<dict>\n");
	string(to, "kind", "event");
	location(f, file, line, column, to);
	snag_print(to, "<key>depth</key><integer>0</integer>\n");
	string(to, "message", message);
	snag_print(to, "</dict>\n");
}

static unsigned number(const json_t *object, const char *key)
{
	return (unsigned)json_integer_value(json_object_get(object, key));
}

/* Returns the frame, and the words, of what comes before the main location: access or wait `i`, or
 * what came before a mistake.  Returns NULL if it has no source file, or does not exist. */
static const json_t *step(const struct cli_report_entry *e, size_t i, char *words, size_t room)
{
	const json_t *accesses = json_object_get(e->incident, "accesses");
	const json_t *waits = json_object_get(e->incident, "waits");
	const json_t *before = json_object_get(e->incident, "before"), *of;
	if (json_array_size(accesses)) {
		of = json_array_get(accesses, i ? i + 1 : 0); /* [1] is the main one */
		snprintf(words, room, "%.100s of %.300s by %.100s",
			 cli_report_text(of, "operation"), cli_report_text(e->incident, "variable"),
			 cli_report_text(of, "thread"));
	} else if (before) {
		of = i ? NULL : before;
		snprintf(words, room, "%.100s by %.100s", cli_report_text(of, "act"),
			 cli_report_text(of, "thread"));
	} else {
		of = json_array_get(waits, i + 1);
		const char *target = cli_report_text(of, "waits_for");
		snprintf(words, room, "%.100s waits for %.300s", cli_report_text(of, "thread"),
			 *target ? target : cli_report_text(of, "waits_for_thread"));
	}
	return cli_report_frame(json_object_get(of, "stack"));
}

static void path(struct files *f, const struct cli_report_entry *e, struct snag_printer *to)
{
	char words[600];
	const json_t *frame;
	snag_print(to, "<key>path</key><array>\n");
	for (size_t i = 0; (frame = step(e, i, words, sizeof(words))) != NULL; i++)
		event(f, cli_report_text(frame, "file"), number(frame, "line"),
		      number(frame, "column"), words, to);
	event(f, e->file, e->line, e->column, e->text, to);
	snag_print(to, "</array>\n");
}

static void diagnostic(struct files *f, const struct cli_report_entry *e, struct snag_printer *to)
{
	char check[200];
	snprintf(check, sizeof(check), "snag.%.100s.%.50s", e->kind,
		 *e->verdict ? e->verdict : "found");
	snag_print(to, "<dict>\n");
	string(to, "check_name", check);
	string(to, "category", "concurrency");
	string(to, "type", e->kind);
	string(to, "description", e->text);
	string(to, "issue_hash_content_of_line_in_context", e->id ? e->id : e->text);
	location(f, e->file, e->line, e->column, to);
	path(f, e, to);
	snag_print(to, "</dict>\n");
}

static void files_find(const struct cli_exported *x, struct files *f)
{
	char words[600];
	const json_t *frame;
	for (size_t i = 0; i < x->n; i++) {
		const struct cli_report_entry *e = x->at[i];
		if (!e->file)
			continue;
		file_number(f, e->file);
		for (size_t k = 0; (frame = step(e, k, words, sizeof(words))) != NULL; k++)
			file_number(f, cli_report_text(frame, "file"));
	}
}

void cli_export_codechecker(const struct cli_exported *x, struct snag_printer *to)
{
	struct files f = {0};
	files_find(x, &f);
	snag_print(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<!DOCTYPE plist PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" "
		       "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
		       "<plist version=\"1.0\">\n<dict>\n<key>files</key>\n<array>\n");
	for (size_t i = 0; i < f.n; i++) {
		snag_print(to, "<string>");
		xml_text(to, f.at[i]);
		snag_print(to, "</string>\n");
	}
	snag_print(to, "</array>\n<key>diagnostics</key>\n<array>\n");
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i]->file)
			diagnostic(&f, x->at[i], to);
	snag_print(to, "</array>\n<key>metadata</key><dict><key>analyzer</key><dict>\n");
	string(to, "name", "snag");
	snag_print(to, "</dict>\n<key>generated_by</key><dict>\n");
	string(to, "name", "snag");
	string(to, "version", SNAG_VERSION);
	snag_print(to, "</dict></dict>\n</dict>\n</plist>\n");
	free(f.at);
}
