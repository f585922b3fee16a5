/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.c - where in the code, and how it got there
 *
 * State.  slot[]: open addressing, (parent, pc) to node; grows by doubling.
 */
#include "runtime/stack.h"

#include "runtime/memory.h"
#include "runtime/record.h"

struct slot {
	uintptr_t pc;
	uint32_t parent;
	uint32_t node; /* 0: empty */
};

static struct slot *slot;
static uint32_t nslots, nnodes;

static uint32_t slot_index(uint32_t parent, uintptr_t pc)
{
	uint64_t h = (pc ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	return (uint32_t)((h + parent * 0x2545f491u) >> 7) & (nslots - 1);
}

static struct slot *slot_find(uint32_t parent, uintptr_t pc)
{
	uint32_t i = slot_index(parent, pc);
	while (slot[i].node && (slot[i].pc != pc || slot[i].parent != parent))
		i = (i + 1) & (nslots - 1);
	return &slot[i];
}

static void slots_grow(void)
{
	struct slot *old = slot;
	uint32_t n = nslots;
	nslots = n ? 2 * n : 1 << 12;
	slot = rt_alloc(nslots * sizeof(*slot));
	for (uint32_t i = 0; i < n; i++)
		if (old[i].node)
			*slot_find(old[i].parent, old[i].pc) = old[i];
	rt_free(old, n * sizeof(*old));
}

static uint32_t node_of(uint32_t parent, uintptr_t pc)
{
	if (2 * nnodes >= nslots)
		slots_grow();
	struct slot *s = slot_find(parent, pc);
	if (!s->node) {
		*s = (struct slot){pc, parent, ++nnodes};
		rt_put(RT_NODE, 0, pc, parent, s->node);
	}
	return s->node;
}

uint32_t rt_location(uintptr_t pc)
{
	struct rt_frame *base = rt_hot.self->frames, *f = rt_hot.top;
	while (f > base && !f[-1].node)
		f--;
	uint32_t node = f > base ? f[-1].node : 0;
	for (; f < rt_hot.top; f++)
		node = f->node = node_of(node, f->pc);
	return node_of(node, pc);
}

static RT_COLD void entry_slow(void)
{
	rt_begin();
	rt_hot.beyond++;
}

RT_ABI(void, __tsan_func_entry, void *pc)
{
	struct rt_frame *f = rt_hot.top;
	if (rt_unlikely(f == rt_hot.end)) {
		entry_slow();
		return;
	}
	f->pc = (uintptr_t)pc;
	f->node = 0;
	rt_hot.top = f + 1;
}

RT_ABI(void, __tsan_func_exit, void)
{
	if (rt_unlikely(rt_hot.beyond)) {
		rt_hot.beyond--;
		return;
	}
	/* A thread that was not known at the entry has nothing to leave. */
	if (rt_likely(rt_hot.self && rt_hot.top > rt_hot.self->frames))
		rt_hot.top--;
}
