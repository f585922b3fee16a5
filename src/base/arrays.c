/* SPDX-License-Identifier: Apache-2.0
 *
 * arrays.c - many small arrays of one kind of element, in one large one
 */
#include "base/arrays.h"

#include "base/memory.h"

#include <string.h>

static void *element(const struct snag_arrays *a, uint32_t i, size_t elem)
{
	return (char *)a->at + i * elem;
}

uint32_t snag_arrays_take(struct snag_arrays *a, uint32_t cap, size_t elem)
{
	uint32_t *unused = &a->unused[__builtin_ctz(cap)];
	uint32_t first = *unused;
	if (first) {
		memcpy(unused, element(a, --first, elem), sizeof(*unused));
		return first;
	}
	first = (uint32_t)a->n;
	a->n += cap;
	a->at = snag_huge_grow(a->at, &a->cap, a->n, elem);
	return first;
}

void snag_arrays_give(struct snag_arrays *a, uint32_t first, uint32_t cap, size_t elem)
{
	uint32_t *unused = &a->unused[__builtin_ctz(cap)];
	memcpy(element(a, first, elem), unused, sizeof(*unused));
	*unused = first + 1;
}

void snag_arrays_done(struct snag_arrays *a, size_t elem)
{
	snag_huge_free(a->at, a->cap, elem);
	*a = (struct snag_arrays){0};
}

void snag_arrays_double(struct snag_arrays *a, uint32_t *first, uint32_t *cap, uint32_t least,
			size_t elem)
{
	uint32_t old = *first, old_cap = *cap;
	*cap = old_cap ? old_cap * 2 : least;
	*first = snag_arrays_take(a, *cap, elem);
	if (!old_cap)
		return;
	memcpy(element(a, *first, elem), element(a, old, elem), old_cap * elem);
	snag_arrays_give(a, old, old_cap, elem);
}
