/* SPDX-License-Identifier: Apache-2.0
 *
 * report_file.c - what `snag run --json FILE` reported, read back
 */
#include "cli/report_file.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_report_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

const json_t *cli_report_frame(const json_t *stack)
{
	size_t i;
	json_t *frame;
	json_array_foreach(stack, i, frame) if (json_object_get(frame, "file")) return frame;
	return NULL;
}

/* "read at report.c:24 in reporter" */
static void place_text(const json_t *frame, const char *what, char *buf, size_t room)
{
	const char *file = cli_report_text(frame, "file"), *slash = strrchr(file, '/');
	snprintf(buf, room, "%.50s at %.300s:%d in %.500s", what, slash ? slash + 1 : file,
		 (int)json_integer_value(json_object_get(frame, "line")),
		 cli_report_text(frame, "function"));
}

/* The words of a kind; mistakes have a title of their own. */
static const char *kind_text(const json_t *incident)
{
	static const char *const words[][2] = {{"race", "data race"},
					       {"atomicity", "atomicity violation"},
					       {"use-after-free", "use after free"},
					       {"double-free", "double free"}};
	const char *kind = cli_report_text(incident, "kind"),
		   *title = cli_report_text(incident, "title");
	if (*title)
		return title;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], kind) == 0)
			return words[i][1];
	return kind;
}

/* "read at a.c:1 in f, and write at b.c:2 in g"; of three accesses, the second is between the
 * others. */
static void accesses_text(const json_t *accesses, char *buf, size_t room)
{
	char place[3][1024];
	size_t n = json_array_size(accesses);
	for (size_t i = 0; i < n; i++) {
		const json_t *access = json_array_get(accesses, i);
		place_text(cli_report_frame(json_object_get(access, "stack")),
			   cli_report_text(access, "operation"), place[i], sizeof(place[i]));
	}
	if (n == 2)
		snprintf(buf, room, ": %s, and %s", place[1], place[0]);
	else
		snprintf(buf, room, ": %s, between %s and %s", place[1], place[0], place[2]);
}

static void text_make(const json_t *incident, char *buf, size_t room)
{
	const json_t *accesses = json_object_get(incident, "accesses"), *things;
	const char *verdict = cli_report_text(incident, "verdict"),
		   *summary = cli_report_text(incident, "summary"),
		   *variable = cli_report_text(incident, "called");
	if (!*variable)
		variable = cli_report_text(incident, "variable");
	size_t n =
		(size_t)snprintf(buf, room, "%.100s%s%.100s%s%s%.400s%s%.400s", kind_text(incident),
				 *verdict ? " (" : "", verdict, *verdict ? ")" : "",
				 *variable ? " on " : "", variable, *summary ? ": " : "", summary);
	things = json_object_get(incident, "locks");
	for (size_t i = 0; i < json_array_size(things) && n + 200 < room; i++)
		n += (size_t)snprintf(buf + n, room - n, "%s%.150s", i ? ", " : " on ",
				      json_string_value(json_array_get(things, i)));
	if (json_array_size(accesses) == 2 || json_array_size(accesses) == 3)
		accesses_text(accesses, buf + n, room - n);
	if (buf[0] >= 'a' && buf[0] <= 'z')
		buf[0] = (char)(buf[0] - 'a' + 'A');
}

/* The stack of the main location: of the second access, of the first thread that waits. */
static const json_t *main_stack(const json_t *incident)
{
	const json_t *accesses = json_object_get(incident, "accesses");
	const json_t *waits = json_object_get(incident, "waits");
	const json_t *of = json_array_size(accesses) ? json_array_get(accesses, 1)
			   : json_array_size(waits)  ? json_array_get(waits, 0)
						     : incident;
	return json_object_get(of, "stack");
}

static void entry_make(struct cli_report_entry *e, const json_t *incident)
{
	const json_t *frame = cli_report_frame(main_stack(incident));
	const char *id = json_string_value(json_object_get(incident, "id"));
	const char *kind = cli_report_text(incident, "kind");
	char text[6000];
	text_make(incident, text, sizeof(text));
	*e = (struct cli_report_entry){
		.id = id ? snag_strdup(id) : NULL,
		.kind = snag_strdup(*kind ? kind : "race"),
		.verdict = snag_strdup(cli_report_text(incident, "verdict")),
		.text = snag_strdup(text),
		.file = frame ? snag_strdup(cli_report_text(frame, "file")) : NULL,
		.line = (unsigned)json_integer_value(json_object_get(frame, "line")),
		.column = (unsigned)json_integer_value(json_object_get(frame, "column")),
		.is_suppressed = json_is_true(json_object_get(incident, "suppressed")),
		.incident = incident};
}

int cli_report_file_read(const char *path, struct cli_report_file *ret, struct snag_error *err)
{
	struct cli_report_file f = {0};
	json_error_t where;
	size_t i;
	json_t *incident;
	f.root = json_load_file(path, 0, &where);
	if (!f.root && where.line < 0)
		return snag_fail(err, SNAG_EINPUT, "%s", where.text);
	if (!f.root)
		return snag_fail(err, SNAG_EINPUT, "%s:%d: %s", path, where.line, where.text);
	const json_t *incidents = json_object_get(f.root, "incidents");
	if (!json_is_array(incidents)) {
		json_decref(f.root);
		return snag_fail(err, SNAG_EINPUT,
				 "%s: no \"incidents\"; 'snag run --json' writes them", path);
	}
	f.at = snag_calloc(json_array_size(incidents), sizeof(*f.at));
	json_array_foreach(incidents, i, incident) entry_make(&f.at[f.n++], incident);
	*ret = f;
	return 0;
}

void cli_report_ids(const struct cli_report_entry *e, void (*on_id)(void *ctx, const char *id),
		    void *ctx)
{
	const json_t *more = json_object_get(e->incident, "more");
	if (e->id)
		on_id(ctx, e->id);
	for (size_t i = 0; i < json_array_size(more); i++) {
		const char *id = cli_report_text(json_array_get(more, i), "id");
		if (*id)
			on_id(ctx, id);
	}
}

void cli_report_file_done(struct cli_report_file *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->at[i].id);
		free(f->at[i].kind);
		free(f->at[i].verdict);
		free(f->at[i].text);
		free(f->at[i].file);
	}
	free(f->at);
	json_decref(f->root);
	*f = (struct cli_report_file){0};
}
