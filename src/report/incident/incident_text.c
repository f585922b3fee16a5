/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_text.c - the report of a run for people, in ThreadSanitizer's layout
 *
 * Readers of such reports, people and programs, know where to look: a WARNING line, both
 * accesses with their stacks, the location, the threads, a SUMMARY line.  incident_why.c adds lines
 * after the two stacks.
 */
#include "report/incident/incident.h"

#include "report/incident/crash.h"
#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_misuse.h"
#include "report/incident/incident_parts.h"
#include "report/source/source_line.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 160 };

#define RED "\033[1;31m"
#define BLUE "\033[1;34m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

static void paint(struct snag_printer *to, const struct snag_incident_report *r, const char *colour)
{
	if (r->has_colour)
		snag_print(to, colour);
}

const char *snag_text_stripped(const struct snag_incident_report *r, const char *file)
{
	size_t n = r->strip_path_prefix ? strlen(r->strip_path_prefix) : 0;
	return n && strncmp(file, r->strip_path_prefix, n) == 0 ? file + n : file;
}

void snag_text_place(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_frame *f)
{
	if (!f->file) {
		snag_print(to, "<null>");
		return;
	}
	snag_print_name(to, snag_text_stripped(r, f->file));
	if (f->line)
		snag_printf(to, ":%u", f->line);
	if (f->column)
		snag_printf(to, ":%u", f->column);
}

static void frames(struct snag_printer *to, const struct snag_incident_report *r,
		   const struct snag_callstack *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct snag_frame *f = &s->frame[i];
		snag_printf(to, "    #%zu ", i);
		snag_print_name(to, f->function ? f->function : "<null>");
		snag_print(to, " ");
		snag_text_place(to, r, f);
		if (f->module) {
			snag_print(to, " (");
			snag_print_name(to, basename(f->module));
			snag_printf(to, "+0x%llx)", (unsigned long long)f->offset);
		}
		snag_print(to, "\n");
	}
}

void snag_text_stack(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_callstack *s)
{
	frames(to, r, s);
	snag_print(to, "\n");
}

/* The line of an access, and a caret below its column. */
static void excerpt(struct snag_printer *to, const struct snag_incident_report *r,
		    const struct snag_frame *f)
{
	char *line = snag_source_line(f->file, f->line);
	size_t n = line ? strlen(line) : 0;
	if (n && n <= MOST_LINE) {
		snag_printf(to, "%9u | ", f->line);
		for (size_t i = 0; i < n; i++)
			line[i] = line[i] == '\t' ? ' ' : line[i];
		snag_print_name(to, line);
		snag_print(to, "\n");
	}
	if (n && n <= MOST_LINE && f->column && f->column <= n) {
		snag_printf(to, "%9s | %*s", "", (int)f->column - 1, "");
		paint(to, r, GREEN);
		snag_print(to, "^");
		paint(to, r, PLAIN);
		snag_print(to, "\n");
	}
	free(line);
}

void snag_text_stack_of(struct snag_printer *to, const struct snag_incident_report *r, snag_loc loc)
{
	struct snag_callstack s;
	snag_callstack_read(r->report->names, loc, &s);
	snag_text_stack(to, r, &s);
	snag_callstack_done(&s);
}

/* The name that the program gave a thread, as ThreadSanitizer prints it. */
static void own_name(struct snag_printer *to, const struct snag_incident_report *r, snag_tid t)
{
	const char *name = r->thread_name ? r->thread_name(r->thread_name_ctx, t) : "";
	if (!*name)
		return;
	snag_print(to, " '");
	snag_print_name(to, name);
	snag_print(to, "'");
}

/* The recorder names threads, and tasks, T0, T1, ...; T0 is the first. */
void snag_text_thread(struct snag_printer *to, const struct snag_incident_report *r, snag_tid t)
{
	const struct snag_strtab *names = &r->report->names->space[SNAG_SPACE_THREAD];
	const char *name = t < names->n ? snag_strtab_get(names, t) : "?";
	if (r->is_tasks) {
		snag_print(to, "task ");
		snag_print_name(to, name + (name[0] == 'T'));
		return;
	}
	if (strcmp(name, "T0") == 0) {
		snag_print(to, "main thread");
		own_name(to, r, t);
		return;
	}
	snag_print(to, "thread ");
	snag_print_name(to, name);
	own_name(to, r, t);
}

