/* SPDX-License-Identifier: Apache-2.0
 *
 * spin.h - threads that wait by looking at memory again and again
 *
 * Idea.   A thread that reads the same values from the same addresses again and again makes no
 *         progress until another thread writes one of them.  As only one thread runs at a time, it
 *         would spin until its turn ends.  So it gives the baton away after a few looks, and gets
 *         it back when one of the addresses was written, or when no other thread can do better.
 *
 * Looks.  atomic loads, failed compare-exchanges, and updates, by the value they saw; volatile
 *         reads; trylocks that fail.  In code that snag does not observe, the
 *         instruction `pause` (pause.c).
 *
 * State, of a thread.
 *         look[]    the last few addresses it looked at, and what it saw
 *         count     looks since the last news that brought none
 *         patience  looks without news before the thread yields
 *         pure      looks without news in a row, with no other event in between
 *         waits     it has yielded, and since then no thread wrote what it looked at
 *
 * Rules.  [news]     A look is news if the address is new, or its value, or if the thread has made
 *                    more than EVENTS other events since the look before.
 *         [yield]    After `patience` looks without news the thread yields, and waits; or after
 *                    PAUSES instructions `pause` without an event.
 *         [patience] FEW looks at first, and when a yield brought news, as in a lock.  Twice as
 *                    many as before, up to MANY, if nothing was written: it may be no spin at all.
 *         [choose]   The policy chooses among the ready threads that do not wait; among all, if all
 *                    do.  A thread that was skipped SKIPS times no longer waits: it may poll a
 *                    clock, or memory that no instrumented code writes.
 *         [written]  A write to an address that a thread looked at ends the wait of that thread.
 *         [idle]     If all ready threads wait, and this one has done nothing but look for PURE
 *                    looks, it sleeps for a moment: only time, a system call, a signal
 *                    or another process can bring news.
 *         [busy]     If a timer of the program counts processor time (ITIMER_PROF), a thread that
 *                    sleeps would put off its signal: then [idle] only lets other threads have the
 *                    processor.
 *         [follow]   While the run follows a schedule, no thread yields: turns end as the schedule
 *                    says.
 *
 * Guarantee.  Each rule counts events and looks, never time, so that a run repeats with its
 *         seed.  ([idle] is the exception: it needs a thread outside, or a deadline.)
 *         A look is an event and is recorded like any other.
 *         Every spinning thread runs again after at most SKIPS turns of other threads.
 */
#ifndef SNAG_RUNTIME_SPIN_H
#define SNAG_RUNTIME_SPIN_H

#include "runtime/rt.h"

/* Notes that the calling thread looked at `addr` and saw `value`.  May give the baton away. */
void rt_spin_look(struct rt_thread *self, uintptr_t addr, uint64_t value);
/* Returns whether `addr` is among the last addresses that the calling thread looked at. */
bool rt_spin_knows(const struct rt_thread *self, uintptr_t addr);
/* Notes that the calling thread executes the instruction `pause`.  May give the baton away. */
void rt_spin_pause(struct rt_thread *self);

/* [written] How many ready threads wait; changes with the baton. */
extern uint32_t rt_spin_waiting RT_HIDDEN;
RT_COLD void rt_spin_wake(uintptr_t addr, size_t nbytes);
static inline void rt_spin_written(uintptr_t addr, size_t nbytes)
{
	if (rt_unlikely(rt_spin_waiting))
		rt_spin_wake(addr, nbytes);
}

/* [choose] Brings the candidates to the front of the list of ready threads, and returns how many
 * there are.  The scheduler's lock is held. */
uint32_t rt_spin_candidates(void);
/* Ends the wait of t, which gets the baton. */
void rt_spin_ends(struct rt_thread *t);

#endif
