/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks.h - how a detector attaches to a program that uses OpenMP
 *
 * A detector in the process defines __snag_omp_hooks().  If it returns a table, the
 * library reports the structure of the program to it as events of tasks (trace/ops.def), in the
 * order of a run on one thread at a time.
 *
 * A *context* is a stack on which code runs or is suspended.  One context runs at a time, as one
 * task.  A context can change its task while it runs.
 */
#ifndef SNAG_OMP_HOOKS_H
#define SNAG_OMP_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The construct of the program that a task comes from, with a number. */
enum snag_omp_label {
	SNAG_OMP_ITERATION, /* an iteration of a loop, from 0: the first one of its chunk */
	SNAG_OMP_PART,	    /* an iteration; the number is that of its thread */
	SNAG_OMP_SECTION,   /* a section, from 0 */
	SNAG_OMP_THREAD,    /* a phase of this thread */
	SNAG_OMP_TEAM,	    /* a team of a league */
	SNAG_OMP_COMBINE,   /* the end of a reduction in this thread */

	/* The number is an address in a depend clause. One call for each address. */
	SNAG_OMP_DEPEND_IN,
	SNAG_OMP_DEPEND_OUT, /* or inout, which is the same */
	SNAG_OMP_DEPEND_MUTEX,
	SNAG_OMP_DEPEND_SET,
};

/* What keeps a run without races from being a proof for every schedule. */
enum snag_omp_obstacle {
#define OBSTACLE(name, kind, is_judged, is_answer, words) SNAG_OMP_OBSTACLE_##name,
#include "trace/obstacles.def"
#undef OBSTACLE
};

/* An implicit task. */
struct snag_omp_implicit {
	uint32_t number;	/* its number; 0: outside of regions */
	uint32_t phase;		/* between which of its barriers; no two have the same number */
	const void *low, *high; /* the bounds of its stack */
};

/* The fate of the segment of an implicit task: an iteration, a section, a team of a league. */
enum snag_omp_segment {
	SNAG_OMP_SEGMENT_NEW,	/* the segment begins, as a task that the running task creates */
	SNAG_OMP_SEGMENT_AGAIN, /* it continues, as a task that was created before */
	SNAG_OMP_SEGMENT_OVER,	/* it ends or is interrupted; the implicit task continues */
};

/* The fate of the private copy of a reduction, on the heap. */
enum snag_omp_copy {
	SNAG_OMP_COPY_USED,	/* threads or tasks combine it; the detector is not to look */
	SNAG_OMP_COPY_COMBINED, /* the combining is over: the detector looks again */
	SNAG_OMP_COPY_RENEWED,	/* the next segment has a new one, at the same place */
};

/* Things that have numbers, each kind from 0 on.  Task 0 is the initial one. */
enum snag_omp_number { SNAG_OMP_NUMBER_TASK, SNAG_OMP_NUMBER_PROMISE, SNAG_OMP_NUMBER_LOCK };

/* Questions to the detector, about the calling context. */
enum snag_omp_question {
	/* Does the detector observe the calling thread?  Not in a handler of signals. */
	SNAG_OMP_IS_SEEN,
	/* Should the library report each iteration by itself, however many there are? */
	SNAG_OMP_IS_APART,
	/* Should it report in which order the statements of simd loops run? */
	SNAG_OMP_IS_LOCKSTEP,
	/* Should critical sections follow an order?  If so: may the context enter its next one? */
	SNAG_OMP_HAS_ORDER,
	SNAG_OMP_MAY_ENTER,
	/* Has the detector announced the current segment? It does so at the segment's first
	 * event. */
	SNAG_OMP_WAS_REPORTED,
	/* May another task get the number of one that has ended? */
	SNAG_OMP_MAY_REUSE,
};

#define SNAG_OMP_SAME UINT32_MAX

struct snag_omp_hooks {
	/* Questions. */
	bool (*answer)(enum snag_omp_question question);
	uint32_t (*number)(enum snag_omp_number kind); /* the next one */
	/* A digest of what the calling implicit task accessed since the barrier, outside of
	 * segments and not in memory that it owns.  Tasks that did the same have the same one.
	 * 0: unknown. */
	uint64_t (*done)(void);

