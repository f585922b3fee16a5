/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - memory for OpenMP, and maps from addresses
 *
 * Never malloc's, which the detector watches.  Sizes are rounded up to powers of two, each with
 * a pool; what is larger than the largest gets pages of its own.  A block knows its size.
 */
#include "base/pages.h"
#include "base/pool.h"
#include "omp/core.h"

#include <string.h>

enum { LEAST = 64, CLASSES = 8, HEADER = 16 };

static struct snag_pool pool[CLASSES];

static unsigned class_of(size_t nbytes)
{
	size_t units = (nbytes - 1) / LEAST;
	unsigned c = units ? 64 - (unsigned)__builtin_clzl(units) : 0;
	return c < CLASSES ? c : CLASSES;
}

void *mp_alloc_used(size_t nbytes)
{
	size_t need = nbytes + HEADER;
	unsigned c = class_of(need);
	char *p;
	if (c == CLASSES) {
		p = snag_pages_map(need);
	} else {
		if (!pool[c].elem)
			snag_pool_init(&pool[c], (size_t)LEAST << c);
		p = snag_pool_take(&pool[c]);
	}
	if (!p)
		mp_fail("OpenMP: out of memory");
	*(size_t *)p = need;
	return p + HEADER;
}

void *mp_alloc(size_t nbytes)
{
	return memset(mp_alloc_used(nbytes), 0, (nbytes + HEADER - 1) & -(size_t)HEADER);
}

void *mp_grow(void *old, size_t *cap, size_t n, size_t each)
{
	enum { FIRST = 16 };
	if (n <= *cap)
		return old;
	size_t more = 2 * *cap > FIRST ? 2 * *cap : FIRST;
	more = more > n ? more : n;
	void *grown = mp_alloc(more * each);
	if (*cap)
		memcpy(grown, old, *cap * each);
	mp_free(old);
	*cap = more;
	return grown;
}

void mp_free(void *p)
{
	if (!p)
		return;
	char *block = (char *)p - HEADER;
	size_t need = *(size_t *)block;
	unsigned c = class_of(need);
	if (c == CLASSES)
		snag_pages_unmap(block, need);
	else
		snag_pool_give(&pool[c], block);
}

void mp_memory(const void *at, size_t nbytes)
{
	if (mp.hooks && mp.launched)
		mp.hooks->memory(at, nbytes, mp.place);
}

/* The detector stands in front of the C library's: the archive calls these instead. */
typedef uint64_t word __attribute__((vector_size(16), may_alias, aligned(1)));
#define PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns")))

PLAIN void *mp_memset(void *to, int byte, size_t n)
{
	const word all = (word){0} + 0x0101010101010101u * (uint8_t)byte;
	size_t i = 0;
	for (; i + 4 * sizeof(word) <= n; i += 4 * sizeof(word)) {
		word *w = (word *)((char *)to + i);
		w[0] = w[1] = w[2] = w[3] = all;
	}
	for (; i + sizeof(word) <= n; i += sizeof(word))
		*(word *)((char *)to + i) = all;
	for (; i < n; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

PLAIN void *mp_memcpy(void *to, const void *from, size_t n)
{
	size_t i = 0;
	for (; i + sizeof(word) <= n; i += sizeof(word))
		*(word *)((char *)to + i) = *(const word *)((const char *)from + i);
	for (; i < n; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void **mp_map_at(struct mp_map *map, const void *key)
{
	enum { FIRST = 16 };
	struct snag_keyed *t = &map->table;
	t->elem = sizeof(struct mp_map_entry);
	if (snag_keyed_is_full(t)) {
		size_t nslots = t->nslots ? 2 * t->nslots : FIRST;
		mp_free(snag_keyed_move(t, mp_alloc(nslots * t->elem), nslots));
	}
	return &((struct mp_map_entry *)snag_keyed_put(t, (uintptr_t)key + 1))->value;
}

void mp_map_free(struct mp_map *map)
{
	mp_free(map->table.at);
	*map = (struct mp_map){0};
}
