/* SPDX-License-Identifier: Apache-2.0
 *
 * libc.c - functions of the C library that read and write the program's memory
 *
 * Rules.  [once]    A call is one event, however much memory it accesses.  The turn may end before
 *                   the call, but not between the call and the report of its accesses.
 *         [caller]  A call counts only if its caller was compiled with snag: a library may order
 *                   accesses to its own memory by means that snag does not observe (modules.h).
 *         Inside the runtime, the names mean the small functions below, as in strings.c.
 */
#include "runtime/access/access.h"
#include "runtime/modules.h"
#include "runtime/interpose/descriptor.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t rt_strlen(const char *s);
int rt_strcmp(const char *a, const char *b);
int rt_strncmp(const char *a, const char *b, size_t n);
char *rt_strstr(const char *s, const char *word);

size_t rt_strlen(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

int rt_strncmp(const char *a, const char *b, size_t n)
{
	while (n > 0 && *a && *a == *b)
		n--, a++, b++;
	return n > 0 ? (unsigned char)*a - (unsigned char)*b : 0;
}

int rt_strcmp(const char *a, const char *b)
{
	return rt_strncmp(a, b, SIZE_MAX);
}

char *rt_strstr(const char *s, const char *word)
{
	for (size_t n = rt_strlen(word); *s; s++)
		if (rt_strncmp(s, word, n) == 0)
			return (char *)s;
	return NULL;
}

/* Returns how many bytes a function reads that looks for the end of the string. */
static size_t length(const char *s)
{
	return rt_real.strlen(s) + 1;
}

static size_t length_within(const char *s, size_t n)
{
	size_t found = rt_real.strnlen(s, n);
	return found < n ? found + 1 : n;
}

static size_t same(const char *a, const char *b, size_t n, bool any_case)
{
	size_t i = 0;
	while (i < n && a[i] && (a[i] == b[i] || (any_case && tolower(a[i]) == tolower(b[i]))))
		i++;
	return i < n ? i + 1 : n;
}

static size_t same_bytes(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	while (i < n && a[i] == b[i])
		i++;
	return i < n ? i + 1 : n;
}

#define R(at, nbytes) rt_access_more((uintptr_t)(at), nbytes, false, pc);
#define W(at, nbytes) rt_access_more((uintptr_t)(at), nbytes, true, pc);
#define MADE(fd)                           \
	if (result == 0) {                 \
		rt_descriptor_made(fd[0]); \
		rt_descriptor_made(fd[1]); \
	}
#define FILLED(to) W(to, result == 0 ? sizeof(*(to)) : 0)
#define UPTO(s) ((size_t)((const char *)result - (const char *)(s)) + 1)
#define BOTH(a, b, nbytes)           \
	size_t n_looked_at = nbytes; \
	R(a, n_looked_at)            \
	R(b, n_looked_at)

#define LIBC(type, name, parameters, arguments, accesses)                  \
	type rt_wrap_##name parameters;                                    \
	RT_EXPORT type rt_wrap_##name parameters                           \
	{                                                                  \
		RT_SCOPE;                                                  \
		const uintptr_t pc = RT_CALLER;                            \
		rt_begin_once();                                           \
		bool is_seen = rt_modules_counts(pc) && rt_access_count(); \
		rt_hot.calls_at = pc;                                      \
		type result = rt_real.name arguments;                      \
		rt_hot.calls_at = 0;                                       \
		if (is_seen && rt_enter()) {                               \
			accesses                                           \
		}                                                          \
		return result;                                             \
	}
#include "runtime/interpose/libc.def"
