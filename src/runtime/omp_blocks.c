/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_blocks.c - heap blocks that a thread of OpenMP has for itself
 */
#include "runtime/omp_blocks.h"

#include <string.h>

enum { MOST = 4096 };

static struct {
	uintptr_t at, end;
	const struct rt_thread *owner; /* NULL: unseen */
	uint32_t implicit;	       /* task of the owner's */
} block[MOST];
uint32_t rt_nblocks;
struct rt_blocks_hull rt_blocks_hull;

/* The first block that ends behind the address. */
static uint32_t find(uintptr_t addr)
{
	uint32_t low = 0, high = rt_nblocks;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (block[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void hull_set(void)
{
	rt_blocks_hull = (struct rt_blocks_hull){0};
	if (rt_nblocks)
		rt_blocks_hull = (struct rt_blocks_hull){block[0].at,
							 block[rt_nblocks - 1].end - block[0].at};
}

static void drop(uint32_t i)
{
	memmove(&block[i], &block[i + 1], (--rt_nblocks - i) * sizeof(block[0]));
	hull_set();
}

static void add(uintptr_t at, size_t nbytes, const struct rt_thread *owner)
{
	uint32_t i = find(at);
	while (i < rt_nblocks && block[i].at < at + nbytes) /* it ended unseen */
		drop(i);
	if (rt_nblocks == MOST)
		return;
	memmove(&block[i + 1], &block[i], (rt_nblocks++ - i) * sizeof(block[0]));
	block[i].at = at;
	block[i].end = at + nbytes;
	block[i].owner = owner;
	block[i].implicit = owner ? owner->implicit : 0;
	hull_set();
}

void rt_block_add(uintptr_t at, size_t nbytes)
{
	const struct rt_thread *self = rt_hot.self;
	if (!rt.is_alone && self->implicit && nbytes > 0)
		add(at, nbytes, self);
}

void rt_block_unseen(uintptr_t at, size_t nbytes)
{
	if (nbytes == 0)
		rt_block_gone(at);
	else
		add(at, nbytes, NULL);
}

void rt_block_gone(uintptr_t at)
{
	uint32_t i = find(at);
	if (i < rt_nblocks && block[i].at == at)
		drop(i);
}

void rt_blocks_forget(void)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < rt_nblocks; i++)
		if (!block[i].owner)
			block[kept++] = block[i];
	rt_nblocks = kept;
	hull_set();
}

static bool is_own(uint32_t i)
{
	return block[i].owner == rt_hot.self && block[i].implicit == rt_hot.self->implicit;
}

void rt_blocks_own(void (*each)(uintptr_t at, size_t nbytes))
{
	for (uint32_t i = 0; i < rt_nblocks; i++)
		if (is_own(i))
			each(block[i].at, block[i].end - block[i].at);
}

enum rt_block rt_block_find(uintptr_t addr)
{
	uint32_t i = find(addr);
	if (i == rt_nblocks || block[i].at > addr)
		return RT_BLOCK_NONE;
	if (!block[i].owner)
		return RT_BLOCK_UNSEEN;
	if (block[i].owner == rt_hot.self)
		return is_own(i) ? RT_BLOCK_OWN : RT_BLOCK_NONE;
	drop(i);
	return RT_BLOCK_NONE;
}
