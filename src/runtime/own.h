/* SPDX-License-Identifier: Apache-2.0
 *
 * own.h - memory of the running thread that is nobody else's business
 *
 * In programs that use OpenMP: its stack and thread-local storage, and heap blocks (omp_blocks.h),
 * while the library says so (omp.c).
 */
#ifndef SNAG_RUNTIME_OWN_H
#define SNAG_RUNTIME_OWN_H

#include "runtime/omp_blocks.h"
#include "runtime/omp_done.h"
#include "runtime/omp_known.h"
#include "runtime/rt.h"

static inline bool rt_is_on_own_stack(const struct rt_thread *self, uintptr_t addr)
{
	return addr - self->own_low < self->own_bytes;
}

/* Thread-local: of who else runs on the thread too, but not at the same time. */
static inline bool rt_is_of_thread(uintptr_t addr)
{
	return (uintptr_t)__builtin_thread_pointer() - addr <= rt.tls_bytes;
}

static inline bool rt_is_own(uintptr_t addr)
{
	const struct rt_thread *self = rt_hot.self;
	enum rt_block block = rt_block_of(addr);
	if (rt_unlikely(self->private.is_watched) && rt_stack_is_watched(addr))
		return true;
	return block == RT_BLOCK_UNSEEN || rt_is_of_thread(addr) ||
	       rt_is_on_own_stack(self, addr) || (self->own_bytes && block == RT_BLOCK_OWN);
}

/* What is recorded of a stack is forgotten when another task gets it. */
static inline void rt_stack_used(uintptr_t addr, bool is_write)
{
	rt_stacks_look(addr);
	if (rt_unlikely(rt_hot.self->private.is_noted) && !rt_hot.self->section.depth)
		rt_done_note(addr, is_write);
	if (addr < rt_hot.self->low_water && addr >= rt_hot.self->stack_low)
		rt_hot.self->low_water = addr;
}

#endif
