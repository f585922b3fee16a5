/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_blocks.c - heap blocks that a thread of OpenMP has for itself
 */
#include "runtime/omp_blocks.h"

#include "runtime/omp_known.h"

#include <string.h>

enum { MOST = 4096, WORD = 8 };

static struct block {
	uintptr_t at, end;
	struct rt_thread *owner; /* NULL: unseen */
	uint32_t implicit;	 /* task of the owner's ... */
	uint32_t untold_in;	 /* ... and the last phase of it that did something untold */
	uintptr_t low, high;	 /* of its stack */
	bool is_lent;		 /* to tasks that it has created */
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

static void add(uintptr_t at, size_t nbytes, struct rt_thread *owner)
{
	uint32_t i = find(at);
	while (i < rt_nblocks && block[i].at < at + nbytes) /* it ended unseen */
		drop(i);
	if (rt_nblocks == MOST)
		return;
	memmove(&block[i + 1], &block[i], (rt_nblocks++ - i) * sizeof(block[0]));
	block[i] = (struct block){.at = at, .end = at + nbytes, .owner = owner};
	if (owner) {
		block[i].implicit = owner->private.implicit;
		block[i].low = owner->private.low;
		block[i].high = owner->private.high;
	}
	hull_set();
}

void rt_block_add(uintptr_t at, size_t nbytes)
{
	struct rt_thread *self = rt_hot.self;
	if (!rt.is_alone && self->private.implicit && nbytes > 0)
		add(at, nbytes, self);
}

void rt_block_unseen(uintptr_t at, size_t nbytes)
{
	if (nbytes == 0)
		rt_block_gone(at);
	else
		add(at, nbytes, NULL);
}

/* Another context than the owner's is there. */
static void foreign(uint32_t i) /* [lend] [doubt] */
{
	const struct rt_private *owner = &block[i].owner->private;
	bool is_doubt = block[i].untold_in && block[i].untold_in == owner->phase && !owner->is_lent;
	bool is_task = !rt_hot.self->private.implicit; /* not a thread of a region inside */
	if (is_task && owner->is_lent && block[i].implicit == owner->implicit) {
		block[i].is_lent = true;
		return;
	}
	drop(i);
	if (is_doubt)
		rt_private_doubt();
}

void rt_block_gone(uintptr_t at)
{
	uint32_t i = find(at);
	if (i == rt_nblocks || block[i].at != at)
		return;
	if (block[i].owner && block[i].owner != rt_hot.self && !block[i].is_lent)
		foreign(i);
	i = find(at);
	if (i < rt_nblocks && block[i].at == at)
		drop(i);
}

/* The block that an address is in, if its owner has it for itself; else rt_nblocks. */
static uint32_t owned(uintptr_t addr)
{
	uint32_t i = rt_block_may_be(addr) ? find(addr) : rt_nblocks;
	return i < rt_nblocks && block[i].at <= addr && block[i].owner ? i : rt_nblocks;
}

bool rt_block_is_of(uintptr_t addr, uint32_t implicit)
{
	uint32_t i = owned(addr);
	return i < rt_nblocks && block[i].implicit == implicit;
}

static bool is_on_stack(const struct block *b, uintptr_t addr)
{
	return addr - b->low < b->high - b->low;
}

void rt_block_known(uintptr_t value, uintptr_t at)
{
	static struct block shared[MOST]; /* those whose words are to be looked at */
	uint32_t n = 0, i = owned(value);
	if (i == rt_nblocks || is_on_stack(&block[i], at) || rt_block_is_of(at, block[i].implicit))
		return;
	for (shared[n++] = block[i], drop(i); n > 0;) {
		const struct block b = shared[--n];
		for (at = (b.at + WORD - 1) & -(uintptr_t)WORD; at + WORD <= b.end; at += WORD) {
			value = *(const uintptr_t *)at;
			if (is_on_stack(&b, value) && b.implicit == b.owner->private.implicit)
				rt_stack_known(&b.owner->private);
			if ((i = owned(value)) < rt_nblocks) {
				shared[n++] = block[i];
				drop(i);
			}
		}
	}
}

static bool is_own(uint32_t i)
{
	return block[i].owner == rt_hot.self && block[i].implicit == rt_hot.self->private.implicit;
}

bool rt_block_lend(uintptr_t value, uintptr_t at) /* [lend] */
{
	uint32_t i = owned(value);
	if (i == rt_nblocks)
		return false;
	if (!is_own(i) && !block[i].is_lent) {
		rt_block_known(value, at);
		return false;
	}
	block[i].is_lent = true;
	return true;
}

void rt_blocks_take_back(bool has_tasks)
{
	for (uint32_t i = 0; i < rt_nblocks;) {
		bool is_lent = block[i].is_lent && is_own(i);
		block[i].is_lent &= !is_lent;
		if (is_lent && has_tasks)
			drop(i);
		else
			i++;
	}
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
	if (block[i].owner != rt_hot.self) {
		foreign(i);
		return RT_BLOCK_NONE;
	}
	if (!is_own(i))
		return RT_BLOCK_NONE;
	if (rt_hot.self->own_bytes)
		block[i].untold_in = rt_hot.self->private.phase;
	return RT_BLOCK_OWN;
}
