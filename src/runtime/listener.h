/* SPDX-License-Identifier: Apache-2.0
 *
 * listener.h - where reports of the program go: to the recorder, or to a detector in its process
 *
 * Idea.   The runtime reports to one listener, which the program has from its start to its end:
 *
 *           rt_recorder (recorder.c)  writes records to the channel; snag makes a trace of them
 *           rt_judged (judged.c)      calls a detector of tasks in this process (src/inside)
 *
 *         Code that reports something calls the listener.  Code that can spare work tests what the
 *         listener needs, not which listener it is.
 *
 * Rules.  [access]  Single accesses are too many for a call through a pointer.  access.c tests
 *                   is_judge and calls one or the other directly.
 *         [others]  Everything that has no function here is a record (record.h).  The judge gets
 *                   it by `record`.
 *         [merged]  child() and ended() are one report each for an event and the switch that
 *                   follows it.  A listener without them hears of the event by task(), when it
 *                   happens, and of the switch by switches().
 */
#ifndef SNAG_RUNTIME_LISTENER_H
#define SNAG_RUNTIME_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_record;
struct rt_thread;

struct rt_listener {
	bool is_judge; /* [access] */
	/* What the listener needs. */
	bool needs_places; /* where in the code, with call stacks; the labels of tasks */
	bool needs_turns;  /* the numbers of a thread's events, so that a schedule can name them */
	bool needs_sizes;  /* the bytes of a block of the heap, as much as free() ends */
	bool needs_fresh;  /* accesses to memory that only the running task can reach yet */
	bool needs_parts;  /* each iteration of a loop of OpenMP by itself */

	/* Events of tasks. */
	void (*task)(uint8_t op, uint32_t target, uint32_t loc); /* an event of the running task */
	void (*speaks)(uint32_t task); /* the running thread is this task from now on */
	/* The running thread `self` continues as the context `to`, and is the task `as`. */
	void (*switches)(struct rt_thread *self, struct rt_thread *to, uint32_t as);
	/* [merged] The running task creates a task, which runs in `to`; it ends, and `to` runs. */
	void (*child)(struct rt_thread *self, struct rt_thread *to, uint8_t op, uint32_t task);
	void (*ended)(struct rt_thread *self, struct rt_thread *to);
	void (*label)(uint32_t task, uint8_t kind, uint64_t number); /* enum rt_label */
	/* Returns whether iterations of a simd loop run statement by statement. */
	bool (*simd)(void);

	/* New memory: accesses there before this do not conflict with those after it. */
	void (*block)(uintptr_t at, size_t nbytes, uintptr_t pc); /* a block begins */
	void (*renewed)(uintptr_t at, size_t nbytes);
	void (*stack)(uintptr_t from, uintptr_t high, uint32_t task); /* the end of a stack */

	/* Accesses to more than 64 bytes; `element` bytes each, or 0. */
	void (*range)(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
	/* n bytes at each of `count` places, `step` apart; NULL: it hears of each place. */
	void (*places)(uint64_t addr, uint64_t n, int64_t step, uint64_t count, bool is_write);

	/* The program met an obstacle (enum rt_obstacle).  Returns false if the listener wants a
	 * record of it.  NULL: it does. */
	bool (*obstacle)(unsigned what, uintptr_t pc);
	/* [others] NULL: the listener reads the channel. */
	void (*record)(const struct rt_record *record);
};

extern const struct rt_listener rt_recorder, rt_judged;

#endif
