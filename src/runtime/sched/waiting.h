/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.h - the threads that are ready, and those that wait with a deadline
 *
 * State.  rt_sched.ready[], whose order depends on nothing but the order of additions and removals;
 *         rt_sched.timed, a list of the blocked threads with a deadline, real and virtual
 * Rules.  The scheduler's lock is held; [time] is that of sched.h.
 */
#ifndef SNAG_RUNTIME_WAITING_H
#define SNAG_RUNTIME_WAITING_H

#include "runtime/rt.h"

void rt_ready_add(struct rt_thread *t);
void rt_ready_remove(struct rt_thread *t);
void rt_timed_add(struct rt_thread *t, rt_time deadline);
void rt_timed_remove(struct rt_thread *t); /* does nothing if t has no deadline */

/* Ends the wait of t without waking it: takes it out of the queue of its object. */
void rt_wait_end(struct rt_thread *t);
/* The same at its deadline: t becomes ready. */
void rt_time_out(struct rt_thread *t);

/* [time] Makes the threads ready whose virtual deadline has passed, earliest first. */
void rt_timed_wake(void);
/* [time] If no thread can run: makes the thread with the earliest deadline ready, if the real clock
 * has passed it.  [hurry] With the option `hurry`, also before that, unless a thread is in a system
 * call.  Returns whether it did. */
bool rt_timed_wake_idle(void);

#endif
