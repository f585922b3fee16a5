/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks.h - how a detector attaches to a program that uses <snag/task.h>
 *
 * A detector in the process defines __snag_task_hooks().  If it returns a table,
 * snag_launch() runs the program depth first on one worker (task/task.h), and the
 * detector hears of every event.
 */
#ifndef SNAG_TASK_HOOKS_H
#define SNAG_TASK_HOOKS_H

#include "task/fiber.h"
#include "task/task.h"

/* What the program asks, though the schedule decides it. */
enum snag_task_asked {
	SNAG_TASK_ASKED_WORKER,	 /* which worker this is */
	SNAG_TASK_ASKED_WORKERS, /* how many there are */
	SNAG_TASK_ASKED_IS_SET,	 /* whether a promise is set */
	SNAG_TASK_ASKED_WAS_SET, /* the same, by setting it again */
};

struct snag_task_hooks {
	/* As in struct snag_tasks_options; called from inside the tasks. */
	void (*event)(void *ctx, uint8_t op, snag_tid task, uint32_t target);
	void (*runs)(void *ctx, snag_tid task, void **own,
		     const struct snag_stack *stack); /* may be NULL */

	bool (*may_enter)(void *ctx, snag_tid task); /* likewise */
	void (*stuck)(void *ctx);

	/* Memory that the library gives the program, used before or not.  May be NULL. */
	void (*memory)(void *ctx, const void *at, size_t nbytes);
	/* Copies the argument of the next task, for which this is a read by its creator, unless it is
	 * `unseen`: nobody else can know of it.  Nobody else knows of the copy.  May be NULL. */
	void (*copy)(void *ctx, void *to, const void *from, size_t nbytes, bool is_unseen);

	/* Where the address is kept at which the program called the library.  May be NULL. */
	const void **place;

	void (*asked)(void *ctx, enum snag_task_asked what); /* may be NULL */

	/* The run is over: how, and after a deadlock the first `n` tasks that wait.  May be NULL. */
	void (*end)(void *ctx, enum snag_tasks_end end, const struct snag_waiting *waiting,
		    size_t n);

	void *ctx;
};

__attribute__((weak)) const struct snag_task_hooks *__snag_task_hooks(void);

/* For the detector, which knows of locks: the running task waits until `is_over` says so, and others
 * go on (false: it cannot); and something has changed for those that do. */
__attribute__((weak)) bool __snag_task_wait(bool (*is_over)(void *arg), void *arg);
__attribute__((weak)) void __snag_task_poll(void);

/* Likewise: the number of a promise that the program does not have. */
__attribute__((weak)) uint32_t __snag_task_promise(void);

#endif
