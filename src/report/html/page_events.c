/* SPDX-License-Identifier: Apache-2.0
 *
 * page_events.c - the events of schedules, as columns of numbers
 *
 * Idea.   A schedule has up to 100,000 steps.  So each property of the events is one array of small
 *         numbers.  Names, files and functions are written once, in the order in which events
 *         first name them.  Steps are written as runs of neighbours: a schedule mostly follows the
 *         observed order.
 */
#include "report/html/page.h"

#include "base/memory.h"
#include "report/incident/incident_deadlock.h"
#include "report/incident/step_names.h"

#include <stdlib.h>
#include <string.h>

/* Ids as dense numbers, in the order of their first use. */
struct dense {
	uint32_t *to;  /* by id: 1 + its number; 0: none */
	uint32_t *id;  /* by number */
	size_t *first; /* by number: the event that has it first */
	size_t n, room, first_room;
};

static void dense_init(struct dense *d, size_t n)
{
	*d = (struct dense){.to = snag_calloc(n + 1, sizeof(*d->to))};
}

static uint32_t dense_of(struct dense *d, uint32_t id, size_t event)
{
	if (!d->to[id]) {
		d->id = snag_grow(d->id, &d->room, d->n + 1, sizeof(*d->id));
		d->first = snag_grow(d->first, &d->first_room, d->n + 1, sizeof(*d->first));
		d->first[d->n] = event;
		d->id[d->n++] = id;
		d->to[id] = (uint32_t)d->n;
	}
	return d->to[id] - 1;
}

static void dense_done(struct dense *d)
{
	free(d->to);
	free(d->id);
	free(d->first);
}

enum {
	FLAG_NESTED = 1,
	FLAG_WAIT = 2,
	FLAG_ORDER = 4 /* times the memory order */,
	FLAG_FREE = 32
};

enum column { NUMBER, THREAD, OP, TARGET, PLACE, FLAGS, COLUMNS };
static const char *const column_name[COLUMNS] = {"number", "thread", "op",
						 "target", "place",  "flags"};

/* The recorder has no size for the end of a heap block. */
static bool is_free(const struct snag_names *names, const struct snag_event *ev)
{
	return ev->op == SNAG_OP_WRITE && ev->size == 0 &&
	       snag_object_name(snag_name(names, SNAG_SPACE_VARIABLE, ev->target)).kind ==
		       SNAG_OBJECT_HEAP;
}

static uint32_t cell(const struct snag_names *names, const struct snag_schedules *s, size_t i,
		     enum column column, struct dense space[SNAG_SPACES])
{
	const struct snag_event *ev = &s->ev[i];
	enum snag_space of = snag_op_info[ev->op].space;
	switch (column) {
	case NUMBER: /* the distance to the one before */
		return s->number[i] - (i ? s->number[i - 1] : 0);
	case THREAD:
		return dense_of(&space[SNAG_SPACE_THREAD], ev->thread, i);
	case OP:
		return ev->op;
	case TARGET:
		return of == SNAG_SPACE_NONE ? 0 : dense_of(&space[of], ev->target, i);
	case PLACE:
		return dense_of(&space[SNAG_SPACE_LOCATION], ev->loc, i);
	default:
		return (ev->flags & SNAG_NESTED ? FLAG_NESTED : 0) |
		       (snag_event_is_wait(ev) ? FLAG_WAIT : 0) |
		       (is_free(names, ev) ? FLAG_FREE : 0) |
		       (snag_op_is_atomic(ev->op) ? FLAG_ORDER * (ev->flags & SNAG_ORDER_MASK) : 0);
	}
}

/* [file, line, column, function] of the innermost frame. */
static void place(struct snag_json *j, const struct snag_names *names, snag_loc loc,
		  struct snag_page_lines *lines)
{
	struct snag_callstack s;
	snag_callstack_read(names, loc, &s);
	const struct snag_frame *f = &s.frame[0];
	snag_json_array(j, NULL);
	snag_json_string(j, NULL, f->file ? f->file : f->module ? f->module : "");
	snag_json_uint(j, NULL, f->line);
	snag_json_uint(j, NULL, f->column);
	snag_json_string(j, NULL, f->function ? f->function : "");
	snag_json_end(j);
	snag_page_lines_want(lines, f, 0);
	snag_callstack_done(&s);
}

static void names_write(struct snag_json *j, const struct snag_incident_report *r,
			const struct dense space[SNAG_SPACES], struct snag_page_lines *lines)
{
	static const char *const key[SNAG_SPACES] = {"thread", "variable", "lock", NULL, "promise"};
	const struct snag_names *names = r->report->names;
	struct snag_step_names *step_names = snag_step_names_new(r);
	snag_json_object(j, "names");
	for (int k = 0; k < SNAG_SPACES; k++) {
		if (!key[k])
			continue;
		snag_json_array(j, key[k]);
		for (size_t i = 0; i < space[k].n; i++) {
			/* That of a thread is its first step, or the step that creates it. */
			const struct snag_event *ev = &r->schedules->ev[space[k].first[i]];
			snag_json_string(
				j, NULL,
				k == SNAG_SPACE_THREAD
					? snag_name(names, SNAG_SPACE_THREAD, space[k].id[i])
					: snag_step_name(step_names, ev));
		}
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_newline(j);
	snag_json_array(j, "places");
	for (size_t i = 0; i < space[SNAG_SPACE_LOCATION].n; i++)
		place(j, names, space[SNAG_SPACE_LOCATION].id[i], lines);
	snag_json_end(j);
	snag_json_newline(j);
	snag_step_names_free(step_names);
}

void snag_page_events(struct snag_json *j, const struct snag_incident_report *r,
		      struct snag_page_lines *lines)
{
	const struct snag_names *names = r->report->names;
	struct dense space[SNAG_SPACES];
	for (int k = 0; k < SNAG_SPACES; k++)
		dense_init(&space[k], names->space[k].n);
	snag_json_object(j, "events");
	for (int c = 0; c < COLUMNS; c++) {
		snag_json_array(j, column_name[c]);
		for (size_t i = 0; i < r->schedules->n; i++)
			snag_json_uint(j, NULL,
				       cell(names, r->schedules, i, (enum column)c, space));
		snag_json_end(j);
		snag_json_newline(j);
	}
	snag_json_end(j);
	snag_json_newline(j);
	names_write(j, r, space, lines);
	snag_json_array(j, "ops");
	for (int op = 0; op < SNAG_OPS; op++)
		snag_json_string(j, NULL, snag_op_info[op].text);
	snag_json_end(j);
	snag_json_newline(j);
	for (int k = 0; k < SNAG_SPACES; k++)
		dense_done(&space[k]);
}

void snag_page_schedule(struct snag_json *j, const struct snag_shown_schedule *s)
{
	if (s->from == s->to)
		return;
	snag_json_object(j, "schedule");
	snag_json_array(j, "steps"); /* first, count, first, count, ... */
	for (size_t i = 0; i < s->n;) {
		size_t n = 1;
		while (i + n < s->n && s->step[i + n] == s->step[i] + n)
			n++;
		snag_json_uint(j, NULL, s->step[i]);
		snag_json_uint(j, NULL, n);
		i += n;
	}
	snag_json_end(j);
	snag_json_bool(j, "cut", s->is_cut);
	snag_json_uint(j, "from", s->from);
	snag_json_uint(j, "to", s->to);
	snag_json_bool(j, "observed_cut", s->is_observed_cut);
	snag_json_end(j);
}
