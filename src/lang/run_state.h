/* SPDX-License-Identifier: Apache-2.0
 *
 * run_state.h - inside a depth-first run: its tasks, memory and promises
 *
 * run.c runs the program; run_things.c records and names what the program makes.
 *
 * State.  shared, cell  the value of each slot, and its number among the accessed ones
 *         loc[t]        where task t is: the place of the events that the executor reports
 *         created[t]    its creator, and where
 *         Variables and promises are numbered and named when they are first used: most elements
 *         of a large array may never be.
 */
#ifndef SNAG_LANG_RUN_STATE_H
#define SNAG_LANG_RUN_STATE_H

#include "lang/machine.h"
#include "lang/run.h"
#include "task/fiber.h"

struct run_slot {
	struct snag_value value;
	uint32_t variable; /* 1 + number; 0: not accessed yet */
};

/* Made by the n-th alloc or new of a line. */
struct made {
	uint32_t line, n;
};

struct cell {
	struct run_slot slot;
	struct made made;
};

struct promise {
	struct made made; /* line 0: declared */
	uint32_t id;	  /* 1 + number among those named; 0: not named yet */
	snag_loc set_at;  /* if it was set */
};

struct run_task { /* the state of a body; one for each live task */
	struct run *run;
	struct snag_machine machine;
	struct run_task *next; /* in the list of those not in use */
	struct run_task *all;  /* every one */
};

struct run {
	struct snag_source base;
	const struct snag_program *program;
	uint64_t steps_given, steps;
	bool may_cut;
	bool may_fail;
	struct snag_names names;

	struct snag_tasks *tasks;
	struct snag_stack stack;
	struct snag_fiber inside, outside; /* the run and its reader, whichever is suspended */
	bool has_begun, has_ended, is_closing;
	struct snag_error err; /* why it ended; code 0: it did not fail */

	struct run_slot *shared; /* as declared; a page that is never accessed takes no memory */
	uint32_t nshared;
	struct cell *cell;
	size_t ncells, cell_cap;
	uint32_t *cells_on, *promises_on; /* [line]: how many it has made */
	struct promise *promise;
	size_t promise_cap;
	snag_loc *loc;
	size_t loc_cap;
	struct {
		snag_tid creator;
		snag_loc loc;
	} * created;
	size_t created_cap;
	uint32_t update[UINT8_MAX + 1]; /* by kind: 1 + its number; 0: none yet */
	struct run_task *idle, *all;
	size_t nalive, max_alive; /* tasks */

	struct snag_run_end end;
	struct snag_waiting *waiting;
	struct snag_place *where;

	uint64_t first; /* events before this batch */
	size_t n;
	struct snag_event batch[SNAG_BATCH_EVENTS];
};

static inline struct run_slot *run_slot(struct run *r, uint32_t slot)
{
	return slot < r->nshared ? &r->shared[slot] : &r->cell[slot - r->nshared].slot;
}

/* A task comes into being. */
void run_task_add(struct run *r, snag_tid task, snag_tid creator);
/* The first access to a slot gives it its number and its name. */
void run_variable_add(struct run *r, uint32_t slot);
/* The number of a promise among those that have a name; it gets one when it first matters. */
uint32_t run_promise_id(struct run *r, uint32_t number);
/* The number of a kind of update among those that have a name. */
uint32_t run_update_id(struct run *r, uint8_t kind);
void run_promise_declare(struct run *r);
struct snag_value run_promise_new(struct run *r, snag_loc loc);
struct snag_value run_cell_new(struct run *r, snag_loc loc);

/* In the beginning and in the end. */
void run_things_init(struct run *r);
void run_things_done(struct run *r);

#endif
