/* SPDX-License-Identifier: Apache-2.0
 *
 * task_explored.c - the result of exploring all schedules, for people and programs
 */
#include "report/json_writer.h"
#include "report/tasks/task_report.h"

enum { SHOWN_STEPS = 24, SHOWN_WAITS = 8 };

enum snag_task_verdict snag_task_explored_verdict(const struct snag_task_explored *x)
{
	if (x->nraces)
		return SNAG_TASK_RACE;
	return x->exhaustive ? SNAG_TASK_RACE_FREE : SNAG_TASK_NO_RACE_FOUND;
}

static void access_object(struct snag_json *j, const char *key,
			  const struct snag_task_explored_access *a)
{
	snag_json_object(j, key);
	snag_json_uint(j, "line", a->place.line);
	snag_json_uint(j, "column", a->place.column);
	snag_json_string(j, "op", a->is_write ? "write" : "read");
	snag_json_uint(j, "task", a->task);
	snag_json_end(j);
}

static void schedule_array(struct snag_json *j, const struct snag_task_schedule *s)
{
	snag_json_array(j, "schedule");
	for (size_t i = 0; i < s->n; i++)
		snag_json_uint(j, NULL, s->task[i]);
	snag_json_end(j);
}

static void stuck_object(struct snag_json *j, const char *key,
			 const struct snag_task_explored_stuck *stuck)
{
	if (stuck->n == 0)
		return;
	snag_json_newline(j);
	snag_json_object(j, key);
	snag_json_array(j, "waiting");
	for (size_t i = 0; i < stuck->n; i++) {
		snag_json_object(j, NULL);
		snag_json_uint(j, "task", stuck->wait[i].task);
		snag_json_uint(j, "line", stuck->wait[i].place.line);
		snag_json_uint(j, "column", stuck->wait[i].place.column);
		snag_json_string(j, "in", stuck->wait[i].what);
		snag_json_end(j);
	}
	snag_json_end(j);
	schedule_array(j, &stuck->schedule);
	snag_json_end(j);
}

static void race_object(struct snag_json *j, const struct snag_task_explored_race *race)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "variable", race->variable);
	access_object(j, "first", &race->first);
	access_object(j, "second", &race->second);
	schedule_array(j, &race->schedule);
	snag_json_end(j);
}

void snag_task_explored_json(const struct snag_task_explored *x, struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_object(j, "explore");
	snag_json_uint(j, "schedules", x->schedules);
	snag_json_bool(j, "exhaustive", x->exhaustive);
	snag_json_array(j, "racy_variables");
	for (size_t i = 0; i < x->nraces; i++)
		snag_json_string(j, NULL, x->race[i].variable);
	snag_json_end(j);
	snag_json_uint(j, "final_states", x->final_states);
	snag_json_bool(j, "deterministic", x->deterministic);
	snag_json_bool(j, "deadlock", x->deadlock.n > 0);
	snag_json_bool(j, "endless", x->endless.n > 0);
	snag_json_string(j, "verdict", snag_task_verdict_text[snag_task_explored_verdict(x)]);
	snag_json_string(j, "why", x->gap);
	snag_json_uint(j, "graphs", x->graphs);
	snag_json_uint(j, "redundant", x->redundant);
	snag_json_uint(j, "cut", x->cut);
	snag_json_double(j, "seconds", x->seconds);
	if (x->confirmed) {
		snag_json_uint(j, "confirmed", x->confirmed);
		snag_json_bool(j, "same_memory", x->same_memory);
		snag_json_bool(j, "same_graph", x->same_graph);
	}
	snag_json_array(j, "errors");
	for (size_t i = 0; i < x->nerrors; i++) {
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_string(j, "message", x->error[i].message);
		schedule_array(j, &x->error[i].schedule);
		snag_json_end(j);
	}
	snag_json_end(j);
	stuck_object(j, "deadlocked", &x->deadlock);
	stuck_object(j, "looping", &x->endless);
	snag_json_array(j, "races");
	for (size_t i = 0; i < x->nraces; i++)
		race_object(j, &x->race[i]);
	snag_json_end(j);
	snag_json_end(j);
}