/* `before`: a word before that of the access, or "". */
static void access_text(struct snag_printer *to, const struct snag_incident_report *r,
			const struct snag_incident *in, const char *before,
			const struct snag_site *site, const struct snag_callstack *s)
{
	static const char *const kind[2][2] = {{"Read", "Write"}, {"Atomic read", "Atomic write"}};
	const char *words = snag_site_is_free(site)
				    ? "Free"
				    : kind[snag_op_is_atomic(site->op)][snag_op_writes(site->op)];
	char name[400];
	paint(to, r, BLUE);
	if (*before)
		snag_printf(to, "  %s %c%s", before, words[0] | ' ', words + 1);
	else
		snag_printf(to, "  %s", words);
	if (!snag_site_is_free(site))
		snag_printf(to, " of size %u", site->size);
	snag_print(to, snag_site_is_free(site) ? " of " : " at ");
	if (site->target == in->race->second.target)
		snag_incident_variable(in, r->report->names, name, sizeof(name));
	else
		snag_variable_text(snag_name(r->report->names, SNAG_SPACE_VARIABLE, site->target),
				   name, sizeof(name));
	snag_print_name(to, name);
	snag_print(to, " by ");
	snag_text_thread(to, r, site->thread);
	for (uint32_t i = 0; i < site->nlocks; i++) {
		const struct snag_held_lock *held = &site->locks[i];
		snag_print(to, i ? ", " : " (mutexes: ");
		snag_print(to, held->is_shared ? "read " : "write ");
		snag_print_name(to,
				snag_incidents_lock(r->incidents, r->report->names, held->lock));
	}
	snag_print(to, site->nlocks ? "):" : ":");
	paint(to, r, PLAIN);
	snag_print(to, "\n");
	frames(to, r, s);
	excerpt(to, r, &s->frame[0]);
	snag_print(to, "\n");
}

static void location(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_incident *in)
{
	const char *variable =
		snag_name(r->report->names, SNAG_SPACE_VARIABLE, in->race->second.target);
	struct snag_object_name o = snag_object_name(variable);
	switch (o.kind) {
	case SNAG_OBJECT_HEAP:
		if (in->name && in->type && in->field && *in->field)
			snag_printf(to, "  Object: %s is '%s' of %s\n\n", in->name, in->field,
				    in->type);
		else if (in->name && in->type)
			snag_printf(to, "  Object: %s is of type %s\n\n", in->name, in->type);
		snag_printf(to, "  Location is heap block of size %llu allocated by ",
			    (unsigned long long)o.nbytes);
		snag_text_thread(to, r, o.thread);
		snag_print(to, ":\n");
		snag_text_stack_of(to, r, o.loc);
		break;
	case SNAG_OBJECT_STACK:
		snag_print(to, "  Location is stack of ");
		snag_text_thread(to, r, o.thread);
		if (in->called)
			snag_printf(to, ", called '%s' in the source", in->called);
		snag_print(to, "\n\n");
		break;
	case SNAG_OBJECT_GLOBAL:
		if (in->name) /* the object alone: the first line names the member or element */
			snag_printf(to, "  Location is global '%.*s'\n\n",
				    (int)strcspn(in->name, ".["), in->name);
		else
			snag_printf(to, "  Location is global '%.*s'\n\n", (int)o.length, variable);
		break;
	case SNAG_OBJECT_OTHER:
		if (strncmp(variable, "descriptor:", strlen("descriptor:")) == 0)
			snag_printf(to, "  Location is file descriptor %u\n\n",
				    (unsigned)atoi(variable + strlen("descriptor:")));
		break;
	}
}

