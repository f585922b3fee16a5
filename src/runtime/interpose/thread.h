/* SPDX-License-Identifier: Apache-2.0
 *
 * thread.h - the life of threads: main, created, joined, detached, ended
 */
#ifndef SNAG_RUNTIME_THREAD_H
#define SNAG_RUNTIME_THREAD_H

#include "runtime/sched/sched.h"

void rt_thread_begin(void); /* makes the calling thread thread 0, running */
/* These return NULL if there is no such thread, or it has ended and was joined or is detached. */
struct rt_thread *rt_thread_at(uint32_t tid);
struct rt_thread *rt_thread_find(pthread_t handle);
/* Called in the child, where the other threads do not exist. */
void rt_thread_forked(struct rt_thread *self);
void rt_thread_leaks(void); /* reports threads that have ended and were not joined */
/* Makes a context without a kernel thread of its own (fiber.c). */
struct rt_thread *rt_thread_new_fiber(void);
void rt_thread_end_fiber(struct rt_thread *fiber);
/* Records that n fibers have ended, and that their events come before the next event of the calling
 * thread.  The second function makes them begin again. */
void rt_thread_joined_fibers(uint32_t n);
void rt_thread_begun_fibers(uint32_t n);
/* Records at `pc` that the calling thread has created t, and names it (names.h). */
void rt_thread_created(struct rt_thread *t, uintptr_t pc);
/* Returns a number for a thread, or for a task that is only a name. */
static inline uint32_t rt_thread_number(void)
{
	return rt_sched.nthreads++;
}
/* Makes a fiber with a kernel thread of its own, which waits until rt_sched_hand() passes the baton
 * to it.  Returns NULL if the system has no more threads. */
struct rt_thread *rt_thread_new_worker(void *(*run)(void *), void *arg);

/* [fork] Makes the thread for one that the C library will create.  When a thread that the runtime
 * does not know arrives (stranger.h), it becomes this one and takes the baton. */
struct rt_thread *rt_thread_new_stranger(uintptr_t pc);
void rt_thread_is_here(struct rt_thread *self);

#endif
