/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - the runtime's own memory: mapped pages, cut into powers of two
 *
 * Idea.   Blocks of 16 bytes to half a piece come from lists of free blocks, one per
 *         power of two, filled from pieces of 256 KB; larger ones are mappings of
 *         their own.
 * Guarantee.  No other thread is ever waited for; nothing is shared with malloc.
 */
#include "runtime/memory.h"

#include "runtime/fail.h"
#include "runtime/sys.h"

#include <string.h>
#include <sys/mman.h>

enum { PIECE = 1 << 18, LOG_MIN = 4, LOG_MAX = 17, PAGE = 4096, HUGE_PAGE = 1 << 21 };

struct block {
	struct block *next;
};

static uint32_t lock; /* held for a few instructions; threads outside their turn allocate too */
static struct block *free_list[LOG_MAX + 1];
static char *piece, *piece_end;

static void lock_take(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) /* pairs with lock_give */
		rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void lock_give(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* pairs with lock_take */
}

void rt_memory_hold(void)
{
	lock_take();
}

void rt_memory_release(void)
{
	lock_give();
}

static unsigned log_of(size_t nbytes)
{
	unsigned log = LOG_MIN;
	while (((size_t)1 << log) < nbytes)
		log++;
	return log;
}

static size_t pages_of(size_t nbytes)
{
	return (nbytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void *map_or_fail(size_t nbytes)
{
	void *p = rt_sys_map(nbytes);
	if (!p)
		rt_fail("out of memory");
	return p;
}

static void *carve(size_t nbytes)
{
	if ((size_t)(piece_end - piece) < nbytes) {
		piece = map_or_fail(PIECE);
		piece_end = piece + PIECE;
	}
	void *p = piece;
	piece += nbytes;
	return p;
}

void *rt_alloc(size_t nbytes)
{
	unsigned log = log_of(nbytes);
	if (log > LOG_MAX)
		return map_or_fail(pages_of(nbytes));
	lock_take();
	struct block *b = free_list[log];
	if (b)
		free_list[log] = b->next;
	else
		b = carve((size_t)1 << log);
	lock_give();
	memset(b, 0, (size_t)1 << log);
	return b;
}

void rt_free(void *p, size_t nbytes)
{
	unsigned log = log_of(nbytes);
	if (!p)
		return;
	if (log > LOG_MAX) {
		rt_sys_unmap(p, pages_of(nbytes));
		return;
	}
	lock_take();
	((struct block *)p)->next = free_list[log];
	free_list[log] = p;
	lock_give();
}

/* Memory that is mapped moves without being copied, and in few pages if it is large. */
void *rt_grow(void *p, size_t old, size_t nbytes)
{
	if (log_of(old) <= LOG_MAX) {
		void *grown = rt_alloc(nbytes);
		if (old)
			memcpy(grown, p, old);
		rt_free(p, old);
		return grown;
	}
	long at = rt_sys(SYS_mremap, (long)p, (long)pages_of(old), (long)pages_of(nbytes),
			 MREMAP_MAYMOVE, 0, 0);
	if (at < 0 && at > -PAGE)
		rt_fail("out of memory");
	if (nbytes >= HUGE_PAGE)
		rt_sys(SYS_madvise, at, (long)pages_of(nbytes), MADV_HUGEPAGE, 0, 0, 0);
	return (void *)at;
}
