/* SPDX-License-Identifier: Apache-2.0
 *
 * task_text.c - the report for people: `snag task`
 *
 * The verdict comes first and last, because logs get cut at either end.  Every race begins
 * with a line that can be searched for,
 *
 *     RACE <variable>: <line>:<column> / <line>:<column>
 *
 * and goes on in plain words, with the lines of the program.
 */
#include "report/tasks/task_report.h"

#include "base/memory.h"
#include "report/stats.h"

#include <string.h>

enum { SHOWN_LINE = 160, SHOWN_ANCESTORS = 4, SHOWN_WAITS = 20 };

#define RED "\033[1;31m"
#define PLAIN "\033[0m"

static const char *separator(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

static void verdict_line(struct snag_printer *to, const struct snag_task_report *r, size_t nraces)
{
	if (nraces)
		snag_printf(to, "%zu race%s", nraces, snag_plural(nraces));
	else
		snag_print(to, "no race");
	snag_print(to, " found in ");
	snag_print_name(to, r->program);
	size_t n = 0, at = 0; /* of those that found races, or all that found none */
	for (size_t i = 0; i < r->nfindings; i++)
		n += !nraces || r->findings[i].nraces;
	for (size_t i = 0; i < r->nfindings; i++)
		if (!nraces || r->findings[i].nraces) {
			snag_printf(to, "%s%s", at ? separator(at, n) : " by ",
				    r->findings[i].name);
			at++;
		}
	if (r->explored)
		snag_printf(to, "; explored: %s",
			    snag_task_verdict_text[snag_task_explored_verdict(r->explored)]);
	if (r->deadlock)
		snag_print(to, ", and a deadlock");
	if (r->cut)
		snag_printf(to, " (the depth-first run did not end in %llu steps)",
			    (unsigned long long)r->steps);
	if (r->interrupted)
		snag_printf(to, " (interrupted after %llu events)", (unsigned long long)r->events);
}

/* The line of the program, and a mark below the column. */
static void source_line(struct snag_printer *to, const struct snag_task_report *r,
			struct snag_task_place place)
{
	const char *at = r->text, *end = r->text + r->nbytes;
	for (uint32_t line = 1; at && line < place.line; line++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	if (!at || at == end)
		return;
	const char *nl = memchr(at, '\n', (size_t)(end - at));
	size_t len = (size_t)((nl ? nl : end) - at);
	char shown[SHOWN_LINE + 1], mark[SHOWN_LINE + 1];
	len = len < SHOWN_LINE ? len : SHOWN_LINE;
	memcpy(shown, at, len);
	shown[len] = 0;
	for (size_t i = 0; i < len; i++)
		if (shown[i] == '\t')
			shown[i] = ' ';
	snag_printf(to, "  %6u | ", place.line);
	snag_print_name(to, shown);
	snag_print(to, "\n");
	if (place.column == 0 || place.column > len)
		return;
	memset(mark, ' ', place.column - 1);
	mark[place.column - 1] = '^';
	mark[place.column] = 0;
	snag_printf(to, "         | %s\n", mark);
}

static void variable(struct snag_printer *to, const struct snag_task_report *r, uint32_t id)
{
	char name[SNAG_TASK_NAME];
	uint32_t cell;
	snag_task_variable_of(r->names, id, name, &cell);
	if (cell > 1)
		snag_printf(to, "%s (cell %u made there)", name, cell);
	else
		snag_print_name(to, name);
}

static void access_lines(struct snag_printer *to, const struct snag_task_report *r,
			 const struct snag_site *site)
{
	struct snag_task_place place = snag_task_place_of(r->names, site->loc);
	snag_printf(to, "  task %u %s ", site->thread,
		    site->op == SNAG_OP_WRITE ? "writes" : "reads");
	variable(to, r, site->target);
	snag_printf(to, " at %u:%u (event %u)\n", place.line, place.column, site->event);
	source_line(to, r, place);
}

/* "  Task 3 was created at 4:2 by task 1, task 1 at 3:2 by task 0." */
static void origin_line(struct snag_printer *to, const struct snag_task_report *r, snag_tid task)
{
	struct snag_task_origin origin = r->origin(r->ctx, task);
	if (!origin.place.line)
		return;
	snag_printf(to, "  Task %u was created at %u:%u by task %u", task, origin.place.line,
		    origin.place.column, origin.creator);
	for (int i = 0; i < SHOWN_ANCESTORS; i++) {
		task = origin.creator;
		origin = r->origin(r->ctx, task);
		if (!origin.place.line)
			break;
		snag_printf(to, ", task %u at %u:%u by task %u", task, origin.place.line,
			    origin.place.column, origin.creator);
	}
	snag_print(to, origin.place.line ? ", ...\n" : ".\n");
}

static void race_lines(struct snag_printer *to, const struct snag_task_report *r,
		       const struct snag_task_race *m, bool colour)
{
	const struct snag_race *race = m->race;
	struct snag_task_place a = snag_task_place_of(r->names, race->first.loc);
	struct snag_task_place b = snag_task_place_of(r->names, race->second.loc);
	snag_printf(to, "\n%sRACE%s ", colour ? RED : "", colour ? PLAIN : "");
	variable(to, r, race->second.target);
	snag_printf(to, ": %u:%u / %u:%u\n", a.line, a.column, b.line, b.column);
	access_lines(to, r, &race->first);
	access_lines(to, r, &race->second);
	origin_line(to, r, race->first.thread);
	origin_line(to, r, race->second.thread);
	if (r->nfindings == 1 && m->count <= 1)
		return;
	size_t n = (size_t)__builtin_popcount(m->found_by), k = 0;
	snag_print(to, "  Found by ");
	for (size_t i = 0; i < r->nfindings; i++)
		if (m->found_by >> i & 1)
			snag_printf(to, "%s%s", separator(k++, n), r->findings[i].name);
	if (m->count > 1)
		snag_printf(to, "; %llu pairs of events like this one",
			    (unsigned long long)m->count);
	snag_print(to, ".\n");
}

static void deadlock_lines(struct snag_printer *to, const struct snag_task_report *r, bool colour)
{
	snag_printf(to, "\n%sDEADLOCK%s %zu task%s, and no other can run\n", colour ? RED : "",
		    colour ? PLAIN : "", r->nwaits, r->nwaits == 1 ? " waits" : "s wait");
	for (size_t i = 0; i < r->nwaits && i < SHOWN_WAITS; i++) {
		const struct snag_task_wait *w = &r->wait[i];
		snag_printf(to, "  task %u waits at %u:%u for ", w->task, w->place.line,
			    w->place.column);
		snag_print_name(to, w->what);
		snag_print(to, "\n");
		source_line(to, r, w->place);
	}
	if (r->nwaits > SHOWN_WAITS)
		snag_printf(to, "  ... and %zu more\n", r->nwaits - SHOWN_WAITS);
	snag_print(to, "  What would come behind was not seen: no verdict includes it.\n");
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t racy_variables(const struct snag_findings *f)
{
	size_t n = 0;
	uint32_t *id = snag_calloc(f->nraces + 1, sizeof(*id));
	for (size_t i = 0; i < f->nraces; i++)
		id[i] = f->race[i].second.target;
	qsort(id, f->nraces, sizeof(*id), compare_ids);
	for (size_t i = 0; i < f->nraces; i++)
		n += i == 0 || id[i] != id[i - 1];
	free(id);
	return n;
}

static void detector_line(struct snag_printer *to, const struct snag_task_report *r,
			  const struct snag_findings *f)
{
	enum snag_task_verdict verdict = snag_task_verdict(r, f);
	bool is_stuck = r->deadlock && verdict == SNAG_TASK_RACE_FREE;
	snag_printf(to, "%s: %s%s%s", f->name, is_stuck ? "deadlock, " : "",
		    snag_task_verdict_text[verdict], is_stuck ? " up to it" : "");
	if (verdict == SNAG_TASK_RACE) {
		size_t n = racy_variables(f);
		snag_printf(to, " on %zu variable%s", n, snag_plural(n));
	} else if (verdict == SNAG_TASK_RACE_FREE) {
		snag_print(to, ", on every schedule of this input");
	} else {
		snag_print(to, ", but other schedules are not excluded");
	}
	snag_printf(to, " (%.2f s)\n", f->seconds);
	if (r->stats)
		snag_stats_text(f, to);
}

static void counts_line(struct snag_printer *to, const struct snag_task_report *r)
{
	snag_printf(to, "%llu event%s, %llu task%s, %llu promise%s", (unsigned long long)r->events,
		    snag_plural(r->events), (unsigned long long)r->tasks, snag_plural(r->tasks),
		    (unsigned long long)r->promises, snag_plural(r->promises));
	if (r->stats)
		snag_printf(to, ", %llu step%s, %llu wait%s that had to wait",
			    (unsigned long long)r->steps, snag_plural(r->steps),
			    (unsigned long long)r->blocked, snag_plural(r->blocked));
	snag_print(to, "\n");
}

void snag_task_report_text(const struct snag_task_report *r,
			   const struct snag_task_text_options *options, struct snag_printer *to)
{
	size_t n;
	struct snag_task_race *race = snag_task_races(r, &n);
	size_t shown = options->limit && options->limit < n ? (size_t)options->limit : n;
	verdict_line(to, r, n);
	snag_print(to, "\n");
	counts_line(to, r);
	for (size_t i = 0; i < shown; i++)
		race_lines(to, r, &race[i], options->colour);
	if (shown < n)
		snag_printf(to, "\n... and %zu more race%s, see --limit\n", n - shown,
			    snag_plural(n - shown));
	if (r->deadlock)
		deadlock_lines(to, r, options->colour);
	snag_print(to, "\n");
	for (size_t i = 0; i < r->nfindings; i++)
		detector_line(to, r, &r->findings[i]);
	if (r->explored)
		snag_task_explored_text(r, to);
	snag_print(to, "SUMMARY: snag: ");
	verdict_line(to, r, n);
	snag_print(to, "\n");
	free(race);
}
