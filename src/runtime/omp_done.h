/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_done.h - what an implicit task has done, to be compared with what others have
 *
 * Idea.   Each access that it has told since the barrier, outside of segments and locks and not to memory of its own, is a
 *         bit of a set: threads that did the same have the same set, however often each was told.
 * Guarantee.  Sets that differ mean that threads did different things.  Of n accesses more, a set of 4,096 bits
 *         hides one with probability 1 - e^(-n / 4096).
 * Cost.   Some 20 instructions an access.
 */
#ifndef SNAG_RUNTIME_OMP_DONE_H
#define SNAG_RUNTIME_OMP_DONE_H

#include "runtime/rt.h"

void rt_done_note(uintptr_t addr, bool is_write); /* by the running context */
uint64_t rt_done_digest(void);
void rt_done_forget(void);

#endif
