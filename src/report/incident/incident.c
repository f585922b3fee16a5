/* SPDX-License-Identifier: Apache-2.0
 *
 * incident.c - a race in a program, as its authors see it
 *
 * Idea.  The merged races come strongest first.  A string table finds the incident of each by
 *        its pair of places.  The first race of a pair becomes the incident; the others are
 *        counted.  Incidents with one cause get one id (incident_id.c), and in the end become
 *        one (incident_group.h).
 */
#include "report/incident/incident.h"

#include "base/memory.h"
#include "base/strtab.h"
#include "report/source/called.h"
#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_group.h"
#include "report/incident/incident_misuse.h"
#include "report/source/origins.h"

#include <stdio.h>
#include <string.h>

/* A second variable at the same place has #number behind its name. */
static size_t name_length(const char *name)
{
	const char *mark = strrchr(name, '#');
	return mark && mark[1] && !mark[1 + strspn(mark + 1, "0123456789")] ? (size_t)(mark - name)
									    : strlen(name);
}

/* The program says of all variables that their races are benign. */
static bool is_benign(const struct snag_incident *in, const struct snag_report *report)
{
	bool all = report->benign && report->benign->n;
	for (size_t i = 0; all && i < in->variables.n; i++) {
		const char *name =
			snag_name(report->names, SNAG_SPACE_VARIABLE, in->variables.at[i]);
		all = snag_strtab_find(report->benign, name, name_length(name)) != SNAG_NO_ID;
	}
	return all;
}

static bool is_suppressed(const struct snag_incident *in, const struct snag_report *report,
			  struct snag_suppressions *s)
{
	if (is_benign(in, report))
		return true;
	struct snag_suppressible race = {
		.frame = {in->stack[0].frame, in->stack[1].frame},
		.frames = {in->stack[0].n, in->stack[1].n},
		.variable = snag_name(report->names, SNAG_SPACE_VARIABLE, in->race->second.target),
		.id = in->id,
	};
	return s && snag_suppressions_match(s, &race);
}

static void variables_add(struct snag_incident *in, const struct snag_race *race)
{
	snag_variables_add(&in->variables, race->second.target);
	for (size_t i = 0; i < race->variables.n; i++)
		snag_variables_add(&in->variables, race->variables.at[i]);
}

static void extent_find(struct snag_incident *in, const struct snag_names *names)
{
	const struct snag_site *site = &in->race->second;
	snag_variables_sort(&in->variables);
	in->extent = snag_extent_of(names, &in->variables, site->target, site->size);
}

/* Finds the name that a write shows, or that both accesses show: for a read, a compiler may only
 * give the column of the computed expression. */
static void called_find(struct snag_incident *in, const struct snag_names *names)
{
	const struct snag_site *site[2] = {&in->race->first, &in->race->second};
	char *name[2] = {NULL, NULL};
	const char *variable = snag_name(names, SNAG_SPACE_VARIABLE, in->race->second.target);
	if (snag_object_name(variable).kind != SNAG_OBJECT_STACK)
		return;
	for (int i = 0; i < 2; i++)
		if (in->stack[i].n)
			name[i] = snag_called_at(&in->stack[i].frame[0], in->variables.n > 1);
	int known = name[0] ? 0 : 1;
	bool is_known = name[0] && name[1] ? strcmp(name[0], name[1]) == 0
					   : name[known] && site[known]->op == SNAG_OP_WRITE;
	in->called = is_known ? name[known] : NULL;
	for (int i = 0; i < 2; i++)
		if (name[i] != in->called)
			free(name[i]);
}

const char *const snag_incident_kind_name[] = {[SNAG_INCIDENT_RACE] = "race",
					       [SNAG_INCIDENT_USE_AFTER_FREE] = "use-after-free",
					       [SNAG_INCIDENT_DOUBLE_FREE] = "double-free",
					       [SNAG_INCIDENT_ATOMICITY] = "atomicity"},
		  *const snag_incident_kind_title[] = {
			  [SNAG_INCIDENT_RACE] = "data race",
			  [SNAG_INCIDENT_USE_AFTER_FREE] = "heap-use-after-free",
			  [SNAG_INCIDENT_DOUBLE_FREE] = "double free",
			  [SNAG_INCIDENT_ATOMICITY] = "atomicity violation"};

size_t snag_incident_accesses(const struct snag_incident *in,
			      struct snag_incident_access ret[SNAG_INCIDENT_ACCESSES])
{
	const struct snag_race *race = in->race;
	const struct snag_incident_access first = {&race->first, &in->stack[0]},
					  second = {&race->second, &in->stack[1]};
	size_t n = 0;
	if (race->is_atomicity)
		ret[n++] = (struct snag_incident_access){&race->read, &in->read};
	bool is_turned = race->is_atomicity && snag_race_between(race) == &race->second;
	ret[n++] = is_turned ? second : first;
	ret[n++] = is_turned ? first : second;
	return n;
}

bool snag_incident_is_of_freed(const struct snag_incident *in)
{
	enum snag_incident_kind kind = snag_incident_kind(in);
	return kind == SNAG_INCIDENT_USE_AFTER_FREE || kind == SNAG_INCIDENT_DOUBLE_FREE;
}

