/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.c - conditional branches: the compilers' hooks of basic blocks, and the plugin's
 *
 * Idea.   What a thread does next may depend on what it read before, but only where its
 *         control flow branches.  The coverage hook at the beginning of every basic block
 *         comes after any branch and before anything the block does; there a branch is
 *         recorded, if the thread has read something since the last one.  That is more
 *         branches than there are, never fewer.
 *         The plugin (pass/branch.cpp) knows the branches, and of most which reads they depend
 *         on: these are told before them.  What a branch before told needs not be told again
 *         while nothing else was recorded.
 * State.  named[]  the cells told, a cache; those of another generation do not count
 *         end      how many records there were behind the last branch told this way: if there
 *                  are more now, the next one begins a generation
 * Guarantee.  Control dependence only: an access whose address depends on a read is not seen to.
 */
#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/stack.h"

enum { NAMED = 64 };

static struct {
	uintptr_t addr;
	uint64_t generation;
} named[NAMED];
static uint64_t generation, end;
static bool is_told; /* something, of the branch to come */

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

/* Called by every module whose branches are told.  One branch says so: without any, a trace says
 * nothing about what depends on what. */
RT_ABI(void, __snag_has_branches, void)
{
	static bool was_said;
	rt_begin_once();
	if (!was_said && rt_self())
		rt_put(RT_BRANCH, 0, 0, rt_location(RT_CALLER), 0);
	was_said = true;
}

RT_ABI(RT_HOT void, __snag_branch_all, void)
{
	if (rt_unlikely(rt_hot.has_read))
		branch(RT_CALLER);
}

static bool is_recorded(void)
{
	const struct rt_thread *self = rt_self();
	return self && self->state == RT_RUNNING && !self->ignores && !rt.is_unheard;
}

/* `size` bytes at addr; addr 0: nothing, another way was taken. */
RT_ABI(void, __snag_depends, uintptr_t addr, uint64_t size)
{
	if (!addr || !is_recorded())
		return;
	if (rt.written != end) {
		generation++;
		end = rt.written;
	}
	uint64_t slot = (addr ^ addr >> 6) % NAMED;
	if (named[slot].addr == addr && named[slot].generation == generation)
		return;
	named[slot].addr = addr;
	named[slot].generation = generation;
	for (uint64_t here; size > 0; addr += here, size -= here) {
		here = 8 - (addr & 7);
		here = here < size ? here : size;
		rt_put(RT_DEPENDS, (unsigned)here, addr, 0, 0);
	}
	is_told = true;
	end = rt.written;
}

RT_ABI(void, __snag_branch, void)
{
	if (!is_told)
		return;
	is_told = false;
	rt_put(RT_BRANCH, 0, 0, rt_location(RT_CALLER), 0);
	end = rt.written;
}
