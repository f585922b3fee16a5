/* SPDX-License-Identifier: Apache-2.0
 *
 * task_explore.c - what `snag task --explore` prints
 *
 * Described in docs/man/snag-task.1.md.
 */
#include "cli/task_explore.h"

#include "lang/machine.h"

enum { SHOWN_RUNS = 24, SHOWN_WAITS = 20 };

static const char *verdict(const struct snag_explored *x)
{
	return x->nraces ? "race" : x->exhaustive ? "race-free" : "no-race-found";
}

static const char *op_text(const struct snag_explored_access *a)
{
	return a->is_write ? "write" : "read";
}

static void json_place(struct snag_json *j, const struct snag_program *program, snag_loc loc)
{
	struct snag_place place = snag_program_place(program, loc);
	snag_json_uint(j, "line", place.line);
	snag_json_uint(j, "column", place.column);
}

static void json_schedule(struct snag_json *j, const struct snag_schedule *schedule)
{
	snag_json_array(j, "schedule");
	for (size_t i = 0; i < schedule->n; i++)
		snag_json_uint(j, NULL, schedule->task[i]);
	snag_json_end(j);
}

static void json_access(struct snag_json *j, const char *key, const struct snag_program *program,
			const struct snag_explored_access *a)
{
	snag_json_object(j, key);
	json_place(j, program, a->loc);
	snag_json_string(j, "op", op_text(a));
	snag_json_uint(j, "task", a->task);
	snag_json_bool(j, "isolated", a->is_isolated);
	snag_json_end(j);
}

static void json_races(struct snag_json *j, const struct snag_explored *x,
		       const struct snag_program *program)
{
	snag_json_array(j, "racy_variables");
	for (size_t i = 0; i < x->nraces; i++)
		snag_json_string(j, NULL, x->race[i].variable);
	snag_json_end(j);
	snag_json_newline(j);
	snag_json_array(j, "races");
	for (size_t i = 0; i < x->nraces; i++) {
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_string(j, "variable", x->race[i].variable);
		json_access(j, "first", program, &x->race[i].first);
		json_access(j, "second", program, &x->race[i].second);
		json_schedule(j, &x->race[i].schedule);
		snag_json_end(j);
	}
	snag_json_end(j);
}

static void json_stuck(struct snag_json *j, const char *key, const struct snag_program *program,
		       const struct snag_explored_stuck *stuck)
{
	if (stuck->n == 0)
		return;
	snag_json_newline(j);
	snag_json_object(j, key);
	snag_json_array(j, "waiting");
	for (size_t i = 0; i < stuck->n; i++) {
		snag_json_object(j, NULL);
		snag_json_uint(j, "task", stuck->wait[i].task);
		json_place(j, program, stuck->wait[i].loc);
		snag_json_string(j, "in", stuck->wait[i].what);
		snag_json_end(j);
	}
	snag_json_end(j);
	json_schedule(j, &stuck->schedule);
	snag_json_end(j);
}

static void json_errors(struct snag_json *j, const struct snag_explored *x,
			const struct snag_program *program)
{
	snag_json_newline(j);
	snag_json_array(j, "errors");
	for (size_t i = 0; i < x->nerrors; i++) {
		snag_json_newline(j);
		snag_json_object(j, NULL);
		json_place(j, program, x->error[i].loc);
		snag_json_string(j, "message", x->error[i].message);
		json_schedule(j, &x->error[i].schedule);
		snag_json_end(j);
	}
	snag_json_end(j);
}

