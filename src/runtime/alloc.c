/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc.c - malloc and its relatives: what begins is new memory
 *
 * Idea.   The program keeps its own allocator; the runtime only tells the recorder which
 *         memory begins and ends, so that a block does not inherit the accesses of the
 *         one that lay there before.
 */
#include "runtime/access.h"
#include "runtime/omp_own.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stack.h"

#include <malloc.h>

static void *told(void *p, size_t n, uintptr_t pc)
{
	if (p && !rt_hot.is_own && rt_enter()) {
		if (rt.judges)
			n = malloc_usable_size(p); /* as much as ends with it */
		rt_own_alloc((uintptr_t)p, n);
		rt_put(RT_ALLOC, 0, (uintptr_t)p, rt_location(pc),
		       n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
	}
	return p;
}

static void tell_free(void *p, uintptr_t pc)
{
	if (rt_hot.is_own || !rt_enter())
		return;
	rt_own_free((uintptr_t)p);
	rt_put(RT_FREE,
	       rt_hot.self->ignores ? RT_FREE_IGNORED
	       : rt.is_alone	    ? RT_FREE_ALONE
				    : RT_FREE_WRITES,
	       (uintptr_t)p, rt_location(pc), rt.judges ? (uint32_t)malloc_usable_size(p) : 0);
	rt_epoch_end(); /* what comes to lie there is not known yet */
}

RT_EXPORT void *malloc(size_t n)
{
	RT_SCOPE;
	return told(rt_real.malloc(n), n, RT_CALLER);
}

RT_EXPORT void *calloc(size_t n, size_t each)
{
	RT_SCOPE;
	return told(rt_real.calloc(n, each), n * each, RT_CALLER);
}

RT_EXPORT void free(void *p)
{
	RT_SCOPE;
	if (!p)
		return;
	tell_free(p, RT_CALLER);
	rt_real.free(p);
}

RT_EXPORT void *realloc(void *p, size_t n)
{
	RT_SCOPE;
	if (p)
		tell_free(p, RT_CALLER);
	void *moved = rt_real.realloc(p, n);
	return told(moved ? moved : (n ? p : NULL), n, RT_CALLER) ? moved : NULL;
}

RT_EXPORT int posix_memalign(void **ret_p, size_t align, size_t n)
{
	RT_SCOPE;
	int rc = rt_real.posix_memalign(ret_p, align, n);
	if (rc == 0)
		told(*ret_p, n, RT_CALLER);
	return rc;
}

RT_EXPORT void *aligned_alloc(size_t align, size_t n)
{
	RT_SCOPE;
	return told(rt_real.aligned_alloc(align, n), n, RT_CALLER);
}

RT_EXPORT void *memalign(size_t align, size_t n)
{
	RT_SCOPE;
	return told(rt_real.memalign(align, n), n, RT_CALLER);
}
