/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_html.c - the report of a run as one page: `snag run --html`
 *
 * The page needs no other file: its style is inside, it has no scripts, and it folds with
 * <details>.  Names come from the program and may contain anything: all of them are escaped.
 */
#include "report/incident.h"

#include "report/incident_deadlock.h"
#include "report/incident_graph.h"
#include "report/incident_parts.h"
#include "report/utf8.h"
#include "report_css.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void snag_html_text(struct snag_printer *to, const char *s)
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

void snag_html_item(struct snag_printer *to, const char *name, const char *value)
{
	snag_print(to, "<dt>");
	snag_html_text(to, name);
	snag_print(to, "</dt><dd>");
	snag_html_text(to, value);
	snag_print(to, "</dd>\n");
}

void snag_html_stack(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_callstack *s)
{
	size_t strip = r->strip_path_prefix ? strlen(r->strip_path_prefix) : 0;
	snag_print(to, "<ol start=\"0\">\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct snag_frame *f = &s->frame[i];
		const char *file = f->file ? f->file : f->module ? f->module : "";
		if (strip && strncmp(file, r->strip_path_prefix, strip) == 0)
			file += strip;
		snag_print(to, "<li><b>");
		snag_html_text(to, f->function ? f->function : "?");
		snag_print(to, "</b> ");
		snag_html_text(to, file);
		if (f->file && f->line)
			snag_printf(to, f->column ? ":%u:%u" : ":%u", f->line, f->column);
		snag_print(to, "</li>\n");
	}
	snag_print(to, "</ol>\n");
}

static void variable(struct snag_printer *to, const struct snag_incident_report *r, uint32_t id)
{
	char words[200];
	snag_variable_text(snag_name(r->report->names, SNAG_SPACE_VARIABLE, id), words,
			   sizeof(words));
	snag_html_text(to, words);
}

/* "task 3", "thread T3" */
static void actor(struct snag_printer *to, const struct snag_incident_report *r, snag_tid t)
{
	const char *name = snag_name(r->report->names, SNAG_SPACE_THREAD, t);
	char label[SNAG_LABEL_ROOM];
	snag_print(to, r->is_tasks ? "task " : "thread ");
	snag_html_text(to, name + (r->is_tasks && name[0] == 'T'));
	if (r->label && r->label(r->label_ctx, t, label, sizeof(label))) {
		snag_print(to, ", ");
		snag_html_text(to, label);
	}
}

/* Where a task or thread was created. */
static void origin(struct snag_printer *to, const struct snag_incident_report *r, snag_tid t)
{
	struct snag_origin o = snag_origin_of_thread(r->origins, t);
	struct snag_callstack s;
	if (o.thread == SNAG_NO_ID)
		return;
	snag_print(to, "<details><summary>created by ");
	actor(to, r, o.thread);
	snag_print(to, "</summary>\n");
	snag_callstack_read(r->report->names, o.loc, &s);
	snag_html_stack(to, r, &s);
	snag_callstack_done(&s);
	snag_print(to, "</details>\n");
}

static void access_box(struct snag_printer *to, const struct snag_incident_report *r,
		       const struct snag_site *site, const struct snag_callstack *s)
{
	const struct snag_names *names = r->report->names;
	snag_printf(to, "<div class=\"access\"><h3>%s%s of %u byte%s at <code>",
		    snag_op_is_atomic(site->op) ? "atomic " : "",
		    snag_op_writes(site->op) ? "write" : "read", site->size,
		    snag_plural(site->size));
	variable(to, r, site->target);
	snag_print(to, "</code> by ");
	actor(to, r, site->thread);
	snag_print(to, "</h3>\n");
	for (uint32_t i = 0; i < site->nlocks; i++) {
		snag_print(to, i ? ", <code>" : "<p>holds <code>");
		snag_html_text(to, snag_name(names, SNAG_SPACE_LOCK, site->locks[i]));
		snag_print(to, "</code>");
	}
	snag_print(to, site->nlocks ? "</p>\n" : "");
	snag_html_stack(to, r, s);
	origin(to, r, site->thread);
	snag_print(to, "</div>\n");
}

