/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_flow.c - the schedule of a witness as a SARIF code flow
 *
 * There is one thread flow for each thread, and executionOrder counts the steps of the schedule.
 * Editors and code hosts refuse files of many megabytes: a flow has the last MOST steps, and all
 * flows together have about MOST_IN_ALL.
 */
#include "report/incident/incident_parts.h"
#include "report/incident/schedule.h"
#include "report/incident/step_names.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 5000, MOST_IN_ALL = 30000, LEAST = 100 };

static size_t most_steps(const struct snag_incident_report *r)
{
	size_t flows = r->incidents->n + r->incidents->ndeadlocks;
	size_t share = MOST_IN_ALL / (flows ? flows : 1);
	return share > MOST ? MOST : share < LEAST ? LEAST : share;
}

static void step(struct snag_json *j, const struct snag_incident_report *r,
		 struct snag_step_names *names, const struct snag_event *ev, size_t order,
		 bool is_goal)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	struct snag_callstack s;
	char words[400];
	snag_callstack_read(r->report->names, ev->loc, &s);
	if (op->space == SNAG_SPACE_NONE)
		snprintf(words, sizeof(words), "%s", op->text);
	else
		snprintf(words, sizeof(words), "%s(%.300s)", op->text, snag_step_name(names, ev));
	snag_json_object(j, NULL);
	snag_sarif_location(j, "location", r, &s.frame[0], words);
	snag_json_uint(j, "executionOrder", order);
	snag_json_string(j, "importance", is_goal ? "essential" : "important");
	snag_json_end(j);
	snag_callstack_done(&s);
}

struct ordered {
	snag_tid thread;
	uint32_t at; /* in the schedule */
};

static int by_thread(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void snag_sarif_flow(struct snag_json *j, const struct snag_incident_report *r,
		     struct snag_step_names *names, const struct snag_shown_schedule *s,
		     size_t goal)
{
	size_t most = most_steps(r), from = s->n > most ? s->n - most : 0, n = s->n - from;
	const struct snag_event *ev = r->schedules->ev;
	if (!n)
		return;
	struct ordered *step_of = snag_realloc(NULL, n, sizeof(*step_of));
	for (size_t i = 0; i < n; i++)
		step_of[i] = (struct ordered){ev[s->step[from + i]].thread, (uint32_t)(from + i)};
	qsort(step_of, n, sizeof(*step_of), by_thread);
	snag_json_array(j, "codeFlows");
	snag_json_object(j, NULL);
	snag_json_array(j, "threadFlows");
	for (size_t i = 0; i < n;) {
		snag_tid t = step_of[i].thread;
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_string(j, "id", snag_name(r->report->names, SNAG_SPACE_THREAD, t));
		snag_json_array(j, "locations");
		for (; i < n && step_of[i].thread == t; i++)
			step(j, r, names, &ev[s->step[step_of[i].at]], step_of[i].at - from + 1,
			     step_of[i].at + goal >= s->n);
		snag_json_end(j);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
	snag_json_end(j);
	free(step_of);
}
