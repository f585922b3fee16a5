/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_done.h - what an implicit task has done, to be compared with the other tasks of its team
 *
 * Idea.   Each access that the runtime reports since the barrier, outside of segments and locks and
 *         not to memory that the task owns (own/own.h), is a bit of a set.  Threads that did the
 *         same have the same set, however often each access was reported.
 * Rules.  [outermost]  the runtime compares the outermost region of a context, not those inside
 *         [number]     it does not compare a task that has read its thread number
 * Guarantee.  Sets that differ mean that threads did different things.  Of n accesses more, a set
 *         of 4,096 bits hides one with probability 1 - e^(-n / 4096).
 * Cost.   Some 20 instructions an access.
 */
#ifndef SNAG_RUNTIME_OMP_DONE_H
#define SNAG_RUNTIME_OMP_DONE_H

#include "runtime/rt.h"

void rt_done_note(uintptr_t addr, bool is_write); /* an access of the running context */
void rt_done_phase(struct rt_thread *self);	  /* a phase of the context begins */
void rt_done_segment(struct rt_thread *self);	  /* a segment of the context begins or ends */
void rt_done_number_read(struct rt_thread *self); /* the task reads its thread number */

/* The hook of this name: see struct snag_omp_hooks. */
uint64_t rt_omp_done(void);

#endif
