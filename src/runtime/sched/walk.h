/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.h - policies that choose a thread before every event
 *
 * pos   Partial order sampling: every event has a random priority, and the thread whose next event
 *       has the highest runs.  An event gets its priority when it becomes the next of its thread,
 *       and another one when a conflicting event has just run (Yuan, Yang and Gu, CAV 2018).
 * surw  Selectively uniform random walk: accesses to the 8 bytes of the option `focus` (0:
 *       synchronisation) are interesting.  Threads run until the next event of all of them is
 *       interesting.  Then a thread is chosen with a probability in proportion to the interesting
 *       events that it and the threads that it has yet to create have left (Zhao, Wolff, Mathur and
 *       Roychoudhury, ASPLOS 2025).  `snag explore` counted them in an earlier run, and declares
 *       them in the schedule file, in lines "=thread events".
 * stay  The thread that ran, as long as it can; then the one with the lowest number.
 *
 * Each turn has one event.  So with the option forget=1 every access is recorded.
 */
#ifndef SNAG_RUNTIME_WALK_H
#define SNAG_RUNTIME_WALK_H

#include "runtime/rt.h"

enum rt_walk { RT_WALK_POS, RT_WALK_SURW, RT_WALK_STAY, RT_WALKS };

enum { RT_AIM_UNKNOWN = 1 }; /* the next event of a thread that has not begun */

/* Chooses one of the ready threads (n > 0); `last` ran before, or is NULL. */
struct rt_thread *rt_walk_choose(enum rt_walk walk, struct rt_thread *const *ready, uint32_t n,
				 const struct rt_thread *last);
/* Declares how many interesting events the thread with this name, created by another, has;
 * false: too many threads. */
bool rt_walk_declare(uint32_t name, int64_t events);
void rt_walk_parent(uint32_t name, uint32_t creator);

#endif
