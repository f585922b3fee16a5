/* SPDX-License-Identifier: Apache-2.0
 *
 * debugger.h - tells a debugger that the race is next
 *
 * `snag replay --gdb` runs the program inside gdb, with the option debug=1.  The thread of the
 * first access calls rt_race_is_next() when it has got the baton for that access, and the thread of
 * the second one stands before its own.  gdb stops there (cli/replay.gdb) and reads the variable
 * rt_race: which threads these are, and what all threads are called in the report.
 */
#ifndef SNAG_RUNTIME_DEBUGGER_H
#define SNAG_RUNTIME_DEBUGGER_H

#include "runtime/rt.h"

/* The first access is the next event of self.  Does nothing if it was called before. */
void rt_debugger_stop(struct rt_thread *self);

#endif
