/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.h - no thread can run: say why
 */
#ifndef SNAG_RUNTIME_DEADLOCK_H
#define SNAG_RUNTIME_DEADLOCK_H

/* Called with the scheduler's lock when nobody can run and nobody is in a system call.
 * Prints who waits for whom and ends the process; returns if that is not wanted, or if a
 * signal handler of the program might still wake somebody. */
void rt_deadlock(void);

#endif
