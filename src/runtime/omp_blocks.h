/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_blocks.h - heap blocks that a thread of OpenMP has for itself
 *
 * Idea.   A thread that allocates in a parallel region (a buffer, a growing vector) uses the block
 *         in many iterations of a loop; had another thread run one of them, it would
 *         have used its own.  So the block is private to the thread, as its stack is, until another
 *         context touches it; from then on it is like any other.
 * State.  block[]  the private ones, by address; NOT those of explicit tasks
 * Rules.  [add]    allocated by a thread of a team, in a region
 *         [drop]   freed; touched by another context; the outermost region ends; too many
 */
#ifndef SNAG_RUNTIME_OMP_BLOCKS_H
#define SNAG_RUNTIME_OMP_BLOCKS_H

#include "runtime/rt.h"

extern uint32_t rt_nblocks;

void rt_block_add(uintptr_t at, size_t nbytes); /* if the caller is such a thread */
void rt_block_gone(uintptr_t at);
void rt_blocks_forget(void); /* all */
/* Whether an access is to a block of the calling context; one of another is no longer private. */
bool rt_block_is_own(uintptr_t addr);

#endif
