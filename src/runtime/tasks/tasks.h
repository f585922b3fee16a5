/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - programs of tasks: of <snag/task.h>, and what other runtimes of tasks need
 */
#ifndef SNAG_RUNTIME_TASKS_H
#define SNAG_RUNTIME_TASKS_H

#include "runtime/channel/channel.h"

#include <stdbool.h>

bool rt_tasks_may_launch(void); /* the program is linked with <snag/task.h> */
void rt_tasks_report(void);	/* that the program is one, if it is */
uint32_t rt_tasks_promise_new(void);
/* The program is one that speaks of tasks in this way; before its first event. */
void rt_tasks_are(enum rt_dialect dialect);
/* Of <snag/task.h>: the running task waits for a lock that another task holds (false: it is
 * none, or cannot); a lock was given back. */
bool rt_tasks_wait(bool (*is_free)(void *lock), void *lock);
void rt_tasks_freed(void);
/* The task that runs is no longer the only one that can know of its stack and argument. */
void rt_tasks_known(void);
/* The running task asks what the schedule decides, at `pc`: no verdict for every schedule. */
void rt_tasks_obstacle(enum rt_obstacle what, uintptr_t pc);

#endif
