/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.h - locks that one thread holds at a time: what mutexes and spin locks share
 */
#ifndef SNAG_RUNTIME_LOCK_H
#define SNAG_RUNTIME_LOCK_H

#include "runtime/interpose/object.h"

/* Makes self the owner of a lock that is free.  The deadline is the one until which self would
 * have waited for it. */
void rt_lock_begin(struct rt_thread *self, struct rt_object *o, uint32_t depth, rt_time deadline,
		   uintptr_t pc);
/* Waits until the lock has no owner.  Returns false if the deadline passed first. */
bool rt_lock_await(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc);
/* Releases the lock at its outermost level, and wakes one thread that waits for it. */
void rt_lock_end(struct rt_object *o, uintptr_t pc);

/* Records that the calling thread took or released a lock of the C library, with `gives_up` if it
 * would not have waited for ever; the recorder knows which lock it is ([free] of mutex.c). */
void rt_lock_put_parallel(bool is_taken, bool gives_up, const volatile void *at, uintptr_t pc);
/* Forgets the lock: the next one at this address is another lock. */
void rt_lock_forget(const volatile void *lock, uintptr_t pc);
/* Returns whether the lock of this caller makes no event: it is a lock of libgfortran in a program
 * of tasks ([hidden] of mutex.c). */
bool rt_lock_is_hidden(uintptr_t pc);

#endif
