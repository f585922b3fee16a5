/* SPDX-License-Identifier: Apache-2.0
 *
 * bytecode.h - the representation of a program after parsing
 *
 * Idea.   A stack machine.  The stack of a task holds, from the bottom, the locals of the task's
 *         body; for each called procedure its return address and its locals; and the operands of
 *         the current expression:
 *
 *         | locals | return | arguments, locals | return | arguments, locals | operands |
 *                             ^ fp of the outer            ^ fp                          ^ sp
 *
 *         A local is the value that its expression left on the stack, so `let` has no
 *         instruction, and the end of a block drops its locals.
 *
 *         The body of a task block stands where the block stands, and its creator jumps over it.
 *         The child begins with a copy of its creator's locals.
 */
#ifndef SNAG_LANG_BYTECODE_H
#define SNAG_LANG_BYTECODE_H

#include "base/strtab.h"
#include "lang/program.h"

#include <stdbool.h>

enum code {
	CODE_CONSTANT, /* push constant a */
	CODE_LOCAL,    /* push local a */
	CODE_PROMISE,  /* push declared promise a */
	CODE_NEW,
	CODE_ALLOC,
	CODE_READ,	 /* push slot a; b: the kind of the update it is part of, 0: none */
	CODE_READ_AT,	 /* pop index, push element of array a */
	CODE_READ_CELL,	 /* pop cell, push what is in it */
	CODE_WRITE,	 /* pop value, to slot a; b likewise */
	CODE_WRITE_AT,	 /* pop value and index, to array a */
	CODE_WRITE_CELL, /* pop value and cell */
	CODE_NEGATE,
	CODE_NOT,
	CODE_TRUTH, /* the integer on top becomes 0 or 1 */
	CODE_MULTIPLY,
	CODE_DIVIDE,
	CODE_REMAINDER,
	CODE_ADD,
	CODE_SUBTRACT,
	CODE_LESS,
	CODE_LESS_EQUAL,
	CODE_GREATER,
	CODE_GREATER_EQUAL,
	CODE_EQUAL,
	CODE_UNEQUAL,
	CODE_AND,	/* pop; if zero, push 0 and go to a */
	CODE_OR,	/* pop; if not, push 1 and go to a */
	CODE_JUMP,	/* to a */
	CODE_JUMP_ZERO, /* pop; if zero, to a */
	CODE_DROP,	/* a values */
	CODE_RECORD,	/* room for the return of the call that follows */
	CODE_CALL,	/* procedure a with the b arguments on top */
	CODE_RETURN,	/* b: from a frame with spawns of its own */
	CODE_ASYNC,	/* the child begins behind this; go to a */
	/* Of procedure a with the b arguments on top, which are popped. */
	CODE_SPAWN,
	CODE_ASYNC_CALL,
	CODE_SPAWN_CALL,
	CODE_FINISH_BEGIN, /* b: a statement of its own (beginFinish) */
	CODE_FINISH_END,
	CODE_SYNC,
	CODE_SET, /* pop promise */
	CODE_GET,
	CODE_ISOLATED_BEGIN,
	CODE_ISOLATED_END,
};

struct insn {
	uint8_t code; /* enum code */
	uint8_t b;
	uint32_t a;
};

struct procedure {
	uint32_t entry; /* pc */
	uint32_t nargs;
	bool has_frame; /* it spawns or syncs for itself */
};

struct array {
	uint32_t name; /* symbol */
	uint32_t slot; /* of its first element */
	uint32_t n;    /* 0: a plain variable */
	int64_t initial;
};

struct snag_program {
	char *name;
	struct insn *insn;
	snag_loc *loc; /* of each instruction */
	size_t ninsns, insn_cap, loc_cap;
	int64_t *constant;
	size_t nconstants, constant_cap;
	struct procedure *procedure;
	size_t nprocedures, procedure_cap;
	uint32_t main;	      /* pc */
	bool has_free_finish; /* beginFinish and endFinish: machines check how scopes nest */

	struct snag_strtab symbols; /* names in the text */
	struct array *array;	    /* the variables declared by var, ascending by slot */
	size_t narrays, array_cap;
	uint32_t nslots;
	uint32_t *promise; /* symbol of each declared promise */
	size_t npromises, promise_cap;

	struct snag_place *place; /* of each location, ascending */
	size_t nplaces, place_cap;
	struct snag_place first[SNAG_OPS];
};

#endif
