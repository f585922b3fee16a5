/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_flags.h - what atomics and flushes of OpenMP order; in all programs of tasks, also
 * initialisations that happen once
 *
 * Idea.   An atomic read that acquires waits, in effect, for the write whose value it sees.  So the
 *         release of that value comes before the read, in this run: C11's synchronizes-with.  An
 *         update that only counts (fetch_add) waits for no other task: in another run it may come
 *         first.  But the task that brings a counter to 0 is the last one in every run.  If the
 *         program reads thread numbers, its verdict does not cover other runs; then snag orders
 *         counting updates, too.
 * State.  flag[address]  the promises of its release sequence, and whether its last write
 *                        was relaxed
 *         Of a task: the promise of its last flush, and the flags it has read since.
 * Rules.  [write]    A write begins a release sequence.  If it releases, the sequence has a promise
 *                    that is set now; else the promise of the last flush, if there was one; else
 *                    none.
 *         [update]   An update adds to the sequence in the same way.
 *         [long]     If a sequence gets too long, the task that adds to it gets all its
 *                    promises, as a task that waits does, and the sequence begins anew.
 *         [acquire]  A read that acquires gets the promises.  If there are none because the write
 *                    was relaxed, the read orders nothing, and the verdict says so.
 *         [flush]    A flush acquires the flags read since the last one, then sets a promise.
 *         [once]     An initialisation by the first task that arrives (guard.c, once.c) is such a
 *                    flag, also in programs of <snag/task.h>, where other atomics order nothing.
 *                    The schedule decides which task does it; the record of the atomic says so.
 *         [last]     The task that counts down to 0 comes after all that counted before, also in
 *                    programs of <snag/task.h>: it deletes what a std::shared_ptr owns.  The next
 *                    life of the counter begins there.
 * Cost.   A release sequence has at most SEQUENCE promises: one for each task that was not the
 *         last to add.  A task gets each of them once.
 * Reference.  C11, 5.1.2.4 and 7.17.4; OpenMP 5.0, 1.4.4.
 */
#ifndef SNAG_RUNTIME_OMP_FLAGS_H
#define SNAG_RUNTIME_OMP_FLAGS_H

#include "runtime/channel/channel.h"
#include "runtime/rt.h"

/* Reports an atomic access of the running context, after its record.  !takes: an update that only
 * counts. */
void rt_flag(enum rt_op op, bool takes, uintptr_t addr, int order, uint32_t loc);
void rt_flags_flush(uint32_t loc); /* [flush] */
/* [once] The running task has done the initialisation (a write that releases), or finds it done (a
 * read that acquires). */
void rt_flag_once(enum rt_op op, uintptr_t addr, uint32_t loc);
/* [last] An update of a counter in a program of <snag/task.h>; the last one makes it 0. */
void rt_flag_counted(bool is_last, uintptr_t addr, int order, uint32_t loc);
/* An isolated block begins, or has ended.  A task cannot set promises inside, so it sets them at
 * the end. */
void rt_flags_isolated(bool begins, uint32_t loc);
bool rt_flag_is_known(uintptr_t addr); /* [once] Returns whether the address is such a flag. */
void rt_flags_forget(void);	       /* a new launch */

#endif
