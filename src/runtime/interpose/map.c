/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c - mappings that begin and end, and shared libraries that come and go
 *
 * Rules.  [end]    The epoch ends before memory is unmapped: the runtime then still reads which
 *                  addresses the program has stored there (omp_own.h).
 *         [unmap]  munmap writes the first megabyte of the memory: a thread that still uses it
 *                  races
 */
#include "runtime/access/access.h"
#include "runtime/modules.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/sites.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { PAGE = 4096 };

/* The memory has new contents: what was there before is another variable. */
static void forget(void *at, size_t n)
{
	if (!rt_enter())
		return;
	for (uint64_t pages = (n + PAGE - 1) / PAGE, some; pages > 0; pages -= some) {
		some = pages < UINT32_MAX ? pages : UINT32_MAX;
		rt_put(RT_FORGET, 0, (uintptr_t)at, 0, (uint32_t)some);
		at = (char *)at + some * PAGE;
	}
	rt_epoch_end();
}

static void end(void) /* [end] */
{
	if (rt_enter())
		rt_epoch_end();
}

RT_EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	RT_SCOPE;
	rt_begin_once();
	if (flags & MAP_FIXED)
		end();
	void *p = rt_real.mmap(at, n, protection, flags, fd, offset);
	if (p != MAP_FAILED)
		forget(p, n);
	return p;
}

RT_EXPORT void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
	RT_SCOPE;
	return mmap(at, n, protection, flags, fd, offset);
}

/* The system refuses others, and no memory ends. */
static bool is_range(uintptr_t at, size_t n)
{
	const uintptr_t end = 1ull << 47;
	return at % PAGE == 0 && n > 0 && at < end && n <= end - at;
}

/* [unmap] */
static void unmapped(void *at, size_t n, uintptr_t pc)
{
	enum { SEEN = 1 << 20 };
	if (n && rt.listener.needs_places && !rt.is_alone && rt_modules_counts(pc) &&
	    rt_access_count())
		rt_access_more((uintptr_t)at, n < SEEN ? n : SEEN, true, pc);
}

RT_EXPORT int munmap(void *at, size_t n)
{
	RT_SCOPE;
	rt_begin_once();
	if (is_range((uintptr_t)at, n)) {
		unmapped(at, n, RT_CALLER);
		forget(at, n);
	}
	return rt_real.munmap(at, n);
}

/* Returns MAP_FAILED, as mmap does, if it fails, and changes nothing then. */
RT_EXPORT void *mremap(void *at, size_t n, size_t more, int flags, ...)
{
	RT_SCOPE;
	va_list ap;
	va_start(ap, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	rt_begin_once();
	end();
	void *p = rt_real.mremap(at, n, more, flags, to);
	if (p == MAP_FAILED || (p == at && more <= n))
		return p;
	if (p != at)
		forget(at, n);
	forget(p != at ? p : (char *)p + n, p != at ? more : more - n);
	return p;
}

RT_EXPORT int mprotect(void *at, size_t n, int protection)
{
	RT_SCOPE;
	rt_begin_once();
	end();
	return rt_real.mprotect(at, n, protection);
}

RT_EXPORT int shmdt(const void *at)
{
	RT_SCOPE;
	rt_begin_once();
	end();
	return rt_real.shmdt(at);
}

RT_EXPORT void *dlopen(const char *path, int flags)
{
	RT_SCOPE;
	rt_begin_once();
	void *handle = rt_real.dlopen(path, flags);
	if (rt_enter())
		rt_modules_report();
	return handle;
}

RT_EXPORT int dlclose(void *handle)
{
	RT_SCOPE;
	rt_begin_once();
	if (rt_enter())
		rt_sites_end(); /* the library that goes may have some of them */
	end();
	return rt_real.dlclose(handle);
}
