/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.h - explains why no thread can run, or which threads wait for each other
 */
#ifndef SNAG_RUNTIME_DEADLOCK_H
#define SNAG_RUNTIME_DEADLOCK_H

/* Call it with the scheduler's lock when no thread can run and none is in a system call.  Prints
 * which thread waits for which, and ends the process.  Returns if an option forbids that, or if a
 * signal handler of the program might still wake a thread. */
void rt_deadlock(void);

struct rt_thread;
/* Call it with the scheduler's lock when a thread has begun to wait for an object without a
 * deadline.  If that closes a circle of threads that wait for each other's locks, or for each
 * other's end, reports it the first time.  All other threads can continue. */
void rt_circle(struct rt_thread *self);

#endif
