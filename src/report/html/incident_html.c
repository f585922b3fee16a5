/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_html.c - the report of a run as one page: `snag run --html`
 *
 * The page needs no other file and no network: html/page.html with @@STYLE@@, @@SCRIPT@@ and
 * @@DATA@@ replaced.  The data is the object of page.h.  Names come from the program and may
 * contain anything: the JSON has no '<', so that nothing in it ends the script element, and the
 * script of the page never makes HTML of text.
 */
#include "report/incident/incident.h"

#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_misuse.h"
#include "report/incident/incident_parts.h"
#include "report/html/page.h"
#include "report/utf8.h"
#include "report_page.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static void html_text(struct snag_printer *to, const char *s)
{
	while (*s) {
		size_t n = snag_utf8_char(s);
		if (!n || snag_utf8_is_control(s, n))
			snag_print(to, "?");
		else if (strchr("&<>\"'", *s))
			snag_printf(to, "&#%d;", *s);
		else
			snag_print_bytes(to, s, n);
		s += n ? n : 1;
	}
}

/* The object that the variable of a race lies in. */
static void object(struct snag_json *j, const struct snag_incident_report *r,
		   const struct snag_race *race, struct snag_page_lines *lines)
{
	static const char *const kind[] = {[SNAG_OBJECT_GLOBAL] = "global",
					   [SNAG_OBJECT_HEAP] = "heap",
					   [SNAG_OBJECT_STACK] = "stack",
					   [SNAG_OBJECT_OTHER] = "other"};
	const struct snag_names *names = r->report->names;
	struct snag_object_name o =
		snag_object_name(snag_name(names, SNAG_SPACE_VARIABLE, race->second.target));
	struct snag_callstack s;
	snag_json_object(j, "object");
	snag_json_string(j, "kind", kind[o.kind]);
	if (o.kind == SNAG_OBJECT_HEAP || o.kind == SNAG_OBJECT_STACK)
		snag_json_string(j, "thread", snag_name(names, SNAG_SPACE_THREAD, o.thread));
	if (o.kind == SNAG_OBJECT_HEAP) {
		snag_json_uint(j, "bytes", o.nbytes);
		snag_callstack_read(names, o.loc, &s);
		snag_json_stack(j, "stack", &s);
		snag_page_lines_want_stack(lines, &s);
		snag_callstack_done(&s);
	}
	snag_json_end(j);
}

static void race_extras(struct snag_json *j, const struct snag_incident_report *r, size_t i,
			struct snag_page_lines *lines)
{
	const struct snag_incident *in = &r->incidents->at[i];
	snag_json_newline(j);
	snag_json_object(j, in->id);
	if (in->proof)
		snag_json_uint(j, "steps", snag_report_witness_length(r->report, in->proof));
	if (in->proof && in->proof != in->race) { /* the schedule leads to other events */
		snag_json_array(j, "goal");
		if (in->proof->is_atomicity)
			snag_json_uint(j, NULL, in->proof->read.event);
		snag_json_uint(j, NULL, in->proof->first.event);
		snag_json_uint(j, NULL, in->proof->second.event);
		snag_json_end(j);
	}
	object(j, r, in->race, lines);
	if (r->is_tasks)
		snag_page_tasks(j, r, in->race);
	if (r->schedules)
		snag_page_schedule(j, &r->schedules->race[i]);
	snag_json_end(j);
	for (int k = 0; k < 2; k++)
		snag_page_lines_want_stack(lines, &in->stack[k]);
	snag_page_lines_want_stack(lines, &in->read);
}

static void deadlock_extras(struct snag_json *j, const struct snag_incident_report *r, size_t i,
			    struct snag_page_lines *lines)
{
	const struct snag_deadlock_incident *in = &r->incidents->deadlock[i];
	snag_json_newline(j);
	snag_json_object(j, in->id);
	snag_json_uint(j, "steps", snag_report_witness_length(r->report, &in->deadlock->proof));
	if (r->schedules)
		snag_page_schedule(j, &r->schedules->deadlock[i]);
	snag_json_end(j);
	for (size_t k = 0; k < in->deadlock->n; k++) {
		snag_page_lines_want_stack(lines, &in->at[k]);
		snag_page_lines_want_stack(lines, &in->held[k]);
	}
}

