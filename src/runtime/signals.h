/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h - signal handlers of the program, which run only at their turn
 */
#ifndef SNAG_RUNTIME_SIGNALS_H
#define SNAG_RUNTIME_SIGNALS_H

#include "runtime/rt.h"

enum { RT_SIGNAL = 62 }; /* asks a thread to give the baton away; not the program's */

void rt_signals_watch(void); /* handles it from here on */
/* Runs the handlers of signals that came while the calling thread was in the runtime.
 * Returns whether there were any. */
bool rt_signals_run(struct rt_thread *self);

#endif
