/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_name.c - names the variables and locks of reports as the source does (naming.h)
 */
#include "report/incident/incident.h"

#include "base/memory.h"
#include "report/incident/incident_deadlock.h"
#include "report/source/naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *text)
{
	return *text ? snag_strdup(text) : NULL;
}

/* Returns how many bytes an element of the array has that the race ranges over; 0: unknown.
 * `field` must be "[i]" for the last place. */
static uint32_t element_of(struct snag_naming *x, const struct snag_incident *in,
			   const struct snag_names *names, unsigned size)
{
	const char *variable = snag_name(names, SNAG_SPACE_VARIABLE, in->race->second.target);
	struct snag_object_name o = snag_object_name(variable);
	int64_t last = in->extent.first_byte + in->extent.bytes - size;
	struct snag_variable_name name = {0};
	char place[400];
	unsigned long index;
	int end = 0;
	if (o.kind != SNAG_OBJECT_GLOBAL || o.length > sizeof(place) - 32 || last <= 0)
		return 0;
	snprintf(place, sizeof(place), "%.*s+%" PRId64, (int)o.length, variable, last);
	snag_naming_variable(x, place, size, &in->stack[1], &name);
	if (sscanf(name.field, "[%lu]%n", &index, &end) != 1 || name.field[end] || index == 0 ||
	    (uint64_t)last % index)
		return 0;
	return (uint32_t)((uint64_t)last / index);
}

/* An access may cover several elements: the range has those of the source. */
static void extent_name(struct snag_naming *x, struct snag_incident *in,
			const struct snag_names *names)
{
	struct snag_extent *e = &in->extent;
	uint32_t size = e->places > 1 && e->element ? element_of(x, in, names, e->element) : 0;
	if (!size || size >= e->element || e->element % size)
		return;
	e->places *= e->element / size;
	e->first = (uint64_t)e->first_byte / size;
	e->last = (uint64_t)(e->first_byte + e->bytes) / size - 1;
	e->element = size;
}

/* The write says more than the read: compilers give reads the place of the whole expression. */
static void variable_name(struct snag_naming *x, struct snag_incident *in,
			  const struct snag_names *names)
{
	const struct snag_site *site[2] = {&in->race->second, &in->race->first};
	struct snag_variable_name name = {0};
	int first = !snag_op_writes(site[0]->op) && snag_op_writes(site[1]->op);
	/* The larger one may have begun before this variable. */
	unsigned size = site[0]->size < site[1]->size ? site[0]->size : site[1]->size;
	for (int i = 0; i < 2 && !name.name[0]; i++) {
		int k = i ^ first;
		snag_naming_variable(x, snag_name(names, SNAG_SPACE_VARIABLE, site[k]->target),
				     size ? size : site[k]->size, &in->stack[!k], &name);
	}
	extent_name(x, in, names);
	in->name = text_of(name.name);
	in->type = text_of(name.type);
	in->field = text_of(name.field);
}

const char *snag_incidents_lock(const struct snag_incidents *all, const struct snag_names *names,
				uint32_t lock)
{
	for (size_t i = 0; i < all->nlocks; i++)
		if (all->lock[i].lock == lock)
			return all->lock[i].name;
	return snag_name(names, SNAG_SPACE_LOCK, lock);
}

static void lock_name(struct snag_naming *x, struct snag_incidents *all,
		      const struct snag_names *names, uint32_t lock,
		      const struct snag_callstack *stack)
{
	struct snag_variable_name name = {0};
	const char *raw = snag_name(names, SNAG_SPACE_LOCK, lock);
	char text[200];
	for (size_t i = 0; i < all->nlocks; i++)
		if (all->lock[i].lock == lock)
			return;
	if (!snag_naming_lock(x, raw, stack, &name)) {
		snag_variable_text(raw, text, sizeof(text));
		if (strcmp(text, raw) == 0)
			return;
		snprintf(name.name, sizeof(name.name), "%s", text);
	}
	all->lock = snag_grow(all->lock, &all->lock_cap, all->nlocks + 1, sizeof(*all->lock));
	all->lock[all->nlocks++] = (struct snag_lock_name){lock, snag_strdup(name.name)};
}

/* The locks that a deadlock is about. */
static void deadlock_name(struct snag_naming *x, struct snag_incidents *all,
			  const struct snag_names *names, const struct snag_deadlock_incident *in)
{
	for (size_t i = 0; i < in->deadlock->n; i++) {
		const struct snag_site *at = &in->deadlock->wait[i].at;
		if (at->op != SNAG_OP_JOIN)
			lock_name(x, all, names, at->target, &in->at[i]);
		if (in->held[i].n)
			lock_name(x, all, names, in->deadlock->wait[i].held.target, &in->held[i]);
	}
}

void snag_incidents_name(struct snag_incidents *all, const struct snag_names *names)
{
	struct snag_naming *x = NULL;
	for (size_t i = 0; i < all->n; i++) {
		struct snag_incident *in = &all->at[i];
		const struct snag_site *site[2] = {&in->race->first, &in->race->second};
		if (in->is_suppressed)
			continue;
		x = x ? x : snag_naming_new(names);
		variable_name(x, in, names);
		for (int k = 0; k < 2; k++)
			for (uint32_t l = 0; l < site[k]->nlocks; l++)
				lock_name(x, all, names, site[k]->locks[l].lock, &in->stack[k]);
	}
	for (size_t i = 0; i < all->ndeadlocks; i++) {
		if (all->deadlock[i].is_suppressed)
			continue;
		x = x ? x : snag_naming_new(names);
		deadlock_name(x, all, names, &all->deadlock[i]);
	}
	snag_naming_free(x);
}

void snag_incident_variable(const struct snag_incident *in, const struct snag_names *names,
			    char *buf, size_t room)
{
	const char *variable = snag_name(names, SNAG_SPACE_VARIABLE, in->race->second.target);
	char place[200];
	snag_variable_text(variable, place, sizeof(place));
	if (!in->name)
		snprintf(buf, room, "%s", place);
	else if (in->is_heap)
		snprintf(buf, room, "%s (%s)", in->name, place);
	else
		snprintf(buf, room, "%s", in->name);
}
