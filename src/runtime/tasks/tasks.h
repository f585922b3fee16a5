/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - programs of tasks: of <snag/task.h>, and what other runtimes of tasks need
 */
#ifndef SNAG_RUNTIME_TASKS_H
#define SNAG_RUNTIME_TASKS_H

#include "runtime/channel/channel.h"

#include <stdbool.h>

bool rt_tasks_may_launch(void); /* the program is linked with <snag/task.h> */
void rt_tasks_report(void);	/* reports that the program uses <snag/task.h>, if it does */
uint32_t rt_tasks_promise_new(void);
/* Reports how the program makes tasks; call it before its first event. */
void rt_tasks_are(enum rt_dialect dialect);
/* For <snag/task.h>. The running task waits for a lock that another task holds. Returns false if
 * no task runs, or if it cannot wait. The second function reports that a lock was released. */
bool rt_tasks_wait(bool (*is_free)(void *lock), void *lock);
void rt_tasks_freed(void);
/* If rt.orders_blocks: the running task is about to take a lock, or to do an atomic operation.  It
 * may have to wait for its turn.  Record the beginning and the end of the block with
 * sched/sections.h; then call rt_tasks_freed(). */
void rt_tasks_block_enter(void);
/* From here on, tasks other than the running one may reach its stack and argument. */
void rt_tasks_known(void);
/* The running task meets an obstacle at `pc`: there may be no verdict for every schedule. */
void rt_tasks_obstacle(enum rt_obstacle what, uintptr_t pc);

#endif
