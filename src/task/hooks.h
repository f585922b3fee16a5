/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks.h - how a detector attaches to a program that uses <snag/task.h>
 *
 * A detector in the process defines __snag_task_hooks().  If it returns a table, snag_launch()
 * runs the program depth first on one worker (task/task.h), and reports every event to the
 * detector.
 */
#ifndef SNAG_TASK_HOOKS_H
#define SNAG_TASK_HOOKS_H

#include "task/fiber.h"
#include "task/task.h"

/* The reasons why a run without races is no proof for every schedule. */
enum snag_task_obstacle {
#define OBSTACLE(name, kind, is_judged, is_answer, words) SNAG_TASK_OBSTACLE_##name,
#include "trace/obstacles.def"
#undef OBSTACLE
};

struct snag_task_hooks {
	/* The same as in struct snag_tasks_options; called from inside the tasks. */
	void (*event)(void *ctx, uint8_t op, snag_tid task, uint32_t target);
	void (*runs)(void *ctx, snag_tid task, void **own,
		     const struct snag_stack *stack); /* may be NULL */

	bool (*may_enter)(void *ctx, snag_tid task); /* the same */
	void (*stuck)(void *ctx);

	/* The library gives this memory to the program, perhaps reused.  May be NULL. */
	void (*memory)(void *ctx, const void *at, size_t nbytes);
	/* Copies the argument of the next task.  This is a read by its creator, unless
	 * `is_unseen`: then `from` has not escaped.  The copy is private to the task.  May be
	 * NULL. */
	void (*copy)(void *ctx, void *to, const void *from, size_t nbytes, bool is_unseen);

	/* Where to store the address at which the program called the library.  May be NULL. */
	const void **place;

	void (*obstacle)(void *ctx, enum snag_task_obstacle what); /* may be NULL */

	/* The run is over: how, and after a deadlock the first `n` tasks that wait.  May be
	 * NULL. */
	void (*end)(void *ctx, enum snag_tasks_end end, const struct snag_waiting *waiting,
		    size_t n);

	void *ctx;
};

__attribute__((weak)) const struct snag_task_hooks *__snag_task_hooks(void);

/* For the detector, which handles locks. wait: blocks the running task until `is_over` returns
 * true, while other tasks run; returns false if it cannot. poll: something has
 * changed, so tasks whose `is_over` is true now continue. */
__attribute__((weak)) bool __snag_task_wait(bool (*is_over)(void *arg), void *arg);
__attribute__((weak)) void __snag_task_poll(void);
/* For the detector: a block of its own begins, which the running task may have to wait for. */
__attribute__((weak)) void __snag_task_enter(void);

/* For the detector: makes a promise that the program does not have, and returns its number. */
__attribute__((weak)) uint32_t __snag_task_promise(void);

#endif