static void incident(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_incident *in)
{
	static const char *const replay[] = {"not tried", "confirmed", "diverged"};
	const struct snag_names *names = r->report->names;
	const struct snag_race *race = in->race;
	char words[400];
	snag_printf(to, "<section id=\"%s\"%s>\n<h2>Data race on <code>", in->id,
		    in->is_suppressed ? " class=\"suppressed\"" : "");
	variable(to, r, race->second.target);
	if (in->called) {
		snag_print(to, "</code>, called <code>");
		snag_html_text(to, in->called);
	}
	snag_print(to, in->is_suppressed ? "</code> (suppressed)</h2>\n<dl>\n"
					 : "</code></h2>\n<dl>\n");
	snag_html_item(to, "id", in->id);
	snprintf(words, sizeof(words), "%s, by %s", snag_verdict_text[race->verdict], in->found_by);
	snag_html_item(to, "verdict", words);
	if (in->extent.places > 1) {
		snag_extent_text(&in->extent, names, race->second.target, words, sizeof(words));
		snag_html_item(to, "range", words);
	}
	if (r->is_tasks) {
		snag_incident_missing_edge(r, race, words, sizeof(words));
		snag_html_item(to, "missing edge", words);
	}
	if (in->replay != SNAG_REPLAY_NOT_TRIED)
		snag_html_item(to, "replay", replay[in->replay]);
	snprintf(words, sizeof(words), "%" PRIu64 " pair%s of events", in->count,
		 snag_plural(in->count));
	snag_html_item(to, "seen", words);
	snag_print(to, "</dl>\n<div class=\"pair\">\n");
	access_box(to, r, &race->second, &in->stack[1]);
	access_box(to, r, &race->first, &in->stack[0]);
	snag_print(to, "</div>\n");
	if (r->is_tasks)
		snag_incident_graph(r, in, to);
	snag_print(to, "</section>\n");
}

/* Prints what the run proves about all schedules. */
static void certificate(struct snag_printer *to, const struct snag_incident_report *r)
{
	const struct snag_certificate *c = r->certificate;
	char place[1024];
	if (!r->incidents->n)
		snag_printf(to, "<section class=\"free\"><h2>%s</h2>\n",
			    c->is_race_free ? "race-free for this input on every schedule"
					    : "no race found, but other schedules may have one");
	else if (c->n)
		snag_print(to, "<section class=\"free\"><h2>What the schedule decides, or was not "
			       "seen</h2>\n");
	else
		return;
	snag_print(to, c->n ? "<ul>\n" : "");
	for (size_t i = 0; i < c->n; i++) {
		const struct snag_obstacle *o = &c->obstacle[i];
		snag_print(to, "<li>");
		snag_html_text(to, o->words);
		for (int k = 0; k < o->nlocs; k++) {
			snag_location_text(r->report->names, o->loc[k], place, sizeof(place));
			snag_print(to, k ? ", <code>" : " at <code>");
			snag_html_text(to, place);
			snag_print(to, "</code>");
		}
		snag_print(to, "</li>\n");
	}
	snag_print(to, c->n ? "</ul>\n</section>\n" : "</section>\n");
}

void snag_incidents_html(const struct snag_incident_report *r, struct snag_printer *to)
{
	const struct snag_incidents *all = r->incidents;
	char words[200];
	snag_print(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<title>snag: ");
	snag_html_text(to, r->arguments[0]);
	snag_print(to, "</title>\n<style>\n");
	snag_print(to, report_css);
	snag_print(to, "</style>\n</head>\n<body>\n<h1>");
	snag_printf(to, "%zu data race%s", all->shown, snag_plural(all->shown));
	if (all->ndeadlocks)
		snag_printf(to, " and %zu deadlock%s", all->deadlocks_shown,
			    snag_plural(all->deadlocks_shown));
	snag_print(to, " in <code>");
	for (char *const *a = r->arguments; *a; a++) {
		snag_print(to, a == r->arguments ? "" : " ");
		snag_html_text(to, *a);
	}
	snag_printf(to, "</code></h1>\n<p>It ended with status %d.", r->status);
	for (int v = 0; v < SNAG_VERDICTS; v++)
		if (all->by_verdict[v])
			snag_printf(to, " %zu %s.", all->by_verdict[v], snag_verdict_text[v]);
	if (snag_replay_tally_text(r->replays, words, sizeof(words))) {
		snag_print(to, " ");
		snag_html_text(to, words);
		snag_print(to, ".");
	}
	snag_print(to, "</p>\n");
	for (size_t i = 0; i < all->n; i++)
		incident(to, r, &all->at[i]);
	for (size_t i = 0; i < all->ndeadlocks; i++)
		snag_deadlock_incident_html(r, &all->deadlock[i], to);
	if (r->is_tasks)
		certificate(to, r);
	snag_print(to, "</body>\n</html>\n");
}
