/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.h - no thread can run, or some wait for each other: say why
 */
#ifndef SNAG_RUNTIME_DEADLOCK_H
#define SNAG_RUNTIME_DEADLOCK_H

/* Called with the scheduler's lock when nobody can run and nobody is in a system call.
 * Prints who waits for whom and ends the process; returns if that is not wanted, or if a
 * signal handler of the program might still wake somebody. */
void rt_deadlock(void);

struct rt_thread;
/* Called with the scheduler's lock when a thread has begun to wait for an object without end.  If
 * that closes a circle of threads that wait for each other's locks, or ends, tells of it, the first
 * time; the others may go on. */
void rt_circle(struct rt_thread *self);

#endif
