/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.h - who wants the baton, and who waits for a time
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
void rt_timed_remove(struct rt_thread *t); /* if it has a deadline */

/* It no longer waits, though nobody has woken it; and is ready, because its time has come. */
void rt_wait_end(struct rt_thread *t);
void rt_time_out(struct rt_thread *t);

/* [time] Those whose virtual deadline has passed become ready, earliest first. */
void rt_timed_wake(void);
/* [time] Nobody can run: the earliest deadline counts, if it has passed really.  [hurry] With the option
 * `hurry` it counts at once, unless a thread is in a system call. */
bool rt_timed_wake_idle(void);

#endif
