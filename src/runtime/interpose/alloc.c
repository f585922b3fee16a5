/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc.c - malloc and its relatives: the blocks of the heap
 *
 * Idea.   The program keeps its own allocator.  The runtime reports the begin and the end of each
 *         block, so that a block does not inherit the accesses to an earlier one at its place.
 * Rules.  [realloc]  realloc writes as many bytes of the new block as the old one had, also if the
 *                    block stays where it is.  So a thread that still uses the old block races.
 *         [buried]   What the C library frees while it makes or joins a thread was the thread-local
 *                    storage of a thread that has ended: that is no access.
 *         [unseen]   Once a thread that is not observed has allocated memory, the recorder does
 *                    not know which blocks live, and reports no use after free.
 */
#include "runtime/access/access.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/interpose/freed.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"
#include "runtime/modules.h"

#include <malloc.h>

enum { ADDRESS_BITS = 47 }; /* of a program */

/* Returns whether the calling thread can record an event. A thread that runs in parallel need
 * not enter the runtime for it. */
static bool may_report(uintptr_t pc)
{
	if (rt_hot.is_own)
		return false;
	rt_begin_once();
	struct rt_thread *self = rt.is_free ? rt_self() : rt_enter();
	if (!self) {
		if (rt.on)
			rt.channel->has_unseen_heap = 1;
		return false;
	}
	if (rt.is_free && self->is_open)
		return false;
	if (rt_unlikely(self->signals.handles))
		rt_misuse_in_handler(self, pc);
	return true;
}

/* Where the program asked for a block: operator new calls functions of this file. */
#define ALLOCATED_AT (rt_hot.news_at ? rt_hot.news_at : RT_CALLER)

static void *block_report(void *p, size_t n, uintptr_t pc)
{
	if (p && may_report(pc)) {
		if (rt.listener.needs_sizes)
			n = malloc_usable_size(p); /* free() ends as many bytes */
		rt_own_alloc((uintptr_t)p, n);
		if (rt_unlikely(rt.is_alone))
			rt_freed_begins((uintptr_t)p, malloc_usable_size(p));
		rt_put(RT_ALLOC, 0, (uintptr_t)p, rt_location(pc),
		       n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
	}
	return p;
}

static uint32_t freed_bytes(void *p)
{
	size_t n = malloc_usable_size(p);
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void free_report(void *p, uintptr_t pc)
{
	if (!may_report(pc))
		return;
	rt_own_free((uintptr_t)p);
	if (rt_unlikely(rt.is_alone))
		rt_freed_ends((uintptr_t)p, freed_bytes(p), pc);
	rt_put(RT_FREE,
	       rt_hot.self->ignoring.accesses || rt_hot.buries ? RT_FREE_IGNORED
	       : rt.is_alone				       ? RT_FREE_ALONE
							       : RT_FREE_WRITES,
	       (uintptr_t)p, rt_location(pc), freed_bytes(p));
	if (!rt.is_free)
		rt_epoch_end(); /* the next block at this place is new memory */
}

/* [realloc] */
static void copied(void *p, size_t n, uintptr_t pc)
{
	enum { SEEN = 1024 };
	if (!rt_hot.is_own && rt.listener.needs_places && rt_modules_counts(pc) &&
	    rt_access_count())
		rt_access_more((uintptr_t)p, n < SEEN ? n : SEEN, true, pc);
}

RT_EXPORT void *malloc(size_t n)
{
	RT_SCOPE;
	return block_report(rt_real.malloc(n), n, ALLOCATED_AT);
}

RT_EXPORT void *calloc(size_t n, size_t each)
{
	RT_SCOPE;
	return block_report(rt_real.calloc(n, each), n * each, RT_CALLER);
}

RT_EXPORT void free(void *p)
{
	RT_SCOPE;
	if (!p)
		return;
	free_report(p, RT_CALLER);
	rt_real.free(p);
}

RT_EXPORT void *realloc(void *p, size_t n)
{
	RT_SCOPE;
	if (n >> ADDRESS_BITS) /* it fails, and the block stays as it is */
		return rt_real.realloc(p, n);
	size_t old = p ? malloc_usable_size(p) : 0;
	if (p)
		free_report(p, RT_CALLER);
	void *moved = rt_real.realloc(p, n);
	if (!moved && n) {
		block_report(p, old, RT_CALLER);
		return NULL;
	}
	if (block_report(moved, n, RT_CALLER) && old && rt_self())
		copied(moved, old < n ? old : n, RT_CALLER);
	return moved;
}

RT_EXPORT int posix_memalign(void **ret_p, size_t align, size_t n)
{
	RT_SCOPE;
	int rc = rt_real.posix_memalign(ret_p, align, n);
	if (rc == 0)
		block_report(*ret_p, n, ALLOCATED_AT);
	return rc;
}

RT_EXPORT void *aligned_alloc(size_t align, size_t n)
{
	RT_SCOPE;
	return block_report(rt_real.aligned_alloc(align, n), n, ALLOCATED_AT);
}

RT_EXPORT void *memalign(size_t align, size_t n)
{
	RT_SCOPE;
	return block_report(rt_real.memalign(align, n), n, ALLOCATED_AT);
}

RT_EXPORT void *valloc(size_t n)
{
	RT_SCOPE;
	return block_report(rt_real.valloc(n), n, RT_CALLER);
}

RT_EXPORT void *pvalloc(size_t n)
{
	RT_SCOPE;
	return block_report(rt_real.pvalloc(n), n, RT_CALLER);
}
