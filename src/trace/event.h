/* SPDX-License-Identifier: Apache-2.0
 *
 * event.h - THE event: what every source produces and every analysis consumes
 *
 * A trace is a sequence of events in one total order (the observed one).  An event says which
 * thread did what to which object, and where in the code.  All four are dense integers, counted
 * from 0 in order of first appearance, each in its own name space.  names.h turns them into
 * words.
 *
 *   0        4        8        12   13    14   15   16
 *   +--------+--------+--------+----+-----+----+----+
 *   | thread | target |  loc   | op |flags|size|part|
 *   +--------+--------+--------+----+-----+----+----+
 *
 * Variables.  Two accesses can conflict only if they have the same target.  A source that sees
 * overlapping accesses of different sizes splits them until that is true.  `size` (bytes, 0:
 * unknown) is for reports.
 *
 * Reentrancy.  A thread may acquire a lock that it already holds.  Only the outermost acquire
 * and release form the critical section.  The inner ones carry SNAG_NESTED, which wellformed.c
 * sets for every source, and every analysis ignores them.
 *
 * Dependence.  By default a branch depends on all earlier reads of its thread.  If DEPENDS
 * events of its thread, since the thread's last branch, name variables, it depends only on the
 * earlier reads of these, and on reads from before the first DEPENDS event of the thread.
 * Naming a variable that the thread has not read says that the branch depends on nothing else.
 *
 * Tasks.  In a trace of a task-parallel program `thread` is the task; ids and names of tasks are
 * those of threads.
 *
 *   async      the child is parallel to what its creator does next.  The finish that was
 *              innermost in its creator, open there or inherited, waits for the child
 *   finish     FINISH_END comes when all tasks whose finish it is have ended.  So they, and
 *              their tasks, come before what follows.  The first task, 0, lives in a finish
 *              that no event shows; the end of the trace ends it.
 *   spawn      as async, and the next SYNC in the same frame waits for the child
 *   sync       comes when the tasks spawned in this frame have ended (not those that they
 *              created in turn, unless they waited for them).  Each task begins with a
 *              frame; FRAME_BEGIN and FRAME_END enclose that of a procedure it calls.  A task
 *              that spawns ends with a SYNC if its language says so: nothing is implied.
 *   set, get   PROMISE_GET comes when the promise has been set; what came before the set
 *              comes before what follows the get.  A promise is set at most once.
 *
 * What a task does before it creates another comes before everything that the other does.  An
 * isolated block excludes all other isolated blocks, and contains only accesses, atomics,
 * updates and locks.  Locks and atomics of tasks order nothing: they keep the guarded accesses
 * apart, in some order.
 *
 *   upd        what lies between UPDATE_BEGIN and UPDATE_END is an update of one variable, such
 *              as `sum += 2`: the value it reads goes into the value it writes and nowhere
 *              else.  Its operand names the kind of the update.  Updates of one kind commute:
 *              two of them leave the same value in both orders.  Updates do not nest.
 *
 * A trace of tasks comes from a run on one worker, so the events of two isolated blocks never
 * mix. Tasks may run in any order.  A `serial` order (each child runs to its end as soon as it
 * is created) suffices for programs without promises, and some detectors need it.
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

/* Flag bits.  The low three hold the C11 memory order of an atomic or fence; of an acquire or join
 * the lowest says that it never waits without end. */
enum {
	SNAG_NO_WAIT = 0x01,	/* a trylock that succeeded, or a wait with a deadline */
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
	uint8_t size; /* of an access in bytes, 0: unknown */
	uint8_t part; /* 1: another part of the access of the previous event (refined.h); else 0 */
};

_Static_assert(sizeof(struct snag_event) == 16, "an event is 16 bytes");

_Static_assert(SNAG_OPS < 32, "a set of operations fits 32 bits");

struct snag_op_info {
	const char *name; /* "READ" */
	const char *text; /* "r" */
	enum snag_space space;
	const char *about;
};

extern const struct snag_op_info snag_op_info[SNAG_OPS];

/* Sets of operations. */
#define SNAG_OP_BIT(name) (UINT32_C(1) << SNAG_OP_##name)
/* Operations that every trace may have and every analysis accepts; those of locks and atomics;
 * and those of threads or of tasks alone. */
#define SNAG_OPS_COMMON                                                                      \
	(SNAG_OP_BIT(READ) | SNAG_OP_BIT(WRITE) | SNAG_OP_BIT(BRANCH) | SNAG_OP_BIT(BEGIN) | \
	 SNAG_OP_BIT(END) | SNAG_OP_BIT(DEPENDS))
#define SNAG_OPS_OF_LOCKS                                                            \
	(SNAG_OP_BIT(ACQUIRE) | SNAG_OP_BIT(RELEASE) | SNAG_OP_BIT(ACQUIRE_SHARED) | \
	 SNAG_OP_BIT(RELEASE_SHARED))
#define SNAG_OPS_OF_ATOMICS                                                                  \
	(SNAG_OP_BIT(ATOMIC_READ) | SNAG_OP_BIT(ATOMIC_WRITE) | SNAG_OP_BIT(ATOMIC_UPDATE) | \
	 SNAG_OP_BIT(FENCE))
#define SNAG_UPDATE_NAME "update#" /* and a number: the name of a kind of update */
#define SNAG_OPS_OF_UPDATES (SNAG_OP_BIT(UPDATE_BEGIN) | SNAG_OP_BIT(UPDATE_END))
#define SNAG_OPS_OF_TASKS                                                                    \
	(SNAG_OP_BIT(TASK_CREATE) | SNAG_OP_BIT(TASK_END) | SNAG_OP_BIT(FINISH_BEGIN) |      \
	 SNAG_OP_BIT(FINISH_END) | SNAG_OP_BIT(PROMISE_SET) | SNAG_OP_BIT(PROMISE_GET) |     \
	 SNAG_OP_BIT(ISOLATED_BEGIN) | SNAG_OP_BIT(ISOLATED_END) | SNAG_OP_BIT(TASK_SPAWN) | \
	 SNAG_OP_BIT(SYNC) | SNAG_OP_BIT(FRAME_BEGIN) | SNAG_OP_BIT(FRAME_END) |             \
	 SNAG_OPS_OF_UPDATES)
#define SNAG_OPS_OF_THREADS (SNAG_OP_BIT(FORK) | SNAG_OP_BIT(JOIN))
/* The operations that detectors of threads accept. */
#define SNAG_OPS_BUT_TASKS (((UINT32_C(1) << SNAG_OPS) - 1) & ~SNAG_OPS_OF_TASKS)

static inline bool snag_op_is_of_tasks(uint8_t op)
{
	return SNAG_OPS_OF_TASKS >> op & 1;
}

static inline bool snag_op_is_access(uint8_t op) /* a plain one: only those race */
{
	return op == SNAG_OP_READ || op == SNAG_OP_WRITE;
}

/* For accesses, plain or atomic. */
static inline bool snag_op_reads(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static inline bool snag_op_writes(uint8_t op)
{
	return op == SNAG_OP_WRITE || op == SNAG_OP_ATOMIC_WRITE || op == SNAG_OP_ATOMIC_UPDATE;
}

static inline bool snag_op_is_atomic(uint8_t op)
{
	return SNAG_OPS_OF_ATOMICS >> op & 1;
}

/* A recording represents barriers, semaphores, conditions and the like by atomics without a
 * size: a thread that reads one has waited for it. */
static inline bool snag_event_is_wait(const struct snag_event *ev)
{
	return snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE && ev->size == 0;
}

#endif
