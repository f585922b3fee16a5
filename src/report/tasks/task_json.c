/* SPDX-License-Identifier: Apache-2.0
 *
 * task_json.c - the report for programs: `snag task --json`
 *
 * Described in docs/man/snag-task.1.md.  Every race is one line.
 */
#include "report/tasks/task_report.h"

#include "report/stats.h"

static void place_members(struct snag_json *j, struct snag_task_place place)
{
	snag_json_uint(j, "line", place.line);
	snag_json_uint(j, "column", place.column);
}

static void access_object(struct snag_json *j, const struct snag_task_report *r, const char *key,
			  const struct snag_site *site)
{
	struct snag_task_origin origin = r->origin(r->ctx, site->thread);
	snag_json_object(j, key);
	place_members(j, snag_task_place_of(r->names, site->loc));
	snag_json_string(j, "op", site->op == SNAG_OP_WRITE ? "write" : "read");
	snag_json_uint(j, "task", site->thread);
	snag_json_uint(j, "event", site->event);
	if (origin.place.line) {
		snag_json_object(j, "created");
		place_members(j, origin.place);
		snag_json_uint(j, "by", origin.creator);
		snag_json_end(j);
	}
	snag_json_end(j);
}

static void race_object(struct snag_json *j, const struct snag_task_report *r,
			const struct snag_race *race)
{
	char name[SNAG_TASK_NAME];
	uint32_t cell;
	snag_task_variable_of(r->names, race->second.target, name, &cell);
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "variable", name);
	if (cell)
		snag_json_uint(j, "cell", cell);
	access_object(j, r, "first", &race->first);
	access_object(j, r, "second", &race->second);
	snag_json_uint(j, "count", race->count);
	snag_json_end(j);
}

static void detector_object(struct snag_json *j, const struct snag_task_report *r,
			    const struct snag_findings *f)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "name", f->name);
	snag_json_string(j, "verdict", snag_task_verdict_text[snag_task_verdict(r, f)]);
	snag_json_double(j, "seconds", f->seconds);
	if (r->stats)
		snag_stats_json(f, j);
	snag_json_array(j, "races");
	for (size_t i = 0; i < f->nraces; i++)
		race_object(j, r, &f->race[i]);
	snag_json_end(j);
	snag_json_end(j);
}

static void waiting_array(struct snag_json *j, const struct snag_task_report *r)
{
	snag_json_newline(j);
	snag_json_array(j, "waiting");
	for (size_t i = 0; i < r->nwaits; i++) {
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_uint(j, "task", r->wait[i].task);
		place_members(j, r->wait[i].place);
		snag_json_string(j, "for", r->wait[i].what);
		snag_json_end(j);
	}
	snag_json_end(j);
}

void snag_task_report_json(const struct snag_task_report *r, struct snag_json *j)
{
	snag_json_string(j, "program", r->program);
	snag_json_uint(j, "events", r->events);
	snag_json_uint(j, "tasks", r->tasks);
	snag_json_uint(j, "promises", r->promises);
	if (r->stats) {
		snag_json_uint(j, "steps", r->steps);
		snag_json_uint(j, "blocked", r->blocked);
	}
	if (r->interrupted)
		snag_json_bool(j, "interrupted", true);
	if (r->cut)
		snag_json_bool(j, "cut", true);
	snag_json_bool(j, "deadlock", r->deadlock);
	if (r->deadlock)
		waiting_array(j, r);
	snag_json_newline(j);
	snag_json_array(j, "detectors");
	for (size_t i = 0; i < r->nfindings; i++)
		detector_object(j, r, &r->findings[i]);
	snag_json_end(j);
	if (r->explored)
		snag_task_explored_json(r->explored, j);
}
