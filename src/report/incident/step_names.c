/* SPDX-License-Identifier: Apache-2.0
 *
 * step_names.c - what the steps of schedules act on, as the source calls it
 */
#include "report/incident/step_names.h"

#include "base/memory.h"
#include "report/source/naming.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000 };

struct snag_step_names {
	const struct snag_incident_report *r;
	struct snag_naming *naming; /* NULL: not needed so far */
	size_t asked;
	char **name[SNAG_SPACES]; /* by id; NULL: not looked up */
};

/* The variables of races have the names of their reports. */
static void reported_add(struct snag_step_names *x)
{
	for (size_t i = 0; i < x->r->incidents->n; i++) {
		const struct snag_incident *in = &x->r->incidents->at[i];
		char **name = &x->name[SNAG_SPACE_VARIABLE][in->race->second.target];
		if (in->name && !*name)
			*name = snag_strdup(in->name);
	}
}

struct snag_step_names *snag_step_names_new(const struct snag_incident_report *r)
{
	struct snag_step_names *x = snag_calloc(1, sizeof(*x));
	x->r = r;
	for (int k = 0; k < SNAG_SPACES; k++)
		x->name[k] = snag_calloc(r->report->names->space[k].n + 1, sizeof(char *));
	reported_add(x);
	return x;
}

/* Names what a variable or lock is called in the line of this event. */
static bool by_source(struct snag_step_names *x, const struct snag_event *ev, enum snag_space space,
		      const char *raw, struct snag_variable_name *ret)
{
	struct snag_callstack stack;
	bool is_known;
	if (x->asked++ >= MOST)
		return false;
	if (!x->naming)
		x->naming = snag_naming_new(x->r->report->names);
	snag_callstack_read(x->r->report->names, ev->loc, &stack);
	is_known = space == SNAG_SPACE_LOCK
			   ? snag_naming_lock(x->naming, raw, &stack, ret)
			   : snag_naming_variable(x->naming, raw, ev->size, &stack, ret);
	snag_callstack_done(&stack);
	return is_known && ret->name[0];
}

static char *look_up(struct snag_step_names *x, const struct snag_event *ev, enum snag_space space)
{
	const struct snag_names *names = x->r->report->names;
	const char *raw = snag_name(names, space, ev->target), *known = raw;
	struct snag_variable_name name;
	char place[300];
	if (space == SNAG_SPACE_LOCK)
		known = snag_incidents_lock(x->r->incidents, names, ev->target);
	if (known != raw)
		return snag_strdup(known);
	if ((space == SNAG_SPACE_LOCK || space == SNAG_SPACE_VARIABLE) &&
	    by_source(x, ev, space, raw, &name))
		return snag_strdup(name.name);
	snag_variable_text(raw, place, sizeof(place));
	return snag_strdup(place);
}

const char *snag_step_name(struct snag_step_names *x, const struct snag_event *ev)
{
	enum snag_space space = snag_op_info[ev->op].space;
	if (space == SNAG_SPACE_NONE)
		return "";
	char **name = &x->name[space][ev->target];
	if (!*name)
		*name = look_up(x, ev, space);
	return *name;
}

void snag_step_names_free(struct snag_step_names *x)
{
	if (!x)
		return;
	for (int k = 0; k < SNAG_SPACES; k++) {
		for (size_t i = 0; i < x->r->report->names->space[k].n; i++)
			free(x->name[k][i]);
		free(x->name[k]);
	}
	snag_naming_free(x->naming);
	free(x);
}
