/* SPDX-License-Identifier: Apache-2.0
 *
 * mute.h - a replay records its race, and nothing before it
 *
 * Idea.   A replay (record/replay/replay.h) has to show that two accesses come one behind the other.
 *         Its schedule ends with them: the last two turns are one access each.  The recorder
 *         needs no record of what the program does before, so the runtime writes none.
 *
 * Rules.  [access]  A mute runtime counts accesses and does not record them (rt.is_unheard).
 *         [record]  It writes notes, and modules, which records of the race refer to.  It drops
 *                   all other records, and numbers no places in the code (stack.h).
 *         [end]     It records everything from the beginning of the last turn but one on.
 *         [spin]    Threads that spin are found as in any other run: looks at memory count,
 *                   recorded or not.
 * Guarantee.  Every turn has the events that it has in a recorded run, so that the schedule
 *         leads to the same point.
 * Cost.   An access in the filter (access.h) costs what it costs in a recorded run, another one
 *         about 20 instructions more.  The recorder sleeps.
 */
#ifndef SNAG_RUNTIME_MUTE_H
#define SNAG_RUNTIME_MUTE_H

#include "runtime/rt.h"

/* Call it before the first record, or in the child of a fork. */
void rt_mute_begin(void);
/* Ends it; does nothing if the runtime is not mute. */
void rt_mute_end(void);
/* Returns whether a mute runtime writes records of this kind. */
bool rt_mute_puts(enum rt_op op);

#endif
