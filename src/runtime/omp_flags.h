/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_flags.h - what atomics and flushes of OpenMP order; in all programs of tasks, what is made once
 *
 * Idea.   An atomic read that acquires waits, in effect, for the write whose value it sees; so
 *         what released that value comes before it, in this run: C11's synchronizes-with.  An
 *         update that only counts (fetch_add) waits for nobody: it may come first in another
 *         run.  But who brings the counter to 0 is the last in every run.  Where the program
 *         asks for thread numbers, which makes other runs a different matter anyway, it counts too.
 * State.  flag[address]  the promises of its release sequence, and whether its last write
 *                        was relaxed
 *         Of a task: the promise of its last flush, and flags it has read since.
 * Rules.  [write]    begins a release sequence: with a promise that is set now if it releases,
 *                    with that of the last flush if there was one, else with none
 *         [update]   adds to it in the same way
 *         [long]     a sequence that gets too long is got by who adds to it, and begins anew: as
 *                    if that one had waited
 *         [acquire]  gets the promises.  If there are none, since the write was relaxed, it orders
 *                    nothing, which is said
 *         [flush]    acquires what was read since the last one, then sets a promise
 *         [once]     what whoever comes first makes (guard.c, once.c) is such a flag, in programs of
 *                    <snag/task.h>, too, where other atomics order nothing.  Which task makes it is up to
 *                    the schedule: the record of the atomic stands for that
 *         [last]     who counts down to 0 comes after all who counted before, in programs of <snag/task.h> too:
 *                    it deletes what a std::shared_ptr has.  The next life of the counter begins there
 * Cost.   A release sequence has at most SEQUENCE promises: one for each task that was not the last to
 *         add; each is got once by the same task.
 * Reference.  C11, 5.1.2.4 and 7.17.4; OpenMP 5.0, 1.4.4.
 */
#ifndef SNAG_RUNTIME_OMP_FLAGS_H
#define SNAG_RUNTIME_OMP_FLAGS_H

#include "runtime/channel.h"
#include "runtime/rt.h"

/* An atomic access of the running context, which was recorded; an update that does not take only
 * counts. */
void rt_flag(enum rt_op op, bool takes, uintptr_t addr, int order, uint32_t loc);
void rt_flags_flush(uint32_t loc); /* [flush] */
/* [once] It was made (a write that releases), or is found made (a read that acquires). */
void rt_flag_once(enum rt_op op, uintptr_t addr, uint32_t loc);
/* [last] An update of a counter in a program of <snag/task.h>; the last one makes it 0. */
void rt_flag_counted(bool is_last, uintptr_t addr, int order, uint32_t loc);
/* An isolated block begins, or has ended: promises cannot be set inside, so that is done at the end. */
void rt_flags_isolated(bool begins, uint32_t loc);
bool rt_flag_is_known(uintptr_t addr); /* [once] it is such a flag */
void rt_flags_forget(void);	       /* a new launch */

#endif
