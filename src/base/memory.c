/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - allocation that cannot fail, and growable arrays
 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 2 << 20, RESERVE = 4 << 20, EXHAUSTED = 125 };

static struct {
	snag_exhausted_handler *handler;
	void *ctx;
	void *reserve;
	void (*end)(void);
} exhausted;

void snag_memory_on_exhausted(snag_exhausted_handler *handler, void *ctx)
{
	exhausted.handler = NULL; /* if there is no memory even for the reserve */
	exhausted.ctx = ctx;
	if (handler && !exhausted.reserve)
		exhausted.reserve = snag_alloc(RESERVE);
	if (!handler) {
		free(exhausted.reserve);
		exhausted.reserve = NULL;
	}
	exhausted.handler = handler;
}

__attribute__((cold)) void snag_out_of_memory(void)
{
	static const char msg[] = "snag: out of memory\n";
	static atomic_flag is_taken = ATOMIC_FLAG_INIT;
	static _Thread_local bool is_first;
	int status = EXHAUSTED;
	bool was_taken = atomic_flag_test_and_set(&is_taken);
	while (was_taken && !is_first) /* another thread is ending the process */
		pause();
	ssize_t ignored = is_first ? 0 : write(2, msg, sizeof(msg) - 1);
	(void)ignored;
	if (!is_first && exhausted.handler) {
		is_first = true;
		free(exhausted.reserve);
		status = exhausted.handler(exhausted.ctx);
	}
	if (exhausted.end)
		exhausted.end();
	_exit(status);
}

void snag_memory_at_end(void (*end)(void))
{
	exhausted.end = end;
}

void *snag_alloc(size_t nbytes)
{
	void *p = malloc(nbytes ? nbytes : 1);
	if (!p)
		snag_out_of_memory();
	return p;
}

char *snag_strdup(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(snag_alloc(n), text, n);
}

void *snag_calloc(size_t n, size_t elem)
{
	void *p = calloc(n ? n : 1, elem ? elem : 1);
	if (!p)
		snag_out_of_memory();
	return p;
}

void *snag_calloc_lines(size_t n, size_t elem)
{
	size_t nbytes;
	void *p;
	if (__builtin_mul_overflow(n, elem, &nbytes) ||
	    posix_memalign(&p, CACHE_LINE, nbytes ? nbytes : 1) != 0)
		snag_out_of_memory();
	return memset(p, 0, nbytes);
}

/* Asks for huge pages for a large array that will be written all over: they save page faults,
 * and TLB misses of random access.  Only whole huge pages, so that nothing more becomes
 * resident.  This is a hint: failing is fine. */
static void wish_huge(void *p, size_t nbytes)
{
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + nbytes) & ~(uintptr_t)(HUGE_PAGE - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *snag_realloc(void *p, size_t n, size_t elem)
{
	size_t nbytes;
	if (__builtin_mul_overflow(n, elem, &nbytes))
		snag_out_of_memory();
	if (!p && nbytes >= HUGE_PAGE) { /* so that it has as many whole pages as possible */
		if (posix_memalign(&p, HUGE_PAGE, nbytes) != 0)
			snag_out_of_memory();
	} else {
		p = realloc(p, nbytes ? nbytes : 1);
		if (!p)
			snag_out_of_memory();
	}
	if (nbytes >= HUGE_PAGE)
		wish_huge(p, nbytes);
	return p;
}

uint32_t *snag_filled(size_t n, uint32_t value)
{
	uint32_t *a = snag_realloc(NULL, n, sizeof(*a));
	for (size_t i = 0; i < n; i++)
		a[i] = value;
	return a;
}

void *snag_grow_more(void *p, size_t *cap, size_t need, size_t elem)
{
	size_t n = *cap ? *cap : 16;
	while (n < need)
		if (__builtin_mul_overflow(n, (size_t)2, &n))
			snag_out_of_memory();
	p = snag_realloc(p, n, elem);
	memset((char *)p + *cap * elem, 0, (n - *cap) * elem);
	*cap = n;
	return p;
}

/* Arrays smaller than a huge page come from malloc; the capacity decides which. */
static bool is_mapped(size_t cap, size_t elem)
{
	return cap * elem >= HUGE_PAGE;
}

static size_t mapped_bytes(size_t cap, size_t elem)
{
	return (cap * elem + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
}

static void *map_bytes(size_t nbytes)
{
	void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		snag_out_of_memory();
	return p;
}

void *snag_huge_grow_more(void *p, size_t *cap, size_t need, size_t elem)
{
	size_t new_cap = *cap * 2 > need ? *cap * 2 : need, nbytes;
	if (__builtin_mul_overflow(new_cap, elem, &nbytes) || nbytes > SIZE_MAX / 2)
		snag_out_of_memory();
	if (!is_mapped(new_cap, elem)) {
		void *lines = snag_calloc_lines(new_cap, elem);
		if (p)
			memcpy(lines, p, *cap * elem);
		free(p);
		*cap = new_cap;
		return lines;
	}
	nbytes = mapped_bytes(new_cap, elem);
	void *to;
	if (is_mapped(*cap, elem)) {
		to = mremap(p, mapped_bytes(*cap, elem), nbytes, MREMAP_MAYMOVE);
		if (to == MAP_FAILED)
			snag_out_of_memory();
	} else {
		to = map_bytes(nbytes);
		if (p)
			memcpy(to, p, *cap * elem);
		free(p);
	}
	madvise(to, nbytes, MADV_HUGEPAGE); /* a hint: failing is fine */
	*cap = nbytes / elem;		    /* use what the rounding up gives */
	return to;
}

void snag_huge_free(void *p, size_t cap, size_t elem)
{
	if (is_mapped(cap, elem))
		munmap(p, mapped_bytes(cap, elem));
	else
		free(p);
}
