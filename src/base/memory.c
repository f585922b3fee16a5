/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - allocation that cannot fail, and growable arrays
 */
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noreturn, cold)) static void out_of_memory(void)
{
	static const char msg[] = "snag: out of memory\n";
	ssize_t ignored = write(2, msg, sizeof(msg) - 1);
	(void)ignored;
	_exit(125);
}

void *snag_alloc(size_t nbytes)
{
	void *p = malloc(nbytes ? nbytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *snag_calloc(size_t n, size_t elem)
{
	void *p = calloc(n ? n : 1, elem ? elem : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *snag_realloc(void *p, size_t n, size_t elem)
{
	size_t nbytes;
	if (__builtin_mul_overflow(n, elem, &nbytes))
		out_of_memory();
	p = realloc(p, nbytes ? nbytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *snag_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	if (need <= *cap)
		return p;
	size_t n = *cap ? *cap : 16;
	while (n < need)
		if (__builtin_mul_overflow(n, (size_t)2, &n))
			out_of_memory();
	p = snag_realloc(p, n, elem);
	memset((char *)p + *cap * elem, 0, (n - *cap) * elem);
	*cap = n;
	return p;
}
