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
void rt_free_first(struct rt_thread *main); /* before there are others */
void rt_free_block(struct rt_thread *self, struct rt_object *object, rt_time deadline);
void rt_free_wake(struct rt_thread *t);
void rt_free_interrupt(struct rt_thread *t); /* as rt_sched_interrupt */
void rt_free_yield(struct rt_thread *self);
void rt_free_exit(struct rt_thread *self);
void rt_free_becomes(struct rt_thread *fiber); /* the calling thread does */
void rt_free_forget(struct rt_thread *t);      /* its memory */

/* Plain accesses. */
void rt_free_access(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc);
void rt_free_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
bool rt_free_is_seen(void); /* whether what the calling thread does counts */

#endif