void cli_explore_json(const struct snag_explored *x, const struct snag_program *program,
		      struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_object(j, "explore");
	snag_json_uint(j, "schedules", x->schedules);
	snag_json_bool(j, "exhaustive", x->exhaustive);
	if (!x->exhaustive)
		snag_json_string(j, "because", snag_explore_gap_text(x->gap));
	snag_json_string(j, "verdict", verdict(x));
	snag_json_uint(j, "final_states", x->final_states);
	snag_json_bool(j, "deterministic", x->deterministic);
	snag_json_bool(j, "deadlock", x->deadlock.n > 0);
	snag_json_bool(j, "endless", x->endless.n > 0);
	snag_json_uint(j, "graphs", x->graphs);
	snag_json_uint(j, "redundant", x->redundant);
	snag_json_uint(j, "cut", x->cut);
	snag_json_uint(j, "steps", x->events);
	snag_json_double(j, "seconds", x->seconds);
	if (x->confirmed) {
		snag_json_object(j, "confirmed");
		snag_json_uint(j, "schedules", x->confirmed);
		snag_json_bool(j, "same_memory", x->same_memory);
		snag_json_bool(j, "same_graph", x->same_graph);
		snag_json_end(j);
	}
	json_races(j, x, program);
	json_stuck(j, "deadlocked", program, &x->deadlock);
	json_stuck(j, "looping", program, &x->endless);
	json_errors(j, x, program);
	snag_json_end(j);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "0 0 0 1 0 0" as "0 x3, 1, 0 x2". */
static void text_schedule(struct snag_printer *to, const struct snag_schedule *s)
{
	size_t runs = 0;
	snag_print(to, "    schedule, by task:");
	for (size_t i = 0, n; i < s->n; i += n) {
		for (n = 1; i + n < s->n && s->task[i + n] == s->task[i];)
			n++;
		if (runs++ == SHOWN_RUNS) {
			snag_printf(to, ", ... (%zu steps)", s->n);
			break;
		}
		snag_printf(to, "%s %u", i ? "," : "", s->task[i]);
		if (n > 1)
			snag_printf(to, " x%zu", n);
	}
	snag_print(to, "\n");
}

static void text_access(struct snag_printer *to, const struct snag_program *program,
			const struct snag_explored_access *a)
{
	struct snag_place place = snag_program_place(program, a->loc);
	snag_printf(to, "%s%s by task %u at %u:%u", a->is_isolated ? "isolated " : "", op_text(a),
		    a->task, place.line, place.column);
}

static void text_stuck(struct snag_printer *to, const struct snag_program *program,
		       const char *title, const struct snag_explored_stuck *stuck)
{
	if (stuck->n == 0)
		return;
	snag_printf(to, "  %s\n", title);
	for (size_t i = 0; i < stuck->n && i < SHOWN_WAITS; i++) {
		struct snag_place place = snag_program_place(program, stuck->wait[i].loc);
		snag_printf(to, "    task %u waits at %u:%u (%s)\n", stuck->wait[i].task,
			    place.line, place.column, stuck->wait[i].what);
	}
	if (stuck->n > SHOWN_WAITS)
		snag_printf(to, "    and %zu more\n", stuck->n - SHOWN_WAITS);
	text_schedule(to, &stuck->schedule);
}

static void text_states(struct snag_printer *to, const struct snag_explored *x)
{
	snag_printf(to, "  %llu final state%s, %llu computation graph%s: %s\n",
		    (unsigned long long)x->final_states, plural(x->final_states),
		    (unsigned long long)x->graphs, plural(x->graphs),
		    x->deterministic	  ? "deterministic"
		    : x->final_states > 1 ? "not deterministic"
					  : "nothing is proved");
	if (x->confirmed)
		snag_printf(to, "  %llu random schedules: %s memory, %s computation graph\n",
			    (unsigned long long)x->confirmed,
			    x->same_memory ? "the same" : "NOT THE SAME",
			    x->same_graph ? "the same" : "NOT THE SAME");
}

void cli_explore_text(const struct snag_explored *x, const struct snag_program *program,
		      struct snag_printer *to)
{
	snag_printf(to, "\nexplore: %s in %llu schedule%s", verdict(x),
		    (unsigned long long)x->schedules, plural(x->schedules));
	if (x->exhaustive)
		snag_printf(to, ", which stand%s for all", x->schedules == 1 ? "s" : "");
	else
		snag_printf(to, ", not all: %s", snag_explore_gap_text(x->gap));
	snag_printf(to, " (%.2f s)\n", x->seconds);
	for (size_t i = 0; i < x->nraces; i++) {
		snag_printf(to, "  RACE %s: ", x->race[i].variable);
		text_access(to, program, &x->race[i].first);
		snag_print(to, " / ");
		text_access(to, program, &x->race[i].second);
		snag_print(to, "\n");
		text_schedule(to, &x->race[i].schedule);
	}
	text_stuck(to, program, "DEADLOCK: in some schedule all that is left waits", &x->deadlock);
	text_stuck(to, program, "ENDLESS: in some schedule a loop waits for what nobody does",
		   &x->endless);
	for (size_t i = 0; i < x->nerrors; i++) {
		snag_print(to, "  ERROR in some schedule: ");
		snag_print_name(to, x->error[i].message);
		snag_print(to, "\n");
		text_schedule(to, &x->error[i].schedule);
	}
	text_states(to, x);
	snag_printf(to, "SUMMARY: snag: %s of %s explored: %s\n",
		    x->exhaustive ? "every schedule" : "some schedules", snag_program_name(program),
		    verdict(x));
}
