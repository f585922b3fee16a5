/* SPDX-License-Identifier: Apache-2.0
 *
 * strings.c - memory functions: their reads and writes
 *
 * The runtime itself calls memcpy and similar functions, also where the compiler inserts the call.
 * These calls must not count.  So the build renames (cmake/runtime.cmake): inside the runtime
 * memcpy becomes rt_memcpy, and rt_wrap_memcpy, below, becomes the memcpy of the program.
 */
#include "runtime/access/access.h"
#include "runtime/modules.h"

#include <string.h>

void *rt_memcpy(void *to, const void *from, size_t n);
void *rt_memmove(void *to, const void *from, size_t n);
void *rt_memset(void *to, int byte, size_t n);
int rt_memcmp(const void *a, const void *b, size_t n);

/* From a few hundred bytes on, the string instructions of the processor are as fast as the C
 * library; below that, loops over words are.  BARRIER keeps the compiler from replacing such a loop
 * by a call of the function that contains it. */
enum { FEW = 512 };
#define BARRIER() __asm__ volatile("" : : : "memory")

static void word_copy(char *to, const char *from)
{
	uint64_t word;
	__builtin_memcpy(&word, from, 8);
	__builtin_memcpy(to, &word, 8);
}

void *rt_memcpy(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;
	if (n >= FEW) {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
		return to;
	}
	for (; n >= 8; n -= 8, d += 8, s += 8) {
		word_copy(d, s);
		BARRIER();
	}
	for (; n > 0; n--) {
		*d++ = *s++;
		BARRIER();
	}
	return to;
}

void *rt_memmove(void *to, const void *from, size_t n)
{
	const char *s = from;
	char *d = to;
	if ((uintptr_t)d - (uintptr_t)s >= n)
		return rt_memcpy(to, from, n);
	for (; n >= 8; n -= 8) {
		word_copy(d + n - 8, s + n - 8);
		BARRIER();
	}
	for (; n > 0; n--) {
		d[n - 1] = s[n - 1];
		BARRIER();
	}
	return to;
}

void *rt_memset(void *to, int byte, size_t n)
{
	char *d = to;
	if (n >= FEW) {
		__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
		return to;
	}
	uint64_t word = UINT64_C(0x0101010101010101) * (unsigned char)byte;
	typedef uint64_t wide __attribute__((vector_size(32), aligned(1), may_alias));
	for (; n >= sizeof(wide); n -= sizeof(wide), d += sizeof(wide)) {
		*(wide *)d = (wide){word, word, word, word};
		BARRIER();
	}
	for (; n >= 8; n -= 8, d += 8) {
		__builtin_memcpy(d, &word, 8);
		BARRIER();
	}
	for (; n > 0; n--) {
		*d++ = (char)byte;
		BARRIER();
	}
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

/* Calls that the compiler inserts count, and those of code compiled with snag (libc.c). */
static void both(uintptr_t to, uintptr_t from, size_t n, uintptr_t pc)
{
	if (!rt_modules_counts(pc))
		return;
	rt_access_range(from, n, false, pc);
	rt_access_range(to, n, true, pc);
}

#define COPY(name, how)                                             \
	RT_ABI(void *, name, void *to, const void *from, size_t n)  \
	{                                                           \
		both((uintptr_t)to, (uintptr_t)from, n, RT_CALLER); \
		rt_hot.calls_at = RT_CALLER;                        \
		how(to, from, n);                                   \
		rt_hot.calls_at = 0;                                \
		return to;                                          \
	}
#define SET(name)                                                           \
	RT_ABI(void *, name, void *to, int byte, size_t n)                  \
	{                                                                   \
		if (rt_modules_counts(RT_CALLER))                           \
			rt_access_range((uintptr_t)to, n, true, RT_CALLER); \
		rt_hot.calls_at = RT_CALLER;                                \
		rt_memset(to, byte, n);                                     \
		rt_hot.calls_at = 0;                                        \
		return to;                                                  \
	}

COPY(rt_wrap_memcpy, rt_memcpy)
COPY(rt_wrap_memmove, rt_memmove)
SET(rt_wrap_memset)
COPY(__tsan_memcpy, rt_memcpy)
COPY(__tsan_memmove, rt_memmove)
SET(__tsan_memset)

/* Calls that the plugin for clang makes.  It checks their accesses itself, where that is needed. */
RT_ABI(void, __snag_memcpy, void *to, const void *from, size_t n)
{
	rt_hot.calls_at = RT_CALLER;
	rt_memcpy(to, from, n);
	rt_hot.calls_at = 0;
}

RT_ABI(void, __snag_memmove, void *to, const void *from, size_t n)
{
	rt_hot.calls_at = RT_CALLER;
	rt_memmove(to, from, n);
	rt_hot.calls_at = 0;
}

RT_ABI(void, __snag_memset, void *to, int byte, size_t n)
{
	rt_hot.calls_at = RT_CALLER;
	rt_memset(to, byte, n);
	rt_hot.calls_at = 0;
}
