/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.c - conditional branches: the compilers' hooks of basic blocks, and the plugin's
 *
 * Idea.   What a thread does next may depend on what it read before, but only where its
 *         control flow branches.  The coverage hook at the beginning of every basic block
 *         comes after any branch and before anything the block does; there a branch is
 *         recorded, if the thread has read something since the last one.  That is more
 *         branches than there are, never fewer.
 *         An access whose address depends on a read is a branch, too: with another value it would
 *         touch another location.  The hooks do not say where addresses come from.  But the code
 *         around the call of an access says whether the address is fixed (fixed_address.h); all
 *         other addresses count as depending on all reads.
 *         The plugin (pass/branch.cpp) knows the branches and such accesses, and for most of them
 *         the reads on which they depend.  It reports these reads before the branch.  While nothing
 *         else is recorded, the next branch need not report them again.  A thread of such a
 *         program begins with a branch that depends on a variable that no thread reads.  This says
 *         that the branches of the trace name their reads (trace/event.h).
 * State.  Of each thread:
 *         named[]  the cells that were reported, a cache; those of another generation do not count
 *         end      how many records there were behind the last branch reported this way: if there
 *                  are more now, the next one begins a generation
 *         has_blocks, has_branches  the hooks of blocks were called; the plugin reports branches
 * Guarantee.  Every branch and every access with a computed address comes after a branch that
 *         depends on the reads it was computed from.  With gcc this does not hold for addresses of
 *         locks.
 */
#include "runtime/access/fixed_address.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/rt.h"
#include "runtime/access/stack.h"

enum { NAMED = 64 };

static __thread struct {
	uintptr_t addr;
	uint64_t generation;
} named[NAMED];
static __thread uint64_t generation, end;
static __thread bool has_reads; /* reads of the next branch were reported */
static bool has_branches;
bool rt_has_blocks;

char __snag_nothing[8] RT_HIDDEN; /* no program reads it */

/* Returns whether events of the calling thread are recorded. */
static bool is_recorded(void)
{
	const struct rt_thread *self = rt_self();
	if (rt.is_free)
		return rt_lane_is_seen();
	return self && self->state == RT_RUNNING && !self->ignoring.accesses;
}

/* Returns the number of records so far: of the thread, if it runs in parallel. */
static uint64_t records(void)
{
	return rt.is_free ? rt_hot.self->lane.n : rt.written;
}

RT_COLD void rt_branch(uintptr_t pc)
{
	rt_hot.has_read = false;
	if (is_recorded())
		rt_put(RT_BRANCH, 0, 0, rt_location(pc), 0);
}

void rt_branch_address(uintptr_t pc, uintptr_t addr)
{
	if (!rt_is_fixed_address((const uint8_t *)pc, addr))
		rt_branch(pc);
}

void rt_branch_begin(void)
{
	if (!has_branches)
		return;
	rt_put(RT_DEPENDS, sizeof(__snag_nothing), (uintptr_t)__snag_nothing, 0, 0);
	rt_put(RT_BRANCH, 0, 0, 0, 0);
}

RT_ABI(RT_HOT void, __sanitizer_cov_trace_pc, void)
{
	rt_has_blocks = true;
	if (rt_unlikely(rt_hot.has_read))
		rt_branch(RT_CALLER);
}

RT_ABI(RT_HOT void, __sanitizer_cov_trace_pc_guard, uint32_t *guard)
{
	(void)guard;
	rt_has_blocks = true;
	if (rt_unlikely(rt_hot.has_read))
		rt_branch(RT_CALLER);
}

RT_ABI(void, __sanitizer_cov_trace_pc_guard_init, uint32_t *start, uint32_t *stop)
{
	(void)start;
	(void)stop;
}

/* Every module whose branches are reported calls this.  It makes one branch: a trace without
 * branches says nothing about dependence. */
RT_ABI(void, __snag_has_branches, void)
{
	rt_begin_once();
	bool was_said = has_branches;
	has_branches = true;
	if (!was_said && rt_self())
		rt_branch_begin();
}

RT_ABI(RT_HOT void, __snag_branch_all, void)
{
	if (rt_unlikely(rt_hot.has_read))
		rt_branch(RT_CALLER);
}

/* The next branch depends on `size` bytes at addr; addr 0: on nothing, the program took another
 * path. */
RT_ABI(void, __snag_depends, uintptr_t addr, uint64_t size)
{
	if (!addr || rt.is_unheard || !is_recorded())
		return;
	if (records() != end) {
		generation++;
		end = records();
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
	has_reads = true;
	end = records();
}

RT_ABI(void, __snag_branch, void)
{
	if (!has_reads)
		return;
	has_reads = false;
	rt_put(RT_BRANCH, 0, 0, rt_location(RT_CALLER), 0);
	end = records();
}
