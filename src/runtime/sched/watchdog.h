/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog.h - takes the baton from a thread that sleeps in code without instrumentation
 */
#ifndef SNAG_RUNTIME_WATCHDOG_H
#define SNAG_RUNTIME_WATCHDOG_H

void rt_watchdog_begin(void); /* call it when a second thread begins; cheap if the watchdog runs */
/* Ends the watchdog.  Call it when the last thread that the runtime knows ends: the C library ends
 * the process when its last thread has ended, and the watchdog must not be that thread. */
void rt_watchdog_end(void);
void rt_watchdog_forked(void); /* Called in the child of a fork, which has no watchdog. */

#endif
