/* SPDX-License-Identifier: Apache-2.0
 *
 * task_deadlock.c - a program of tasks that deadlocks: the tasks that wait, for what, and where
 */
#include "report/incident/task_deadlock.h"

#include "report/incident/incident_parts.h"

static const char *task_name(const struct snag_incident_report *r, snag_tid task)
{
	const char *name = snag_name(r->report->names, SNAG_SPACE_THREAD, task);
	return name + (name[0] == 'T');
}

static void wait_text(struct snag_printer *to, const struct snag_incident_report *r,
		      const struct snag_waiting_task *w)
{
	snag_print(to, "  Task ");
	snag_print_name(to, task_name(r, w->task));
	snag_print(to, " waits for ");
	snag_print_name(to, w->what);
	snag_print(to, ", at:\n");
	snag_text_stack_of(to, r, w->loc);
}

void snag_task_deadlock_text(const struct snag_incident_report *r, struct snag_printer *to)
{
	enum { SHOWN = 20 };
	const struct snag_task_deadlock *d = r->deadlock;
	struct snag_callstack s;
	snag_printf(to, "==================\nWARNING: %s: deadlock (pid=%d)\n", r->tool, r->pid);
	for (size_t i = 0; i < d->n && i < SHOWN; i++)
		wait_text(to, r, &d->wait[i]);
	if (d->n > SHOWN)
		snag_printf(to, "  and %zu more\n\n", d->n - SHOWN);
	snag_printf(to, "SUMMARY: %s: deadlock ", r->tool);
	snag_callstack_read(r->report->names, d->wait[0].loc, &s);
	snag_text_place(to, r, &s.frame[0]);
	snag_print(to, " in ");
	snag_print_name(to, s.frame[0].function ? s.frame[0].function : "<null>");
	snag_print(to, "\n==================\n");
	snag_callstack_done(&s);
}

void snag_task_deadlock_json(const struct snag_incident_report *r, struct snag_json *j)
{
	const struct snag_task_deadlock *d = r->deadlock;
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "kind", "deadlock");
	snag_json_array(j, "waits");
	for (size_t i = 0; i < d->n; i++) {
		const struct snag_waiting_task *w = &d->wait[i];
		struct snag_callstack s;
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_string(j, "task",
				 snag_name(r->report->names, SNAG_SPACE_THREAD, w->task));
		snag_json_string(j, "for", w->kind);
		snag_json_string(j, "text", w->what);
		snag_callstack_read(r->report->names, w->loc, &s);
		snag_json_stack(j, "stack", &s);
		snag_callstack_done(&s);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
}
