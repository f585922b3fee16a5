/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc.c - malloc and its relatives: what begins is new memory
 *
 * Idea.   The program keeps its own allocator; the runtime only tells the recorder which
 *         memory begins and ends, so that a block does not inherit the accesses of the
 *         one that lay there before.
 * Rules.  dlsym, which finds the real functions, may allocate before they are known: that
 *         comes from a small arena, which is never given back.
 */
#include "runtime/access.h"
#include "runtime/omp_own.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stack.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

enum { BOOT_BYTES = 1 << 16, ALIGN = 16 };

static char boot[BOOT_BYTES] __attribute__((aligned(ALIGN)));
static size_t boot_used;

static void *boot_alloc(size_t n)
{
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (n > BOOT_BYTES - boot_used)
		return NULL;
	void *p = boot + boot_used;
	boot_used += n;
	return p;
}

static bool is_boot(const void *p)
{
	return (const char *)p >= boot && (const char *)p < boot + BOOT_BYTES;
}

/* Whether the real functions are known; they are not while dlsym looks for them. */
static bool is_ready(void)
{
	rt_begin_once();
	return rt_real.malloc && rt_real.calloc && rt_real.realloc && rt_real.free;
}

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
	rt_put(RT_FREE, rt.is_alone, (uintptr_t)p, rt_location(pc),
	       rt.judges ? (uint32_t)malloc_usable_size(p) : 0);
	rt_epoch_end(); /* what comes to lie there is not known yet */
}

RT_EXPORT void *malloc(size_t n)
{
	RT_SCOPE;
	return is_ready() ? told(rt_real.malloc(n), n, RT_CALLER) : boot_alloc(n);
}

RT_EXPORT void *calloc(size_t n, size_t each)
{
	RT_SCOPE;
	if (!is_ready())
		return each && n > BOOT_BYTES / each ? NULL : boot_alloc(n * each);
	return told(rt_real.calloc(n, each), n * each, RT_CALLER);
}

RT_EXPORT void free(void *p)
{
	RT_SCOPE;
	if (!p || is_boot(p))
		return;
	tell_free(p, RT_CALLER);
	rt_real.free(p);
}

RT_EXPORT void *realloc(void *p, size_t n)
{
	RT_SCOPE;
	if (!is_ready())
		return p ? NULL : boot_alloc(n);
	if (is_boot(p)) {
		void *copy = rt_real.malloc(n);
		size_t room = (size_t)(boot + BOOT_BYTES - (char *)p);
		if (copy)
			memcpy(copy, p, n < room ? n : room);
		return told(copy, n, RT_CALLER);
	}
	if (p)
		tell_free(p, RT_CALLER);
	void *moved = rt_real.realloc(p, n);
	return told(moved ? moved : (n ? p : NULL), n, RT_CALLER) ? moved : NULL;
}

RT_EXPORT int posix_memalign(void **ret_p, size_t align, size_t n)
{
	RT_SCOPE;
	if (!is_ready())
		return ENOMEM;
	int rc = rt_real.posix_memalign(ret_p, align, n);
	if (rc == 0)
		told(*ret_p, n, RT_CALLER);
	return rc;
}

RT_EXPORT void *aligned_alloc(size_t align, size_t n)
{
	RT_SCOPE;
	return is_ready() ? told(rt_real.aligned_alloc(align, n), n, RT_CALLER) : NULL;
}

RT_EXPORT void *memalign(size_t align, size_t n)
{
	RT_SCOPE;
	return is_ready() ? told(rt_real.memalign(align, n), n, RT_CALLER) : NULL;
}
