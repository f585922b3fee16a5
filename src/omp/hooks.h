/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks.h - how a detector attaches to a program that uses OpenMP
 *
 * A detector in the process defines __snag_omp_hooks().  If it returns a table, it hears of
 * the structure of the program as events of tasks (trace/ops.def), in the order of a run on one
 * thread at a time.
 *
 * A *context* is a stack on which something runs or is suspended; whoever runs is one context, and
 * speaks as one task, which may change while the context goes on.
 */
#ifndef SNAG_OMP_HOOKS_H
#define SNAG_OMP_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a task is to the programmer, with a number. */
enum snag_omp_label {
	SNAG_OMP_ITERATION, /* of a loop, from 0: the first of its chunk */
	SNAG_OMP_PART,	    /* one of the iterations of this thread, which are not counted */
	SNAG_OMP_SECTION,   /* from 0 */
	SNAG_OMP_THREAD,    /* a phase of this thread */
	SNAG_OMP_TEAM,	    /* of a league */
	SNAG_OMP_COMBINE,   /* the end of a reduction in this thread */

	/* The number is an address in a depend clause; one after the other. */
	SNAG_OMP_DEPEND_IN,
	SNAG_OMP_DEPEND_OUT, /* or inout, which is the same */
	SNAG_OMP_DEPEND_MUTEX,
	SNAG_OMP_DEPEND_SET,
};

/* What the program asks, though the schedule decides it; and what was not told in detail. */
enum snag_omp_asked {
#define OBSTACLE(name, kind, is_judged, is_answer, words) SNAG_OMP_ASKED_##name,
#include "trace/obstacles.def"
#undef OBSTACLE
};

/* An implicit task. */
struct snag_omp_implicit {
	uint32_t number;	/* 0: outside of regions */
	uint32_t phase;		/* between which of its barriers; no two have the same number */
	const void *low, *high; /* of its stack */
};

#define SNAG_OMP_SAME UINT32_MAX

struct snag_omp_hooks {
	/* Contexts.  The first is that of the calling thread, the initial one. */
	void *(*context_first)(void);
	void *(*context_new)(const void *low, const void *high); /* with this stack */
	/* The calling thread goes on as this one, which speaks as that task, and begins with an empty
	 * stack; SNAG_OMP_SAME: as before. */
	void (*context_switch)(void *to, uint32_t task);
	/* A new thread that runs run(arg) when it is first handed to; returns its context. */
	void *(*thread_start)(void *(*run)(void *arg), void *arg);
	/* The caller waits until it is handed to, and meanwhile the thread of `to` runs, which is
	 * the context it waits as. */
	void (*thread_hand)(void *to);

	/* Tasks and promises have dense numbers; the initial task is 0. */
	uint32_t (*task_new)(void);
	uint32_t (*promise_new)(void);
	void (*become)(uint32_t task); /* what the calling context does is that task's */
	void (*event)(uint8_t op, uint32_t target, const void *place);
	/* The present task creates one (spawn; 0: it takes a number) that runs at once, in this context,
	 * called from `place`, alone, with arguments there, of which memory() was told or not: memory,
	 * the event, context_switch, stack, enter and alone in one.  Returns its number. */
	uint32_t (*child)(void *context, uint32_t task, const void *place, const void *at,
			  size_t nbytes, bool is_new);
	/* The present task has ended, and the calling thread goes on as that context, as before. */
	void (*ended)(void *to, const void *place);
	/* The present task has waited for its children (sync), and may be alone then, likewise. */
	void (*synced)(const void *place, bool is_alone, const void *at, size_t nbytes);
	/* The calling context goes on as a task that the present one creates here (`op` says how); told when it does
	 * something, if it does.  Then it is as if it had never been: was_told says which. */
	void (*segment)(uint8_t op, uint32_t task, const void *place);
	bool (*was_told)(void);
	/* The present segment ends, if it was told of, and another one begins, all else being the same: `by`
	 * creates it.  Returns its number, the same or another one. */
	uint32_t (*segment_next)(uint32_t task, uint32_t by, const void *place,
				 enum snag_omp_label label, uint64_t number);
	/* The task has ended, and will not be named again: may another one have its number? */
	bool (*may_reuse)(void);
	/* What the calling context has done as its implicit task since the barrier, outside of segments, to memory that is
	 * not its own: a number that others who did the same have, too; 0: it is not known. */
	uint64_t (*done)(void);
	/* Whether each iteration is to be told by itself, however many there are. */
	bool (*is_apart)(void);
	/* Whether to tell in which order the statements of simd loops are. */
	bool (*lockstep)(void);
	/* Calls f, once, before the next plain write of the calling context is told; NULL: no longer. */
	void (*before_write)(void (*f)(void));
	void (*label)(uint32_t task, enum snag_omp_label label, uint64_t number);
	void (*launch)(bool begins); /* the outermost region with more than one thread */

	/* The library calls a function of the program, as if from `place`; it has returned. */
	void (*enter)(const void *place);
	void (*leave)(void);

	/* Mutual exclusion; `at` names it. */
	uint32_t (*lock_new)(void);
	void (*lock)(uint32_t lock, const void *at, bool is_acquired, const void *place);
	/* Whether sections are to follow an order; then, whether the calling context may enter its
	 * next one; and that nobody can go on who may: from then on all may. */
	bool (*has_order)(void);
	bool (*may_enter)(void);
	void (*stuck)(void);

	/* Memory that the library gives the program, used before or not. */
	void (*memory)(const void *at, size_t nbytes, const void *place);
	void (*stack)(const void *low, const void *high, uint32_t task);
	/* What the calling context does in this memory and in its thread's thread-local storage is
	 * nobody else's business, but that of tasks that know of it and were not waited for, if there are; NULL, NULL: no longer so. */
	void (*own)(const void *low, const void *high, bool has_tasks);
	/* It is that of tasks or threads that it creates, from now on until next time; in a segment or not. */
	void (*lend)(bool is_in_segment);
	/* A task that it creates gets what is here.  Returns whether something of its stack is known from that. */
	bool (*handed)(const void *at, size_t nbytes);
	/* The calling context goes on as that implicit task: heap blocks that it has for itself are
	 * those it allocated as this one. */
	void (*implicit)(const struct snag_omp_implicit *who);
	/* What is known of this memory is over; NULL: of the heap blocks that it has for itself. */
	void (*renewed)(const void *at, size_t nbytes);
	/* Nobody else knows of its stack and of this memory, until its next event. */
	void (*alone)(const void *at, size_t nbytes);
	/* What anybody does in this memory is not told; 0 bytes: no longer so. */
	void (*unseen)(const void *at, size_t nbytes);
	void (*asked)(const void *place, enum snag_omp_asked what);
	void (*flush)(const void *place);
	bool (*is_seen)(void);	       /* not in handlers of signals */
	void (*deadlock)(void);	       /* of the program; likewise */
	void (*fail)(const char *why); /* does not return */
};

__attribute__((weak)) const struct snag_omp_hooks *__snag_omp_hooks(void);

/* Of the library, for the detector: the program waits for something without saying so.
 * Returns whether another context has run meanwhile. */
__attribute__((weak)) bool __snag_omp_yield(void);

/* Likewise: where the program has called the library. */
__attribute__((weak)) const void *__snag_omp_place(void);

#endif
