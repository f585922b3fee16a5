/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_known.h - whether others get to know what a thread of OpenMP has for itself
 *
 * Idea.   What a thread allocates in a region, and its stack, is its own affair while no other can find
 *         it: while its address is nowhere but in memory that is the thread's own, too.  So every word
 *         that is written elsewhere is looked at, and what it points to is private no longer.
 *
 * State.  rt_written   words that were written in this epoch, and told
 * Rules.  [look]    when the epoch ends: by then they have been written, and written for the last time
 *                   that is told (access.h); nobody else has run
 *         [block]   a heap block whose address is found is shared from then on, and so is what its words
 *                   point to, and so on (omp_blocks.h).  What its owner did there before was done to memory
 *                   of its own
 *         [stack]   one that others know of is still not told in segments of its thread: so the run proves
 *                   nothing if the thread has segments from then on, or had some in the same phase
 *         [args]    of a new task are words that only the task gets to know.  Once it was on the stack of its creator, that
 *                   is watched in segments, until the task was waited for: the run proves nothing if they
 *                   meet, by words, or if a task comes later
 * Guarantee.  Who stores addresses unseen (the C library), or not as they are, is not noticed before
 *         another context is there (omp_blocks.h).
 * Cost.   A few instructions for every word that is written and told.
 */
#ifndef SNAG_RUNTIME_OMP_KNOWN_H
#define SNAG_RUNTIME_OMP_KNOWN_H

#include "runtime/access.h"
#include "runtime/omp_blocks.h"
#include "runtime/rt.h"

static inline bool rt_is_private(const struct rt_private *p, uintptr_t addr) /* on its stack */
{
	return addr - p->low < p->high - p->low;
}
/* Whether it matters what the running context writes: others than implicit tasks have nothing that they
 * could make known, as long as nobody has. */
static inline bool rt_written_counts(const struct rt_thread *self)
{
	return self->private.implicit | rt_nblocks;
}
/* A write of the running context was told, or will be / one of a word. */
void rt_written_note(uintptr_t addr, size_t nbytes);
static inline void rt_written_word(uintptr_t addr)
{
	if (rt_likely(rt_written.end && *rt_written.end == addr))
		*rt_written.end += sizeof(uintptr_t);
	else
		rt_written_note(addr, sizeof(uintptr_t));
}
/* The same of an atomic one, that is done. */
void rt_word_look(uintptr_t at);
/* What is written here becomes the arguments of a task, until next time. */
void rt_args_given(uintptr_t at, size_t nbytes);
bool rt_args_are_at(uintptr_t addr);
/* A context creates a task, which gets what is here; whether that is an address on its stack. */
bool rt_args_look(uintptr_t at, size_t nbytes);
/* The running context has a stack to itself from here on, in a segment; it may have tasks that know of it, and
 * that it has not waited for. */
void rt_stack_untold(bool has_tasks);
/* An access there, if it is on the stack of the running context, which is watched. */
bool rt_stack_is_watched(uintptr_t addr);
/* The stack of that one is known to others. */
void rt_stack_known(struct rt_private *of);
/* The verdict is not to say that nothing was left out. */
void rt_private_doubt(void);
/* A launch begins or ends. */
void rt_stacks_forget(void);

/* An access that is told may be one of a task on a stack that it was told of. */
extern struct rt_stacks_hull {
	uintptr_t low;
	size_t nbytes;
} rt_stacks_hull;
void rt_stacks_met(uintptr_t addr);
static inline void rt_stacks_look(uintptr_t addr)
{
	if (rt_unlikely(addr - rt_stacks_hull.low < rt_stacks_hull.nbytes))
		rt_stacks_met(addr);
}

#endif
