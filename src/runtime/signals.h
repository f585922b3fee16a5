/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h - signal handlers of the program, which run only at their turn
 */
#ifndef SNAG_RUNTIME_SIGNALS_H
#define SNAG_RUNTIME_SIGNALS_H

#include "runtime/rt.h"

/* Runs the handlers of signals that came while the calling thread was in the runtime.
 * Returns whether there were any. */
bool rt_signals_run(struct rt_thread *self);

#endif