static void threads(struct snag_printer *to, const struct snag_incident_report *r,
		    const struct snag_race *race)
{
	snag_tid who[2] = {race->second.thread, race->first.thread};
	char label[SNAG_LABEL_ROOM];
	for (int i = 0; i < 2; i++) {
		struct snag_origin o = snag_origin_of_thread(r->origins, who[i]);
		if (o.thread == SNAG_NO_ID || (i == 1 && who[1] == who[0]))
			continue;
		const char *name = snag_name(r->report->names, SNAG_SPACE_THREAD, who[i]);
		snag_print(to, r->is_tasks ? "  Task " : "  Thread ");
		snag_print_name(to, name + (r->is_tasks && name[0] == 'T'));
		if (!r->is_tasks)
			own_name(to, r, who[i]);
		if (r->label && r->label(r->label_ctx, who[i], label, sizeof(label))) {
			snag_print(to, " (");
			snag_print_name(to, label);
			snag_print(to, ")");
		}
		snag_print(to, " created by ");
		snag_text_thread(to, r, o.thread);
		snag_print(to, " at:\n");
		snag_text_stack_of(to, r, o.loc);
	}
}

void snag_text_begin(struct snag_printer *to, const struct snag_incident_report *r,
		     const char *title, const char *severity)
{
	snag_print(to, "==================\n");
	paint(to, r, RED);
	snag_printf(to, "WARNING: %s: %s (pid=%d)%s%s%s", r->tool, title, r->pid,
		    severity ? " [" : "", severity ? severity : "", severity ? "]" : "");
	paint(to, r, PLAIN);
	snag_print(to, "\n");
}

void snag_text_end(struct snag_printer *to, const struct snag_incident_report *r, const char *title,
		   const struct snag_frame *top)
{
	snag_printf(to, "SUMMARY: %s: %s ", r->tool, title);
	snag_text_place(to, r, top);
	snag_print(to, " in ");
	snag_print_name(to, top->function ? top->function : "<null>");
	snag_print(to, "\n==================\n");
}

/* Programs that read ThreadSanitizer's reports know its first lines. */
static bool has_tsan_titles(const struct snag_incident_report *r)
{
	return strcmp(r->tool, "ThreadSanitizer") == 0;
}

/* The pointer to the table of virtual functions, as gcc and clang name it. */
static bool is_of_vptr(const struct snag_incident *in)
{
	return in->field && strncmp(in->field, "_vptr", strlen("_vptr")) == 0;
}

/* ThreadSanitizer says "heap-use-after-free" if the end of the block came before the access, and
 * "data race" if it came after an access that nothing orders before it. */
static const char *title_of(const struct snag_incident_report *r, const struct snag_incident *in)
{
	enum snag_incident_kind kind = snag_incident_shown_kind(r, in);
	if (kind == SNAG_INCIDENT_USE_AFTER_FREE && snag_site_is_free(&in->race->second) &&
	    !in->race->is_behind && has_tsan_titles(r))
		kind = SNAG_INCIDENT_RACE;
	if (kind == SNAG_INCIDENT_RACE && is_of_vptr(in))
		return "data race on vptr (ctor/dtor vs virtual call)";
	if (kind == SNAG_INCIDENT_USE_AFTER_FREE && is_of_vptr(in))
		return "heap-use-after-free (virtual call vs free)";
	return snag_incident_kind_title[kind];
}

static void incident(struct snag_printer *to, const struct snag_incident_report *r,
		     const struct snag_incident *in)
{
	const struct snag_frame *top = &in->stack[1].frame[0];
	const enum snag_incident_kind kind = snag_incident_shown_kind(r, in);
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	size_t n = snag_incident_accesses(in, access);
	const char *title = title_of(r, in);
	snag_text_begin(to, r, title, has_tsan_titles(r) ? NULL : in->severity);
	if (kind == SNAG_INCIDENT_ATOMICITY) {
		for (size_t i = 0; i < n; i++)
			access_text(to, r, in, i ? "Then" : "", access[i].site, access[i].stack);
	} else {
		access_text(to, r, in, "", access[1].site, access[1].stack);
		access_text(to, r, in, "Previous", access[0].site, access[0].stack);
	}
	snag_text_why(to, r, in);
	if (kind == SNAG_INCIDENT_USE_AFTER_FREE && snag_site_is_free(&in->race->second))
		snag_print(to,
			   "  In this run the access came first; in another one the free can.\n");
	location(to, r, in);
	threads(to, r, in->race);
	snag_text_end(to, r, title, top);
}

