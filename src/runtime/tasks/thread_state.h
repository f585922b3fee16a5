/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_state.h - what the runtime knows of the task that a thread executes
 *
 * A context of OpenMP or of <snag/task.h> is a fiber, which the runtime treats as a thread of its
 * own (tasks.h).  Only the context that runs writes its fields.
 */
#ifndef SNAG_RUNTIME_TASKS_THREAD_STATE_H
#define SNAG_RUNTIME_TASKS_THREAD_STATE_H

#include "own/own.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_frame;

enum { RT_NOTED = 16, RT_GLANCES = 8 };

/* A fiber that no thread runs: tasks.c. */
struct rt_parked {
	struct rt_frame *top; /* the same as in struct rt_hot */
	uint64_t beyond;
	const void *called_at; /* rt_tasks_place as it was then */
};

/* The update that it is in: updates.h. */
struct rt_update {
	uint32_t kind, atomic_kind; /* the kinds of updates; 0: none */
};

struct rt_flags {	   /* omp_flags.h */
	uint32_t as;	   /* the task it is of */
	uint32_t released; /* the promise of its last flush, + 1 */
	uint32_t nglances; /* flags read since, without acquiring */
	uint32_t seen;	   /* the version of the last flag acquired */
	uintptr_t glance[RT_GLANCES];
};

struct rt_section {	      /* omp_sections.h */
	uint32_t depth, lock; /* locks held; the first */
	uint32_t promise;
	bool has_promise;
	uint32_t got, got_as; /* the last promise that was got, + 1, and by which task */
	unsigned nnoted;
	struct rt_noted {
		uintptr_t number;
		uint32_t promise;
		uint8_t bytes; /* the bytes of the word, a bit each */
	} noted[RT_NOTED];
};

struct rt_done {		  /* omp_done.h */
	uint64_t *set;		  /* the accesses since the barrier; NULL: none yet */
	uint32_t as;		  /* the implicit task that made these accesses */
	uint32_t phase;		  /* the phase in which it made them */
	uint32_t knows_number_as; /* the implicit task that has read its thread number */
	bool is_noted;		  /* the task is compared, and in no segment */
};

/* A context of OpenMP: omp.c. */
struct rt_omp_context {
	bool is_of_team; /* the context of a thread of a team, not of an explicit task */
	uintptr_t stack_low, stack_high;
	uintptr_t low_water;	/* the recorded part of its stack lies above this address */
	struct own_context own; /* its private memory: omp_own.h */
	struct rt_done done;
	struct rt_flags flags;
};

#endif
