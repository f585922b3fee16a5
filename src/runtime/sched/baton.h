/* SPDX-License-Identifier: Apache-2.0
 *
 * baton.h - turns, and how the baton goes from one thread to the next
 *
 * For the files of the scheduler.  A thread that gives the baton away ends its turn, chooses the
 * next thread, starts that thread, and waits until another thread chooses it.  All of it but the
 * waiting happens under the lock of the scheduler (sched.h).
 */
#ifndef SNAG_RUNTIME_BATON_H
#define SNAG_RUNTIME_BATON_H

#include "runtime/sched/sched.h"

/* Ends the turn of t: counts its events, and takes the baton from it. */
void rt_turn_end(struct rt_thread *t);
/* Gives the baton and the fuel of a turn to t, which is not among the ready threads.  The thread
 * itself copies the fuel to rt_hot when it runs. */
void rt_turn_begin(struct rt_thread *t);

/* Chooses a ready thread and begins its turn.  `last` is the thread whose turn was the last one.
 * Returns the chosen thread, or NULL if no thread can run. */
struct rt_thread *rt_baton_give(const struct rt_thread *last);
/* Lets t run, which has been given the baton and sleeps.  Needs no lock. */
void rt_baton_start(struct rt_thread *t);
/* Waits, without the lock, until another thread gives the baton to the calling one.  When the
 * deadline passes first, and no thread runs, the calling thread chooses the next one. */
void rt_baton_wait(struct rt_thread *self, rt_time deadline);
/* Starts t, which has been given the baton (NULL: no thread has), and waits for the next turn of
 * self.  If t is self, returns at once.  Releases the lock, which the caller holds. */
void rt_baton_follow(struct rt_thread *self, struct rt_thread *t, rt_time deadline);
/* Ends the turn of self, whose new state the caller has set, gives the baton to another thread,
 * and waits for the next turn of self.  Releases the lock, which the caller holds. */
void rt_baton_pass(struct rt_thread *self, rt_time deadline);

#endif
