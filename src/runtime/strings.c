/* SPDX-License-Identifier: Apache-2.0
 *
 * strings.c - memory functions: what they read and write counts
 *
 * The runtime itself calls memcpy and its like, also where nobody wrote it: the compiler
 * does.  Those calls must not count.  The build renames (cmake/runtime.cmake): inside the
 * runtime memcpy becomes rt_memcpy, and rt_wrap_memcpy, below, becomes the memcpy that
 * the program sees.
 */
#include "runtime/access.h"
#include "runtime/modules.h"

#include <string.h>

void *rt_memcpy(void *to, const void *from, size_t n);
void *rt_memmove(void *to, const void *from, size_t n);
void *rt_memset(void *to, int byte, size_t n);
int rt_memcmp(const void *a, const void *b, size_t n);

void *rt_memcpy(void *to, const void *from, size_t n)
{
	void *d = to;
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
	return to;
}

void *rt_memmove(void *to, const void *from, size_t n)
{
	const char *s = from;
	char *d = to;
	if ((uintptr_t)d - (uintptr_t)s >= n)
		return rt_memcpy(to, from, n);
	d += n - 1;
	s += n - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
	return to;
}

void *rt_memset(void *to, int byte, size_t n)
{
	void *d = to;
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
	return to;
}

int rt_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;
	for (size_t i = 0; i < n; i++)
		if (p[i] != q[i])
			return p[i] - q[i];
	return 0;
}

/* The copying itself: the processor's own instructions are as fast as the C library from a
 * few hundred bytes on; below that, whole words. */
static void copy(char *to, const char *from, size_t n)
{
	if (n >= 512) {
		rt_memcpy(to, from, n);
		return;
	}
	for (; n >= 8; n -= 8, to += 8, from += 8) {
		uint64_t word;
		__builtin_memcpy(&word, from, 8);
		__builtin_memcpy(to, &word, 8);
	}
	for (; n > 0; n--)
		*to++ = *from++;
}

/* The compiler's own calls count, and those of code compiled with snag (see libc.c). */
static void both(uintptr_t to, uintptr_t from, size_t n, uintptr_t pc)
{
	if (!rt_modules_instrumented(pc))
		return;
	rt_access_range(from, n, false, pc);
	rt_access_range(to, n, true, pc);
}

#define COPY(name, how)                                             \
	RT_ABI(void *, name, void *to, const void *from, size_t n)  \
	{                                                           \
		both((uintptr_t)to, (uintptr_t)from, n, RT_CALLER); \
		how(to, from, n);                                   \
		return to;                                          \
	}
#define SET(name)                                                           \
	RT_ABI(void *, name, void *to, int byte, size_t n)                  \
	{                                                                   \
		if (rt_modules_instrumented(RT_CALLER))                     \
			rt_access_range((uintptr_t)to, n, true, RT_CALLER); \
		return rt_memset(to, byte, n);                              \
	}

COPY(rt_wrap_memcpy, copy)
COPY(rt_wrap_memmove, rt_memmove)
SET(rt_wrap_memset)
COPY(__tsan_memcpy, copy)
COPY(__tsan_memmove, rt_memmove)
SET(__tsan_memset)