/* "0 1 1 0": consecutive steps of one task are one turn. */
static void turns(struct snag_printer *to, const struct snag_task_schedule *s)
{
	int shown = 0;
	snag_print(to, "; tasks take turns:");
	for (size_t i = 0; i < s->n && shown <= SHOWN_STEPS; i++) {
		if (i > 0 && s->task[i] == s->task[i - 1])
			continue;
		if (shown++ < SHOWN_STEPS)
			snag_printf(to, " %u", s->task[i]);
		else
			snag_print(to, " ...");
	}
	snag_print(to, "\n");
}

static void race_line(struct snag_printer *to, const struct snag_task_explored_race *race)
{
	const struct snag_task_explored_access *a = &race->first, *b = &race->second;
	snag_print(to, "  race on ");
	snag_print_name(to, race->variable);
	snag_printf(to, ": task %u %s at %u:%u, task %u %s at %u:%u", a->task,
		    a->is_write ? "writes" : "reads", a->place.line, a->place.column, b->task,
		    b->is_write ? "writes" : "reads", b->place.line, b->place.column);
	turns(to, &race->schedule);
}

static void stuck_line(struct snag_printer *to, const char *what,
		       const struct snag_task_explored_stuck *stuck)
{
	const struct snag_task_wait *wait = stuck->wait;
	if (stuck->n == 0)
		return;
	snag_printf(to, "  %s:", what);
	for (size_t i = 0; i < stuck->n && i < SHOWN_WAITS; i++)
		snag_printf(to, "%s task %u waits at %u:%u (%s)", i ? "," : "", wait[i].task,
			    wait[i].place.line, wait[i].place.column, wait[i].what);
	snag_print(to, stuck->n > SHOWN_WAITS ? ", ..." : "");
	turns(to, &stuck->schedule);
}

/* Returns whether some detector reports a race that no schedule has. */
static bool is_refuted(const struct snag_task_report *r)
{
	if (snag_task_explored_verdict(r->explored) != SNAG_TASK_RACE_FREE)
		return false;
	for (size_t i = 0; i < r->nfindings; i++)
		if (r->findings[i].nraces)
			return true;
	return false;
}

void snag_task_explored_text(const struct snag_task_report *r, struct snag_printer *to)
{
	const struct snag_task_explored *x = r->explored;
	enum snag_task_verdict verdict = snag_task_explored_verdict(x);
	snag_printf(to, "explore: %s", snag_task_verdict_text[verdict]);
	if (x->nraces)
		snag_printf(to, " on %zu variable%s", x->nraces, snag_plural(x->nraces));
	snag_printf(to, "; %llu schedule%s, %s; %llu final state%s (%.2f s)\n",
		    (unsigned long long)x->schedules, snag_plural(x->schedules), x->gap,
		    (unsigned long long)x->final_states, snag_plural(x->final_states), x->seconds);
	if (is_refuted(r))
		snag_print(to, "  the races reported above are false: no schedule has one\n");
	for (size_t i = 0; i < x->nraces; i++)
		race_line(to, &x->race[i]);
	stuck_line(to, "deadlock", &x->deadlock);
	stuck_line(to, "endless loop", &x->endless);
	for (size_t i = 0; i < x->nerrors; i++) {
		snag_print(to, "  error in some schedule: ");
		snag_print_name(to, x->error[i].message);
		turns(to, &x->error[i].schedule);
	}
	if (x->confirmed)
		snag_printf(to, "  %llu random schedules more have %s memory and %s graph\n",
			    (unsigned long long)x->confirmed,
			    x->same_memory ? "the same" : "another",
			    x->same_graph ? "the same" : "another");
	if (r->stats)
		snag_printf(to,
			    "  %llu computation graphs, %llu schedules given up, %llu cut off\n",
			    (unsigned long long)x->graphs, (unsigned long long)x->redundant,
			    (unsigned long long)x->cut);
}