/* Uses of freed memory come first; all others stay in their order. */
static void freed_first(struct snag_incidents *in)
{
	struct snag_incident *all = snag_calloc(in->n, sizeof(*all));
	size_t n = 0;
	for (int is_freed = 1; is_freed >= 0; is_freed--)
		for (size_t i = 0; i < in->n; i++)
			if (snag_incident_is_of_freed(&in->at[i]) == is_freed)
				all[n++] = in->at[i];
	memcpy(in->at, all, n * sizeof(*all));
	free(all);
}

/* What tells it from other incidents: its places. */
static size_t places_of(const struct snag_race *race, const struct snag_callstack stack[2],
			const struct snag_callstack *read, char key[SNAG_PLACES_KEY])
{
	size_t n = snag_incident_places(stack, true, key);
	const struct snag_frame *f = race->is_atomicity ? &read->frame[0] : NULL;
	if (f && n < SNAG_PLACES_KEY)
		n += (size_t)snprintf(key + n, SNAG_PLACES_KEY - n, " after %s:%u:%u+%llx",
				      f->file ? f->file : "", f->line, f->column,
				      f->file ? 0 : (unsigned long long)f->offset);
	return n < SNAG_PLACES_KEY ? n : SNAG_PLACES_KEY - 1;
}

void snag_incidents_build(struct snag_incidents *ret, const struct snag_report *report,
			  const struct snag_merged *merged, struct snag_suppressions *suppressions)
{
	struct snag_incidents in = {.at = snag_calloc(merged->n, sizeof(*in.at))};
	struct snag_strtab places;
	char *key = snag_alloc(SNAG_PLACES_KEY);
	snag_strtab_init(&places);
	for (size_t i = 0; i < merged->n; i++) {
		const struct snag_merged_race *m = &merged->race[i];
		struct snag_callstack stack[2], read = {0};
		snag_callstack_read(report->names, m->race->first.loc, &stack[0]);
		snag_callstack_read(report->names, m->race->second.loc, &stack[1]);
		if (m->race->is_atomicity)
			snag_callstack_read(report->names, m->race->read.loc, &read);
		uint32_t at =
			snag_strtab_intern(&places, key, places_of(m->race, stack, &read, key));
		struct snag_incident *new = &in.at[at];
		variables_add(new, m->race);
		new->count += m->race->count;
		new->stacks++;
		if (!new->proof && m->proof) {
			new->proof = m->proof;
			new->witness = m->witness;
		}
		if (at < in.n) {
			snag_callstack_done(&stack[0]);
			snag_callstack_done(&stack[1]);
			snag_callstack_done(&read);
			continue;
		}
		in.n++;
		new->race = m->race;
		new->is_heap = snag_object_name(snag_name(report->names, SNAG_SPACE_VARIABLE,
							  m->race->second.target))
				       .kind == SNAG_OBJECT_HEAP;
		if (m->race->verdict == SNAG_CONFIRMED)
			new->replay = SNAG_REPLAY_CONFIRMED;
		new->found_by = report->part[m->part].findings->name;
		memcpy(new->stack, stack, sizeof(stack));
		new->read = read;
	}
	for (size_t i = 0; i < in.n; i++) {
		extent_find(&in.at[i], report->names);
		called_find(&in.at[i], report->names);
	}
	snag_incidents_identify(&in, report->names);
	for (size_t i = 0; i < in.n; i++) {
		in.at[i].is_suppressed = is_suppressed(&in.at[i], report, suppressions);
		if (in.at[i].is_suppressed)
			continue;
		in.shown++;
		in.by_verdict[in.at[i].race->verdict]++;
	}
	freed_first(&in);
	snag_strtab_done(&places);
	free(key);
	snag_deadlock_incidents_build(&in, report, suppressions);
	snag_misuse_incidents_build(&in, report, suppressions);
	*ret = in;
}

static size_t count_text(char *buf, size_t room, const char *before, size_t n, const char *what)
{
	return n ? (size_t)snprintf(buf, room, "%s%zu %s%s", before, n, what, snag_plural(n)) : 0;
}

bool snag_replay_tally_text(const struct snag_replay_tally *t, char *buf, size_t room)
{
	if (!t || !(t->predicted.left + t->suspects.left))
		return false;
	size_t n = count_text(buf, room, "", t->predicted.left, "predicted race");
	n += count_text(buf + n, room - n, n ? " and " : "", t->suspects.left, "suspicious pair");
	if (t->was_interrupted)
		snprintf(buf + n, room - n, " not replayed, as a signal came");
	else
		snprintf(buf + n, room - n,
			 " not replayed, as the time for replays is over; "
			 "--replay-seconds %llu goes on",
			 (unsigned long long)t->enough);
	return true;
}

void snag_incident_done(struct snag_incident *in)
{
	snag_callstack_done(&in->stack[0]);
	snag_callstack_done(&in->stack[1]);
	snag_callstack_done(&in->read);
	free(in->variables.at);
	free(in->called);
	free(in->replay_words);
	free(in->effect);
	free(in->more);
	free(in->name);
	free(in->type);
	free(in->field);
}

void snag_incidents_done(struct snag_incidents *in)
{
	for (size_t i = 0; i < in->n; i++)
		snag_incident_done(&in->at[i]);
	free(in->at);
	for (size_t i = 0; i < in->nlocks; i++)
		free(in->lock[i].name);
	free(in->lock);
	snag_deadlock_incidents_done(in);
	snag_misuse_incidents_done(in);
	*in = (struct snag_incidents){0};
}
