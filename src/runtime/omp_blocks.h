/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_blocks.h - heap blocks that a thread of OpenMP has for itself
 *
 * Idea.   A thread that allocates in a parallel region (a buffer, a growing vector) uses the block
 *         in many iterations of a loop; had another thread run one of them, it would
 *         have used its own.  So the block is private to the thread, as its stack is, until another
 *         context touches it; from then on it is like any other.  For a region inside, or another team of
 *         a league, on the same context, it is not private, but it may be again when that is over.
 *         The private copies of a reduction that tasks take part in belong to a thread as well, and
 *         what uses them is not seen at all: the library says which these are.
 * State.  block[]  the private ones, by address; NOT those of explicit tasks
 * Rules.  [add]    allocated by a thread of a team, in a region: also one that an explicit task has met
 *         [drop]   freed; its address is found where others can be (omp_known.h); touched by another context; the
 *                  outermost region ends; too many
 *         [lend]   a task that gets the address, or finds it while the owner lends all it has, may use the block:
 *                  it is private again with the owner's next segment if the task was waited for, else shared
 *         [doubt]  another context was there, and nobody saw how it got to know of the block: what the owner did in segments
 *                  of this phase was not told.  Not if the owner has just shared all it has, with tasks or a region inside
 *         [unseen] until the library says otherwise
 */
#ifndef SNAG_RUNTIME_OMP_BLOCKS_H
#define SNAG_RUNTIME_OMP_BLOCKS_H

#include "runtime/rt.h"

extern uint32_t rt_nblocks;
extern struct rt_blocks_hull { /* all of them lie in it */
	uintptr_t low;
	size_t nbytes;
} rt_blocks_hull;

void rt_block_add(uintptr_t at, size_t nbytes); /* if the caller is such a thread */
void rt_block_gone(uintptr_t at);
bool rt_block_is_of(uintptr_t addr, uint32_t implicit); /* it is in one of that task's */
/* The word at `at`, not in memory of the running context's own, is an address in a block. */
void rt_block_known(uintptr_t value, uintptr_t at);
/* The same of an argument of a task; whether the block is lent. */
bool rt_block_lend(uintptr_t value, uintptr_t at);
void rt_blocks_take_back(bool has_tasks);	   /* the running context begins a segment */
void rt_block_unseen(uintptr_t at, size_t nbytes); /* 0 bytes: no longer */
void rt_blocks_forget(void);			   /* all but the unseen */
void rt_blocks_own(void (*each)(uintptr_t at, size_t nbytes)); /* of the calling context, now */

enum rt_block { RT_BLOCK_NONE, RT_BLOCK_OWN, RT_BLOCK_UNSEEN };
/* What an address is in; a block of another context is no longer private. */
enum rt_block rt_block_find(uintptr_t addr);
static inline bool rt_block_may_be(uintptr_t addr)
{
	return addr - rt_blocks_hull.low < rt_blocks_hull.nbytes;
}
static inline enum rt_block rt_block_of(uintptr_t addr)
{
	return rt_block_may_be(addr) ? rt_block_find(addr) : RT_BLOCK_NONE;
}

#endif
