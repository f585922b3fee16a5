/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog.h - takes the baton from a thread that sleeps in code without instrumentation
 */
#ifndef SNAG_RUNTIME_WATCHDOG_H
#define SNAG_RUNTIME_WATCHDOG_H

void rt_watchdog_begin(void); /* when a second thread begins; cheap when done before */
/* The last thread that the runtime knows ends.  The C library ends the process when the last thread of
 * all has ended: the watchdog must not be that one. */
void rt_watchdog_end(void);
void rt_watchdog_forked(void); /* in the child of a fork: it has none */

#endif
