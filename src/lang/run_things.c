/* SPDX-License-Identifier: Apache-2.0
 *
 * run_things.c - what a running program makes: tasks, variables, cells, promises
 */
#include "base/memory.h"
#include "lang/bytecode.h"
#include "lang/run_state.h"

#include <stdio.h>
#include <string.h>

static void name_add(struct run *r, enum snag_space space, const char *name)
{
	snag_strtab_intern(&r->names.space[space], name, strlen(name));
}

void run_task_add(struct run *r, snag_tid task, snag_tid creator)
{
	char name[16];
	snprintf(name, sizeof(name), "%u", task);
	name_add(r, SNAG_SPACE_THREAD, name);
	r->loc = snag_grow(r->loc, &r->loc_cap, (size_t)task + 1, sizeof(*r->loc));
	r->created = snag_grow(r->created, &r->created_cap, (size_t)task + 1, sizeof(*r->created));
	r->created[task].creator = creator;
	r->created[task].loc = r->loc[creator];
}

/* "@7" or "@7#2", behind `prefix`. */
static void made_name(char *to, size_t cap, const char *prefix, struct made made)
{
	if (made.n > 1)
		snprintf(to, cap, "%s@%u#%u", prefix, made.line, made.n);
	else
		snprintf(to, cap, "%s@%u", prefix, made.line);
}

uint32_t run_promise_id(struct run *r, uint32_t number)
{
	struct promise *p = &r->promise[number];
	char name[40];
	if (p->id)
		return p->id - 1;
	if (p->made.line) {
		made_name(name, sizeof(name), "new", p->made);
		name_add(r, SNAG_SPACE_PROMISE, name);
	} else {
		name_add(r, SNAG_SPACE_PROMISE, snag_program_promise_name(r->program, number));
	}
	p->id = r->names.space[SNAG_SPACE_PROMISE].n;
	return p->id - 1;
}

uint32_t run_update_id(struct run *r, uint8_t kind)
{
	char name[sizeof(SNAG_UPDATE_NAME) + 3];
	if (r->update[kind])
		return r->update[kind] - 1;
	snprintf(name, sizeof(name), SNAG_UPDATE_NAME "%u", kind);
	name_add(r, SNAG_SPACE_LOCK, name);
	r->update[kind] = r->names.space[SNAG_SPACE_LOCK].n;
	return r->update[kind] - 1;
}

void run_variable_add(struct run *r, uint32_t slot)
{
	char name[SNAG_SLOT_NAME];
	if (slot < r->nshared)
		snag_program_slot_name(r->program, slot, name);
	else
		made_name(name, sizeof(name), "", r->cell[slot - r->nshared].made);
	name_add(r, SNAG_SPACE_VARIABLE, name);
	run_slot(r, slot)->variable = r->names.space[SNAG_SPACE_VARIABLE].n;
}

struct snag_value run_cell_new(struct run *r, snag_loc loc)
{
	uint32_t line = snag_program_place(r->program, loc).line;
	size_t c = r->ncells++;
	r->cell = snag_grow(r->cell, &r->cell_cap, r->ncells, sizeof(*r->cell));
	r->cell[c].made = (struct made){.line = line, .n = ++r->cells_on[line]};
	return (struct snag_value){.v = (int64_t)c, .kind = SNAG_CELL};
}

static uint32_t promise_add(struct run *r, struct made made)
{
	uint32_t number = snag_task_promise_new(r->tasks);
	r->promise =
		snag_grow(r->promise, &r->promise_cap, (size_t)number + 1, sizeof(*r->promise));
	r->promise[number].made = made;
	return number;
}

void run_promise_declare(struct run *r)
{
	promise_add(r, (struct made){0});
}

struct snag_value run_promise_new(struct run *r, snag_loc loc)
{
	uint32_t line = snag_program_place(r->program, loc).line;
	struct made made = {.line = line, .n = ++r->promises_on[line]};
	return (struct snag_value){.v = promise_add(r, made), .kind = SNAG_PROMISE};
}

void run_things_init(struct run *r)
{
	uint32_t nplaces = snag_program_locations(r->program), last_line = 0;
	for (uint32_t i = 0; i < nplaces; i++) {
		struct snag_place place = snag_program_place(r->program, i);
		char name[32];
		snprintf(name, sizeof(name), "%u:%u", place.line, place.column);
		name_add(r, SNAG_SPACE_LOCATION, name);
		last_line = place.line > last_line ? place.line : last_line;
	}
	r->cells_on = snag_calloc((size_t)last_line + 1, sizeof(*r->cells_on));
	r->promises_on = snag_calloc((size_t)last_line + 1, sizeof(*r->promises_on));
	r->nshared = snag_program_slots(r->program);
	r->shared = snag_calloc(r->nshared ? r->nshared : 1, sizeof(*r->shared));
	for (size_t i = 0; i < r->program->narrays; i++) {
		const struct array *array = &r->program->array[i];
		if (array->initial)
			r->shared[array->slot].value = snag_integer(array->initial);
	}
}

void run_things_done(struct run *r)
{
	snag_names_done(&r->names);
	free(r->shared);
	free(r->cell);
	free(r->cells_on);
	free(r->promises_on);
	free(r->promise);
	free(r->loc);
	free(r->created);
}