	/* Contexts. */
	/* Makes a context with this stack.  NULL, NULL: returns that of the calling, initial
	 * thread. */
	void *(*context)(const void *low, const void *high);
	/* The calling thread continues as context `to`, with an empty stack and as that task.
	 * SNAG_OMP_SAME: as it was when it stopped. */
	void (*context_switch)(void *to, uint32_t task);
	/* Makes a thread that calls run(arg) when thread_hand() first lets it run.  Returns its
	 * context. */
	void *(*thread_start)(void *(*run)(void *arg), void *arg);
	/* The thread of context `to` runs; the caller waits until thread_hand() lets it run. */
	void (*thread_hand)(void *to);

	/* Tasks. */
	void (*launch)(bool begins); /* the outermost region with several threads */
	/* The calling context runs that task. */
	void (*become)(uint32_t task);
	/* The running task makes an event of trace/ops.def. */
	void (*event)(uint8_t op, uint32_t target, const void *place);
	/* The running task spawns one that runs at once, in this context, called from `place`, with
	 * these arguments; is_new: memory() has not reported them.  One call for memory, event,
	 * context_switch, stack, enter and fresh.  Task 0: it takes a number.  Returns the
	 * number. */
	uint32_t (*child)(void *context, uint32_t task, const void *place, const void *at,
			  size_t nbytes, bool is_new);
	/* The running task ends, and the calling thread continues as that context. */
	void (*ended)(void *to, const void *place);
	/* Names the construct that the task comes from. */
	void (*label)(uint32_t task, enum snag_omp_label label, uint64_t number);
	/* The calling context runs that implicit task, in that phase. */
	void (*phase)(const struct snag_omp_implicit *who);
	/* A segment of the calling context's implicit task.  NEW, AGAIN: the context runs
	 * `task`.  OVER: it runs `task`, the implicit one, again.  has_loans: tasks that
	 * know the stack of the implicit task were not waited for (own/loans.h). */
	void (*segment)(enum snag_omp_segment what, uint32_t task, bool has_loans,
			const void *place);
	/* Ends the current segment; `by` creates the next one, and all else stays the same.
	 * Returns the number of the next one: the same, or a new one. */
	uint32_t (*segment_next)(uint32_t task, uint32_t by, const void *place,
				 enum snag_omp_label label, uint64_t number);

	/* Memory. */
	/* The library gives this memory to the program, for the next task. */
	void (*memory)(const void *at, size_t nbytes, const void *place);
	/* The calling context begins with an empty stack, as that task. */
	void (*stack)(const void *low, const void *high, uint32_t task);
	/* The calling context creates a task with these arguments, which may use what the context
	 * owns.  0 bytes: a region, or a task that it waits for.  Returns whether an argument is an
	 * address that the context owns. */
	bool (*lends)(const void *at, size_t nbytes);
	/* Only the calling context, which runs an explicit task, can reach its stack and this
	 * memory, until its next event. */
	void (*fresh)(const void *at, size_t nbytes);
	void (*copy)(const void *at, size_t nbytes, enum snag_omp_copy what);

	/* Synchronisation. */
	/* A lock is acquired or released; `at` names it in reports. */
	void (*lock)(uint32_t lock, const void *at, bool is_acquired, const void *place);
	/* No context that may enter its section can continue: from now on all contexts may
	 * enter. is_deadlock: no context can continue at all; the function does not return. */
	void (*stuck)(bool is_deadlock);
	void (*flush)(const void *place);

	/* The program. */
	/* The library calls a function of the program, as if from `place`.  NULL: it has
	 * returned. */
	void (*enter)(const void *place);
	/* Calls f, once, before the next plain write of the calling context.  NULL: does not. */
	void (*before_write)(void (*f)(void));
	/* The program met an obstacle. */
	void (*obstacle)(const void *place, enum snag_omp_obstacle what);
	void (*fail)(const char *why); /* does not return */
};

__attribute__((weak)) const struct snag_omp_hooks *__snag_omp_hooks(void);

/* The library provides this function for the detector: the program waits for something, and no
 * call says so. Returns whether another context has run in between. */
__attribute__((weak)) bool __snag_omp_yield(void);

/* The library provides this function, too: returns where the program has called the library. */
__attribute__((weak)) const void *__snag_omp_place(void);

#endif
