/* SPDX-License-Identifier: Apache-2.0
 *
 * free.h - threads that run in parallel
 *
 * With `--free` no baton exists.  If rt.is_free, the functions of sched.h call these instead.
 */
#ifndef SNAG_RUNTIME_FREE_H
#define SNAG_RUNTIME_FREE_H

#include "runtime/rt.h"

/* Makes the calling thread the only one inside the runtime, until rt_leave().  Returns false if
 * the thread is in a system call; events made there are not recorded. */
bool rt_free_enter(struct rt_thread *self);
/* Counts an event that synchronises, without entering the runtime.  Returns as
 * rt_sched_point(). */
struct rt_thread *rt_free_point(void);
/* Call these before and after a real function that may wait, if the thread has not entered the
 * runtime. */
void rt_free_out(struct rt_thread *self);
void rt_free_in(struct rt_thread *self);
/* Starts with the main thread, before others exist. */
void rt_free_begin(struct rt_thread *main);
/* These do what the functions of the same name in sched.h do. */
void rt_free_block(struct rt_thread *self, struct rt_object *object, rt_time deadline);
void rt_free_wake(struct rt_thread *t);
void rt_free_interrupt(struct rt_thread *t);
void rt_free_yield(struct rt_thread *self);
void rt_free_exit(struct rt_thread *self);

#endif