/* Where the threads that occur in the report were created. */
static void creators(struct snag_json *j, const struct snag_incident_report *r)
{
	snag_json_object(j, "creators");
	for (size_t t = 0; !r->is_tasks && t < r->origins->nthreads; t++) {
		struct snag_origin o = snag_origin_of_thread(r->origins, (snag_tid)t);
		struct snag_callstack s;
		if (o.thread == SNAG_NO_ID)
			continue;
		snag_json_object(j, snag_name(r->report->names, SNAG_SPACE_THREAD, (uint32_t)t));
		snag_json_string(j, "thread",
				 snag_name(r->report->names, SNAG_SPACE_THREAD, o.thread));
		snag_callstack_read(r->report->names, o.loc, &s);
		snag_json_stack(j, "stack", &s);
		snag_callstack_done(&s);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_newline(j);
}

static void data(const struct snag_incident_report *r, struct snag_printer *to)
{
	const struct snag_incidents *all = r->incidents;
	struct snag_page_lines *lines = snag_page_lines_new();
	struct snag_json j;
	char words[200];
	snag_json_init(&j, to);
	j.is_in_html = true;
	snag_json_object(&j, NULL);
	snag_json_string(&j, "version", SNAG_VERSION);
	if (r->is_trace)
		snag_json_string(&j, "trace", r->report->trace);
	else
		snag_incidents_program_json(r->arguments, r->status, &j);
	snag_json_bool(&j, "tasks", r->is_tasks);
	snag_json_uint(&j, "trace_events", r->report->events);
	if (r->witness_dir)
		snag_json_string(&j, "witness_dir", r->witness_dir);
	if (r->strip_path_prefix)
		snag_json_string(&j, "strip", r->strip_path_prefix);
	if (snag_replay_tally_text(r->replays, words, sizeof(words)))
		snag_json_string(&j, "replays", words);
	if (r->is_tasks)
		snag_certificate_json(r->certificate, r->report->names, all->shown > 0, &j);
	snag_incidents_json_list(&j, r, "incidents", false);
	snag_incidents_json_list(&j, r, "unconfirmed", true);
	snag_json_object(&j, "extras");
	for (size_t i = 0; i < all->n; i++)
		race_extras(&j, r, i, lines);
	for (size_t i = 0; i < all->ndeadlocks; i++)
		deadlock_extras(&j, r, i, lines);
	for (size_t i = 0; i < all->nmisuses; i++) {
		snag_page_lines_want_stack(lines, &all->misuse[i].at);
		snag_page_lines_want_stack(lines, &all->misuse[i].before);
	}
	snag_json_end(&j);
	snag_json_newline(&j);
	creators(&j, r);
	if (r->schedules)
		snag_page_events(&j, r, lines);
	snag_page_lines_write(&j, lines);
	snag_json_end(&j);
	snag_page_lines_free(lines);
}

static void title(const struct snag_incident_report *r, struct snag_printer *to)
{
	html_text(to, r->is_trace ? r->report->trace : r->arguments[0]);
}

static void style(const struct snag_incident_report *r, struct snag_printer *to)
{
	(void)r;
	snag_print(to, page_css);
}

static void script(const struct snag_incident_report *r, struct snag_printer *to)
{
	(void)r;
	snag_print(to, page_js);
}

void snag_incidents_html(const struct snag_incident_report *r, struct snag_printer *to)
{
	static const struct {
		const char *name;
		void (*print)(const struct snag_incident_report *r, struct snag_printer *to);
	} part[] = {{"TITLE@@", title}, {"STYLE@@", style}, {"DATA@@", data}, {"SCRIPT@@", script}};
	const char *text = page_html, *mark;
	while ((mark = strstr(text, "@@"))) {
		snag_print_bytes(to, text, (size_t)(mark - text));
		text = mark + 2;
		for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
			if (strncmp(text, part[i].name, strlen(part[i].name)) == 0) {
				part[i].print(r, to);
				text += strlen(part[i].name);
				break;
			}
	}
	snag_print(to, text);
}
