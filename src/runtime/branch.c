/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.c - conditional branches: the compilers' hooks of basic blocks
 *
 * Idea.   What a thread does next may depend on what it read before, but only where its
 *         control flow branches.  The coverage hook at the beginning of every basic block
 *         comes after any branch and before anything the block does; there a branch is
 *         recorded, if the thread has read something since the last one.  That is more
 *         branches than there are, never fewer.
 * Guarantee.  Control dependence only: an access whose address depends on a read is not seen to.
 */
#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/stack.h"

static RT_COLD void branch(uintptr_t pc)
{
	struct rt_thread *self = rt_self();
	rt_hot.has_read = false;
	if (self && self->state == RT_RUNNING && !self->ignores)
		rt_put(RT_BRANCH, 0, 0, rt_location(pc), 0);
}

RT_ABI(RT_HOT void, __sanitizer_cov_trace_pc, void)
{
	if (rt_unlikely(rt_hot.has_read))
		branch(RT_CALLER);
}

RT_ABI(RT_HOT void, __sanitizer_cov_trace_pc_guard, uint32_t *guard)
{
	(void)guard;
	if (rt_unlikely(rt_hot.has_read))
		branch(RT_CALLER);
}

RT_ABI(void, __sanitizer_cov_trace_pc_guard_init, uint32_t *start, uint32_t *stop)
{
	(void)start;
	(void)stop;
}
