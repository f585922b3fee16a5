/* SPDX-License-Identifier: Apache-2.0
 *
 * event.h - THE event: what every source produces and every analysis consumes
 *
 * A trace is a sequence of events in one total order (the observed one).  An
 * event says which thread did what to which object, and where in the code.  All
 * four are dense integers, counted from 0 in order of first appearance, each in
 * its own name space; names.h turns them into words.
 *
 *   0        4        8        12   13    14   15   16
 *   +--------+--------+--------+----+-----+----+----+
 *   | thread | target |  loc   | op |flags|size| -  |
 *   +--------+--------+--------+----+-----+----+----+
 *
 * Variables.  Two accesses can conflict only if they have the same target: a
 * source that sees overlapping accesses of different sizes splits them until
 * that is true.  `size` (bytes, 0: unknown) is for reports.
 *
 * Reentrancy.  A thread may take a lock it already holds.  Only the outermost
 * acquire and release form the critical section; the inner ones carry
 * SNAG_NESTED, set by wellformed.c whatever the source, and every analysis
 * ignores them.
 *
 * Tasks.  In a trace of a task-parallel program `thread` is the task.
 */
#ifndef SNAG_TRACE_EVENT_H
#define SNAG_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t snag_tid; /* a thread (or task), dense */
typedef uint32_t snag_loc; /* a code location, dense */

/* Name spaces of dense ids. */
enum snag_space {
	SNAG_SPACE_THREAD,
	SNAG_SPACE_VARIABLE,
	SNAG_SPACE_LOCK,
	SNAG_SPACE_LOCATION,
	SNAG_SPACE_TASK,
	SNAG_SPACE_PROMISE,
	SNAG_SPACES,
	SNAG_SPACE_NONE = SNAG_SPACES, /* the operation has no operand */
};

enum snag_op {
#define OP(name, text, space, about) SNAG_OP_##name,
#include "trace/ops.def"
#undef OP
	SNAG_OPS
};

/* Flag bits.  The low three hold the C11 memory order of an atomic or fence. */
enum {
	SNAG_ORDER_MASK = 0x07, /* enum snag_order */
	SNAG_NESTED = 0x08,	/* acquire of a lock already held, or its release */
};

enum snag_order {
	SNAG_RELAXED,
	SNAG_CONSUME,
	SNAG_ACQUIRE,
	SNAG_RELEASE,
	SNAG_ACQ_REL,
	SNAG_SEQ_CST,
	SNAG_ORDERS
};

struct snag_event {
	snag_tid thread;
	uint32_t target; /* in the name space of op; 0 if the op has no operand */
	snag_loc loc;
	uint8_t op; /* enum snag_op */
	uint8_t flags;
	uint8_t size;  /* of an access in bytes, 0: unknown */
	uint8_t spare; /* 0 */
};

_Static_assert(sizeof(struct snag_event) == 16, "an event is 16 bytes");

struct snag_op_info {
	const char *name; /* "READ" */
	const char *text; /* "r" */
	enum snag_space space;
	const char *about;
};

extern const struct snag_op_info snag_op_info[SNAG_OPS];

static inline bool snag_op_is_access(uint8_t op) /* a plain one: those race */
{
	return op == SNAG_OP_READ || op == SNAG_OP_WRITE;
}

#endif
