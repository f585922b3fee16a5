/* SPDX-License-Identifier: Apache-2.0
 *
 * free.h - threads that run in parallel
 *
 * The other side of sched.h: what the scheduler's functions do if rt.is_free.
 */
#ifndef SNAG_RUNTIME_FREE_H
#define SNAG_RUNTIME_FREE_H

#include "runtime/rt.h"

/* The calling thread is the only one in the runtime from here on (until rt_leave); false: it is
 * in a system call, where nothing of it counts. */
bool rt_free_enter(struct rt_thread *self);
/* An event of the calling thread that synchronises, without entering the runtime; as
 * rt_sched_point(). */
struct rt_thread *rt_free_point(void);
/* Around a real function that may wait, for a thread that has not entered. */
void rt_free_out(struct rt_thread *self);
void rt_free_in(struct rt_thread *self);
void rt_free_begin(struct rt_thread *main); /* before there are others */
void rt_free_block(struct rt_thread *self, struct rt_object *object, rt_time deadline);
void rt_free_wake(struct rt_thread *t);
void rt_free_interrupt(struct rt_thread *t); /* as rt_sched_interrupt */
void rt_free_yield(struct rt_thread *self);
void rt_free_exit(struct rt_thread *self);

#endif
