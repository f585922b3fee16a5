/* SPDX-License-Identifier: Apache-2.0
 *
 * heap.c - replaces the C library's memory functions in the detectors inside a program
 *
 * The detectors are the same object files as in the tool, and call malloc(), mmap() and so on.
 * cmake/runtime.cmake renames these calls.  The memory belongs to the runtime, not to the
 * program.
 */
#include "inside/heap.h"

#include "runtime/fail.h"
#include "runtime/memory.h"
#include "runtime/sys.h"

#include <string.h>
#include <sys/mman.h>

struct block {	     /* lies before the memory that the caller gets */
	void *start; /* the runtime's memory that it is part of, and the size of that */
	size_t nbytes;
};

static void *block_new(size_t align, size_t nbytes)
{
	size_t all = nbytes + align + sizeof(struct block);
	char *start = rt_alloc(all);
	uintptr_t at = ((uintptr_t)start + sizeof(struct block) + align - 1) & -align;
	((struct block *)at)[-1] = (struct block){start, all};
	return (void *)at;
}

void *inside_malloc(size_t nbytes)
{
	return block_new(sizeof(struct block), nbytes);
}

void *inside_calloc(size_t n, size_t each)
{
	return inside_malloc(n * each); /* the runtime's memory is zeroed */
}

int inside_posix_memalign(void **ret, size_t align, size_t nbytes)
{
	*ret = block_new(align, nbytes);
	return 0;
}

void inside_free(void *p)
{
	if (p)
		rt_free(((struct block *)p)[-1].start, ((struct block *)p)[-1].nbytes);
}

void *inside_realloc(void *p, size_t nbytes)
{
	void *to = inside_malloc(nbytes);
	if (p) {
		const struct block *block = &((struct block *)p)[-1];
		size_t room = (size_t)((char *)block->start + block->nbytes - (char *)p);
		memcpy(to, p, room < nbytes ? room : nbytes);
	}
	inside_free(p);
	return to;
}

static void *mapped(long result)
{
	return result < 0 && result > -4096 ? MAP_FAILED : (void *)result;
}

void *inside_mmap(void *at, size_t nbytes, int protection, int flags, int fd, long offset)
{
	return mapped(rt_sys(SYS_mmap, (long)at, (long)nbytes, protection, flags, fd, offset));
}

void *inside_mremap(void *at, size_t old, size_t nbytes, int flags)
{
	return mapped(rt_sys(SYS_mremap, (long)at, (long)old, (long)nbytes, flags, 0, 0));
}

int inside_munmap(void *at, size_t nbytes)
{
	return (int)rt_sys(SYS_munmap, (long)at, (long)nbytes, 0, 0, 0, 0);
}

int inside_madvise(void *at, size_t nbytes, int advice)
{
	return (int)rt_sys(SYS_madvise, (long)at, (long)nbytes, advice, 0, 0, 0);
}

long inside_write(int fd, const void *text, size_t n)
{
	return rt_sys(SYS_write, fd, (long)text, (long)n, 0, 0, 0);
}
