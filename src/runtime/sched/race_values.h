/* SPDX-License-Identifier: Apache-2.0
 *
 * race_values.h - the values of the variable of a race, around its two accesses
 *
 * Idea.   With the option effect=1 the program follows a schedule to a race, and past it.  The
 *         runtime reads the variable when the first access is next, when the second one is next,
 *         and when the thread of the second one has done it.  From these three values the tool
 *         knows what a reading access saw, and what two writing ones left behind
 *         (cli/run/effect.h).
 * Rules.  [same]  Only if both accesses have the same address and size, of 1 to 8 bytes, and are
 *                 plain ones: others are not told.
 *         [when]  A record of an access comes before the access itself, so the second and third
 *                 values are read in the turn after it.
 */
#ifndef SNAG_RUNTIME_RACE_VALUES_H
#define SNAG_RUNTIME_RACE_VALUES_H

#include "runtime/rt.h"

/* A plain access is next, in a turn that the policy may have made for it. */
void rt_race_values_access(uintptr_t addr, unsigned size);
/* Both accesses are done: reports the values to the tool (RT_NOTE_VALUE). */
void rt_race_values_put(void);

#endif