/* A line for an incident that is not reported. */
static void apart(struct snag_printer *to, const struct snag_incident_report *r,
		  const struct snag_incident *in)
{
	snag_printf(to, "%s: unconfirmed: ", r->tool);
	snag_text_place(to, r, &in->stack[0].frame[0]);
	snag_print(to, " / ");
	snag_text_place(to, r, &in->stack[1].frame[0]);
	snag_printf(to,
		    ": reads see other values in the witness of %s, and its replay diverged; "
		    "--unconfirmed reports it\n",
		    in->found_by);
}

/* The last lines. */
static void summary(struct snag_printer *to, const struct snag_incident_report *r)
{
	const struct snag_incidents *all = r->incidents;
	size_t n = all->n + all->ndeadlocks + all->nmisuses;
	size_t shown = all->shown + all->deadlocks_shown + all->misuses_shown;
	if (!n) {
		if (r->is_tasks)
			snag_certificate_text(r->certificate, r->report->names, r->tool, to);
		return;
	}
	if (!shown && !all->apart && has_tsan_titles(r))
		return; /* as ThreadSanitizer does */
	snag_printf(to, "%s: reported %zu warning%s", r->tool, shown,
		    has_tsan_titles(r) ? "s" : snag_plural(shown));
	for (int v = 0, any = 0; v < SNAG_VERDICTS; v++)
		if (all->by_verdict[v])
			snag_printf(to, "%s%zu %s", any++ ? ", " : ": ", all->by_verdict[v],
				    snag_verdict_text[v]);
	if (shown + all->apart < n)
		snag_printf(to, " (%zu suppressed)", n - shown - all->apart);
	snag_print(to, "\n");
	for (size_t i = 0; i < r->report->nparts; i++) {
		const struct snag_findings *f = r->report->part[i].findings;
		if (f->abridged)
			snag_printf(to,
				    "%s: %s: %llu racy event%s may race with more accesses than "
				    "reported\n",
				    r->tool, f->name, (unsigned long long)f->abridged,
				    snag_plural(f->abridged));
	}
	for (size_t i = 0; r->is_tasks && i < r->certificate->n; i++)
		if (strcmp(r->certificate->obstacle[i].kind, "not-looked-at") == 0)
			snag_printf(to, "%s: %s: what they order is reported too\n", r->tool,
				    r->certificate->obstacle[i].words);
}

/* Says which part of the run did not fit into memory, also if there is no race. */
static void windows(struct snag_printer *to, const struct snag_incident_report *r)
{
	for (size_t i = 0; i < r->report->nparts; i++) {
		const struct snag_findings *f = r->report->part[i].findings;
		if (!f->windows)
			continue;
		snag_printf(to, "%s: ", r->tool);
		snag_report_windows(f, to);
		snag_print(to, "; --memory SIZE sets the limit\n");
	}
}

void snag_incidents_text(const struct snag_incident_report *r, struct snag_printer *to)
{
	const struct snag_incidents *all = r->incidents;
	const uint64_t limit = r->limit ? r->limit : UINT64_MAX;
	uint64_t n = 0; /* reports */
	char words[200];
	for (size_t i = 0; i < all->n; i++)
		if (!all->at[i].is_suppressed && !all->at[i].is_apart && !all->at[i].is_printed &&
		    n++ < limit)
			incident(to, r, &all->at[i]);
	if (r->deadlock)
		snag_task_deadlock_text(r, to);
	for (size_t i = 0; i < all->ndeadlocks; i++)
		if (!all->deadlock[i].is_suppressed && n++ < limit)
			snag_deadlock_incident_text(r, &all->deadlock[i], to);
	for (size_t i = 0; i < all->nmisuses; i++)
		if (!all->misuse[i].is_suppressed && !all->misuse[i].is_printed && n++ < limit)
			snag_misuse_incident_text(r, &all->misuse[i], to);
	if (n > limit)
		snag_printf(to, "%s: %llu more report%s not shown; --limit 0 shows all\n", r->tool,
			    (unsigned long long)(n - limit), n - limit == 1 ? " is" : "s are");
	if (r->is_early)
		return;
	if (r->crash)
		snag_crash_text(r, to);
	summary(to, r);
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].is_apart)
			apart(to, r, &all->at[i]);
	windows(to, r);
	if (snag_replay_tally_text(r->replays, words, sizeof(words)))
		snag_printf(to, "%s: %s\n", r->tool, words);
}
