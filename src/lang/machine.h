/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.h - one task of a program, step by step, with nothing around it
 *
 * A machine holds the state of one task: its position, its locals, the procedures it is in.  It
 * computes until the task does something that other tasks can notice.  It describes that action
 * (struct snag_action), and leaves its execution to its driver.  The driver owns the shared
 * memory, the promises and the order in which tasks run: the depth-first run (lang/run.h) or an
 * exploration of all orders (lang/explore.h).
 *
 *   READ             the driver answers with the value: snag_machine_give()
 *   NEW, ALLOC       with a promise or cell that no task knows yet: snag_machine_give()
 *   ASYNC, SPAWN     the driver makes the child's machine: snag_machine_fork()
 *   END              the task has ended, FAULT: the program has failed, LIMIT: steps are used up;
 *                    no further step
 *   all others       the driver executes the action before the task's next step
 *
 * Memory.  Slots are numbered: the shared variables and array elements in the order of their
 *          declarations (snag_program_slots() of them), then the cells; the cell with the
 *          driver's number c is slot snag_program_slots() + c.  Promises: first the declared
 *          ones.
 *
 * State.  A machine is its numbers and stack[0 .. sp): two tasks are in the same state if these
 *         are equal, byte for byte.  Locals that are out of scope are not on the stack.
 */
#ifndef SNAG_LANG_MACHINE_H
#define SNAG_LANG_MACHINE_H

#include "lang/program.h"

#include <stdbool.h>

enum snag_value_kind {
	SNAG_INTEGER, /* 64 bits, arithmetic wraps around */
	SNAG_PROMISE, /* v is its number */
	SNAG_CELL,
	SNAG_RETURN, /* on the stack only: where a procedure returns to */
};

struct snag_value {
	int64_t v;
	uint32_t kind; /* enum snag_value_kind */
	uint32_t zero; /* so that equal values have equal bytes */
};

enum snag_action_kind {
	SNAG_ACT_READ,	/* of slot `target` */
	SNAG_ACT_WRITE, /* of `value` to slot `target` */
	SNAG_ACT_NEW,
	SNAG_ACT_ALLOC,
	SNAG_ACT_ASYNC,
	SNAG_ACT_SPAWN,
	/* Wait for the tasks of the innermost finish, close it. */
	SNAG_ACT_FINISH_BEGIN,
	SNAG_ACT_FINISH_END,
	SNAG_ACT_FRAME_BEGIN,
	SNAG_ACT_FRAME_END,
	SNAG_ACT_SYNC, /* wait for the tasks spawned in this frame */
	SNAG_ACT_SET,  /* of promise `target`; the driver checks whether it was set before */
	SNAG_ACT_GET,  /* of promise `target`: wait until it is set */
	SNAG_ACT_ISOLATED_BEGIN, /* wait until no other task is isolated; never nested */
	SNAG_ACT_ISOLATED_END,
	SNAG_ACT_END,
	SNAG_ACT_FAULT, /* see snag_machine_fault() */
	SNAG_ACT_LIMIT,
};

enum snag_fault {
	SNAG_FAULT_INDEX,	/* `value` is outside array `target` */
	SNAG_FAULT_DIVIDE,	/* by zero */
	SNAG_FAULT_NOT_INTEGER, /* `value` is none, but arithmetic needs one */
	SNAG_FAULT_NOT_PROMISE,
	SNAG_FAULT_NOT_CELL,
	SNAG_FAULT_DEPTH, /* too many calls inside each other */
	/* `endFinish`, but the innermost scope is none that beginFinish began. */
	SNAG_FAULT_NO_FINISH,
	SNAG_FAULT_OPEN_FINISH, /* a scope or the task ends in which beginFinish began one */
	SNAG_FAULT_SCOPES,	/* too many scopes inside each other */
};

/* Kinds of updates: those of one kind commute in isolated blocks (parser_updates.c). */
enum snag_update_kind {
	SNAG_UPDATE_NONE,
	SNAG_UPDATE_SUM,
	SNAG_UPDATE_PRODUCT,
	SNAG_UPDATE_LEAST, /* these two write in some orders only */
	SNAG_UPDATE_GREATEST,
	SNAG_UPDATE_SETS, /* and further kinds: stores of one constant each */
};

struct snag_action {
	uint8_t kind;  /* enum snag_action_kind */
	uint8_t fault; /* enum snag_fault */
	bool is_call;  /* ASYNC, SPAWN: of a procedure, with nargs arguments */
	uint8_t nargs;
	uint8_t update; /* READ, WRITE: enum snag_update_kind */
	uint32_t target;
	uint32_t entry; /* ASYNC, SPAWN: where the child begins */
	snag_loc loc;	/* where in the text: snag_program_place() */
	struct snag_value value;
};

struct snag_machine {
	uint32_t pc;
	uint32_t fp;	   /* the stack index of the innermost procedure's first local */
	uint32_t sp;	   /* values on the stack */
	uint32_t isolated; /* depth of isolated blocks */
	/* The open scopes, innermost in the lowest bit, below a bit that is always set.  1: a
	 * finish of beginFinish; 0: a finish block or the frame of a procedure.  1 in programs
	 * without beginFinish. */
	uint64_t scopes;
	uint32_t cap; /* room on the stack; not part of the state */
	struct snag_value *stack;
};

/* Starts the task that runs main.  Zero a machine before its first use; its stack is kept for
 * the next one, until done. */
void snag_machine_begin(struct snag_machine *m, const struct snag_program *program);
void snag_machine_done(struct snag_machine *m); /* accepts a zeroed one */

/* Computes up to the next action.  Subtracts the executed instructions from *steps. */
void snag_machine_step(struct snag_machine *m, const struct snag_program *program, uint64_t *steps,
		       struct snag_action *ret_action);

/* Completes READ, NEW and ALLOC. */
void snag_machine_give(struct snag_machine *m, struct snag_value value);
/* Completes ASYNC and SPAWN: `child`, zeroed or used before, becomes the machine of the child. */
void snag_machine_fork(struct snag_machine *m, const struct snag_action *action,
		       struct snag_machine *child);

/* Fills *err for a FAULT; returns its code. */
int snag_machine_fault(const struct snag_program *program, const struct snag_action *action,
		       struct snag_error *err);
/* "name:line:column: ..." for what the driver finds wrong at a place. */
int snag_program_fail(const struct snag_program *program, snag_loc loc, struct snag_error *err,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* What the program declares. */
uint32_t snag_program_slots(const struct snag_program *program);
struct snag_value snag_program_initial(const struct snag_program *program, uint32_t slot);
uint32_t snag_program_promises(const struct snag_program *program);
uint32_t snag_program_locations(const struct snag_program *program); /* locs are below */
const char *snag_program_name(const struct snag_program *program);   /* of the file */
const char *snag_program_promise_name(const struct snag_program *program, uint32_t promise);
/* "x" or "a[3]", cut to fit. */
enum { SNAG_SLOT_NAME = 128 };
void snag_program_slot_name(const struct snag_program *program, uint32_t slot,
			    char ret_name[SNAG_SLOT_NAME]);

static inline struct snag_value snag_integer(int64_t v)
{
	return (struct snag_value){.v = v, .kind = SNAG_INTEGER};
}

#endif
