/* SPDX-License-Identifier: Apache-2.0
 *
 * footprint.c - the footprint oracle: a runtime that prints which bytes each step touches
 *
 * Linked in the place of snag's with code that the pass instrumented.  Memory that counts is
 * memory[]; step() ends a step and prints, for each stretch of its bytes, whether the step
 * wrote it or only read it.  Whatever checks the pass removes, moves or joins, that must
 * stay the same.  The programs of tasks.py count otherwise (tasks.c).
 */
#include "tasks.h"

#include "runtime/access/filter.h"
#include "runtime/channel/judge.h"
#include "runtime/access/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16 };

char memory[BYTES] __attribute__((aligned(64)));
static char touched[BYTES]; /* 0, 'r' or 'w' */
static int steps;
static uint64_t checks;

void step(void);

static void touch(uintptr_t addr, uint64_t n, int is_write)
{
	checks++;
	for (uint64_t i = 0; i < n; i++) {
		tasks_touch(addr + i, is_write);
		uint64_t at = addr + i - (uintptr_t)memory;
		if (at < BYTES && touched[at] != 'w')
			touched[at] = is_write ? 'w' : 'r';
	}
}

void step(void)
{
	rt_sites_end();
	for (int at = 0, end; at < BYTES; at = end) {
		for (end = at + 1; end < BYTES && touched[end] == touched[at]; end++)
			;
		if (touched[at])
			printf("%d %c %d-%d\n", steps, touched[at], at, end);
	}
	for (int at = 0; at < BYTES; at++)
		touched[at] = 0;
	steps++;
}

#define SIZE(n)                            \
	void __tsan_read##n(uintptr_t a);  \
	void __tsan_read##n(uintptr_t a)   \
	{                                  \
		touch(a, n, 0);            \
	}                                  \
	void __tsan_write##n(uintptr_t a); \
	void __tsan_write##n(uintptr_t a)  \
	{                                  \
		touch(a, n, 1);            \
	}
#define UNALIGNED(n)                                 \
	void __tsan_unaligned_read##n(uintptr_t a);  \
	void __tsan_unaligned_read##n(uintptr_t a)   \
	{                                            \
		touch(a, n, 0);                      \
	}                                            \
	void __tsan_unaligned_write##n(uintptr_t a); \
	void __tsan_unaligned_write##n(uintptr_t a)  \
	{                                            \
		touch(a, n, 1);                      \
	}
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __tsan_read_range(uintptr_t a, uint64_t n);
void __tsan_read_range(uintptr_t a, uint64_t n)
{
	touch(a, n, 0);
}

void __tsan_write_range(uintptr_t a, uint64_t n);
void __tsan_write_range(uintptr_t a, uint64_t n)
{
	touch(a, n, 1);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

/* Of code that looks into the filter: it knows nothing, sites are as in snag's runtime, which is
 * linked with this one (src/runtime/access/sites.c). */
static struct rt_filter filter = {.key = {UINT64_MAX, UINT64_MAX}, .lasting = UINT64_MAX};
__thread struct { /* begins as struct rt_hot */
	int64_t fuel;
	struct rt_filter *filter;
} __snag_hot = {INT64_MAX, &filter};

bool rt_judge_access(uint64_t a, unsigned n, bool is_write)
{
	touch(a, n, is_write);
	return false;
}

void rt_judge_places(uint64_t a, uint64_t n, int64_t apart, uint64_t count, bool is_write)
{
	for (; count > 0; count--, a += (uint64_t)apart)
		touch(a, n, is_write);
}

#define SPARING __attribute__((preserve_most)) /* as src/runtime/access/check.c */
#define NEXT_OF(kind, n, w)                                          \
	SPARING void __snag_task_##kind##n(uintptr_t a);             \
	SPARING void __snag_task_##kind##n(uintptr_t a)              \
	{                                                            \
		touch(a, n, w);                                      \
	}                                                            \
	void __snag_new_##kind##n(uintptr_t a);                      \
	void __snag_new_##kind##n(uintptr_t a)                       \
	{                                                            \
		touch(a, n, w);                                      \
	}                                                            \
	void __snag_next_##kind##n(uintptr_t a, struct rt_site *);   \
	void __snag_next_##kind##n(uintptr_t a, struct rt_site *s)   \
	{                                                            \
		if (rt_site_rests(s) || !rt_site_access(s, a, n, w)) \
			touch(a, n, w);                              \
	}
#define NEXT(n) NEXT_OF(read, n, 0) NEXT_OF(write, n, 1)
NEXT(1)
NEXT(2)
NEXT(4)
NEXT(8)
NEXT(16)

/* By its definition: every place of every iteration. */
void __snag_range1(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1);
void __snag_range1(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1)
{
	for (uint64_t i = 0; i < n1; i++)
		touch(a + i * (uint64_t)s1, n, (int)w);
}

void __snag_range2(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1, int64_t s2,
		   uint64_t n2);
void __snag_range2(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1, int64_t s2,
		   uint64_t n2)
{
	for (uint64_t i = 0; i < n2; i++)
		__snag_range1(a + i * (uint64_t)s2, n, w, s1, n1);
}

void __snag_range3(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1, int64_t s2,
		   uint64_t n2, int64_t s3, uint64_t n3);
void __snag_range3(uintptr_t a, uint64_t n, uint64_t w, int64_t s1, uint64_t n1, int64_t s2,
		   uint64_t n2, int64_t s3, uint64_t n3)
{
	for (uint64_t i = 0; i < n3; i++)
		__snag_range2(a + i * (uint64_t)s3, n, w, s1, n1, s2, n2);
}

/* Linked with --wrap. */
void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	touch((uintptr_t)from, n, 0);
	touch((uintptr_t)to, n, 1);
	return __real_memcpy(to, from, n);
}

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
	touch((uintptr_t)from, n, 0);
	touch((uintptr_t)to, n, 1);
	return __real_memmove(to, from, n);
}

void *__real_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n)
{
	touch((uintptr_t)to, n, 1);
	return __real_memset(to, byte, n);
}

/* Of these the pass checks before. */
void __snag_memcpy(void *to, const void *from, size_t n);
void __snag_memcpy(void *to, const void *from, size_t n)
{
	__real_memmove(to, from, n);
}

void __snag_memmove(void *to, const void *from, size_t n);
void __snag_memmove(void *to, const void *from, size_t n)
{
	__real_memmove(to, from, n);
}

void __snag_memset(void *to, int byte, size_t n);
void __snag_memset(void *to, int byte, size_t n)
{
	__real_memset(to, byte, n);
}

/* What follows is for the programs: something that ends them in the middle of a step, a number
 * that the compiler does not know, and a place for results. */
_Noreturn void stop(void);
void stop(void)
{
	exit(0);
}

volatile int number = 3;
char out[8];

static void last_step(void)
{
	step();
	fprintf(stderr, "%llu\n", (unsigned long long)checks);
}

__attribute__((constructor)) static void begin(void)
{
	atexit(last_step);
}

void kernels(void);
__attribute__((weak)) void kernels(void)
{
}

__attribute__((weak)) int main(void)
{
	kernels();
	return 0;
}
