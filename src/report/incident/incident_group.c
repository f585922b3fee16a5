/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_group.c - one cause gives one report
 *
 * Idea.   Incidents come strongest first.  One pass takes each into an earlier report: the one
 *         with its id, or the first one of its object if that has enough reports.
 * Cost.   O(n): two string tables find the earlier report.
 */
#include "report/incident/incident_group.h"

#include "base/memory.h"
#include "base/strtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_reported(const struct snag_incident *in)
{
	return !in->is_suppressed && !in->is_apart;
}

static void more_add(struct snag_incident *to, const struct snag_race *race, const char *id)
{
	struct snag_incident_more more = {.race = race};
	memcpy(more.id, id, sizeof(more.id));
	to->more = snag_grow(to->more, &to->more_cap, to->nmore + 1, sizeof(*to->more));
	to->more[to->nmore++] = more;
}

/* `from` is one of the reports that `to` stands for. */
static void take_in(struct snag_incidents *all, struct snag_incident *to,
		    struct snag_incident *from, const struct snag_names *names)
{
	static const char nothing[sizeof(from->id)];
	bool is_same_cause = strcmp(to->id, from->id) == 0;
	more_add(to, from->race, is_same_cause ? nothing : from->id);
	for (size_t i = 0; i < from->nmore; i++)
		more_add(to, from->more[i].race, from->more[i].id);
	if (is_same_cause) {
		to->count += from->count;
		to->stacks += from->stacks;
		for (size_t i = 0; i < from->variables.n; i++)
			snag_variables_add(&to->variables, from->variables.at[i]);
		snag_variables_sort(&to->variables);
		to->extent = snag_extent_of(names, &to->variables, to->race->second.target,
					    to->race->second.size);
		if (!to->proof) {
			to->proof = from->proof;
			to->witness = from->witness;
		}
	}
	if (is_reported(from)) {
		all->shown--;
		all->by_verdict[from->race->verdict]--;
	}
	all->apart -= from->is_apart && !from->is_suppressed;
	snag_incident_done(from);
}

/* The reports so far, found by what they have in common. */
struct reports {
	struct snag_strtab ids, objects;
	size_t *by_id, *by_object, *of_object; /* the first report, and for objects their number */
};

/* Returns 0 if nothing tells which object it is, or if it hides no other report. */
static size_t object_key(const struct snag_incident *in, const struct snag_names *names, char *to,
			 size_t room)
{
	const char *name = snag_name(names, SNAG_SPACE_VARIABLE, in->race->second.target);
	struct snag_object_name o = snag_object_name(name);
	if (!is_reported(in) || o.kind == SNAG_OBJECT_OTHER ||
	    (o.kind == SNAG_OBJECT_STACK && !in->called))
		return 0;
	int n = snprintf(to, room, "%d ", (int)snag_incident_kind(in));
	to += n;
	room -= (size_t)n;
	if (o.kind == SNAG_OBJECT_HEAP)
		n += snprintf(to, room, "@%u", o.loc);
	else if (o.kind == SNAG_OBJECT_STACK)
		n += snprintf(to, room, "T%u-%.200s", o.thread, in->called);
	else
		n += snprintf(to, room, "%.*s", o.length < 1000 ? (int)o.length : 1000, name);
	return (size_t)n;
}

/* Returns the report that takes in `in`; SIZE_MAX: it is report number n itself. */
static size_t taker_find(struct reports *r, const struct snag_incident *in, size_t n,
			 const struct snag_names *names)
{
	char key[1100];
	uint32_t known = r->ids.n;
	uint32_t id = snag_strtab_intern(&r->ids, in->id, strlen(in->id));
	if (id < known)
		return r->by_id[id]; /* [lines] */
	r->by_id[id] = n;
	size_t len = object_key(in, names, key, sizeof(key));
	if (!len)
		return SIZE_MAX;
	known = r->objects.n;
	uint32_t object = snag_strtab_intern(&r->objects, key, len);
	if (object == known)
		r->by_object[object] = n;
	if (++r->of_object[object] <= SNAG_OBJECT_REPORTS)
		return SIZE_MAX;
	return r->by_id[id] = r->by_object[object]; /* [object] */
}

/* [lost] Reports come first, then those that are not reported; else all stay in their order. */
static void reports_first(struct snag_incidents *in)
{
	struct snag_incident *all = snag_calloc(in->n, sizeof(*all));
	size_t n = 0;
	for (int pass = 1; pass >= 0; pass--)
		for (size_t i = 0; i < in->n; i++)
			if (is_reported(&in->at[i]) == pass)
				all[n++] = in->at[i];
	memcpy(in->at, all, n * sizeof(*all));
	free(all);
}

void snag_incidents_group(struct snag_incidents *all, const struct snag_names *names)
{
	struct reports r = {.by_id = snag_calloc(all->n, sizeof(size_t)),
			    .by_object = snag_calloc(all->n, sizeof(size_t)),
			    .of_object = snag_calloc(all->n, sizeof(size_t))};
	size_t n = 0;
	reports_first(all);
	snag_strtab_init(&r.ids);
	snag_strtab_init(&r.objects);
	for (size_t i = 0; i < all->n; i++) {
		size_t to = taker_find(&r, &all->at[i], n, names);
		if (to != SIZE_MAX)
			take_in(all, &all->at[to], &all->at[i], names);
		else
			all->at[n++] = all->at[i];
	}
	all->n = n;
	snag_strtab_done(&r.ids);
	snag_strtab_done(&r.objects);
	free(r.by_id);
	free(r.by_object);
	free(r.of_object);
}
