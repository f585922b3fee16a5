/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.c - locations: a place in the code, with the calls that led there
 *
 * State.  slot[]: open addressing, (parent, pc) to node; grows by doubling
 *         node[]: what each node is, to find recursion
 *         rt_hot.places[]: a cache of slot[], for locations of events and of calls.  Threads that
 *         run in parallel have a cache each, and use the rest under a lock.
 */
#include "runtime/access/stack.h"

#include "omp/hooks.h"

#include "runtime/memory.h"
#include "runtime/channel/record.h"
#include "runtime/sched/stranger.h"
#include "runtime/sys.h"

#include <string.h>

struct slot {
	uintptr_t pc;
	uint32_t parent;
	uint32_t node; /* 0: empty */
};

struct node {
	uintptr_t pc;
	uint32_t parent;
};

const void *rt_tasks_place;

static uint32_t lock; /* for threads that run in parallel */
static struct slot *slot;
static uint32_t nslots, nused;
struct rt_place rt_places[RT_PLACES];
static struct node *node; /* counts from 1 */
static uint32_t nnodes, node_cap;

/* Events of one call lie side by side, as they do in the cache of stack.h. */
static uint32_t slot_index(uint32_t parent, uintptr_t pc)
{
	return (uint32_t)(pc / 8 + (parent * UINT64_C(0x9e3779b97f4a7c15) >> 32)) & (nslots - 1);
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

/* The libraries of OpenMP and of <snag/task.h>, if the program has them. */
extern const char __start_snag_omp_text[] __attribute__((weak));
extern const char __stop_snag_omp_text[] __attribute__((weak));
extern const char __start_snag_task_text[] __attribute__((weak));
extern const char __stop_snag_task_text[] __attribute__((weak));

static bool is_of_tasks(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_snag_task_text && pc < (uintptr_t)__stop_snag_task_text;
}

/* Returns whether a call comes from one of these libraries, which reports do not show. */
static bool is_library(uintptr_t pc)
{
	return is_of_tasks(pc) ||
	       (pc >= (uintptr_t)__start_snag_omp_text && pc < (uintptr_t)__stop_snag_omp_text);
}

static uint32_t node_new(uint32_t parent, uintptr_t pc)
{
	if (nnodes + 1 >= node_cap) {
		uint32_t cap = node_cap ? 2 * node_cap : 1 << 12;
		node = rt_grow(node, node_cap * sizeof(*node), cap * sizeof(*node));
		node_cap = cap;
	}
	node[++nnodes] = (struct node){pc, parent};
	rt_put(RT_NODE, 0, pc, parent, nnodes);
	return nnodes;
}

/* The caller of itself: the nearest of `parent` and those above it with that pc, or 0. */
static uint32_t folded(uint32_t parent, uintptr_t pc)
{
	while (parent && node[parent].pc != pc)
		parent = node[parent].parent;
	return parent;
}

static uint32_t node_find(uint32_t parent, uintptr_t pc)
{
	if (2 * nused >= nslots)
		slots_grow();
	struct slot *s = slot_find(parent, pc);
	if (!s->node) {
		uint32_t same = folded(parent, pc);
		*s = (struct slot){pc, parent, same ? same : node_new(parent, pc)};
		nused++;
	}
	return s->node;
}

static uint32_t node_of(uint32_t parent, uintptr_t pc)
{
	struct rt_place *p = rt_place_slot(pc, parent);
	if (p->pc == pc && p->caller == parent)
		return p->node;
	if (rt.is_free)
		rt_sys_lock(&lock);
	*p = (struct rt_place){pc, parent, node_find(parent, pc)};
	if (rt.is_free)
		rt_sys_unlock(&lock);
	return p->node;
}

void rt_stack_forget(struct rt_thread *self)
{
	for (struct rt_frame *f = self->frames; f < rt_hot.top; f++)
		f->node = 0;
	lock = nslots = nused = nnodes = node_cap = 0;
	slot = NULL;
	node = NULL;
	memset(rt_places, 0, sizeof(rt_places));
	rt_hot.places = rt_places;
}

uint32_t rt_caller_find(void)
{
	struct rt_frame *base = rt_hot.self->frames, *f = rt_hot.top;
	if (rt.is_mute)
		return 0;
	while (f > base && !f[-1].node)
		f--;
	uint32_t caller = f > base ? f[-1].node : 0;
	for (; f < rt_hot.top; f++)
		caller = f->node = is_library(f->pc) ? caller : node_of(caller, f->pc);
	return caller;
}

uint32_t rt_location_find(uintptr_t pc)
{
	if (!rt.listener.needs_places || rt.is_mute)
		return 0;		  /* the listener needs no places */
	if (rt_unlikely(is_of_tasks(pc))) /* the library copies an argument, say */
		pc = (uintptr_t)rt_tasks_place;
	else if (rt_unlikely(is_library(pc)) && __snag_omp_place()) /* the library allocates */
		pc = (uintptr_t)__snag_omp_place();
	return node_of(rt_caller(), pc);
}

/* Returns whether the thread has frames after all: perhaps the runtime did not know it yet. */
static RT_COLD bool entry_slow(void)
{
	RT_SCOPE;
	if (rt_stranger_may_come && !rt_hot.self)
		rt_stranger_enter();
	if (rt_hot.top != rt_hot.end)
		return true;
	rt_hot.beyond++;
	return false;
}

static __attribute__((noinline)) void frame_enter(void *pc, const void *caller_sp)
{
	struct rt_frame *f = rt_hot.top;
	f->pc = (uintptr_t)pc;
	f->node = 0;
	f->sp = (uint32_t)(uintptr_t)caller_sp;
	rt_hot.top = f + 1;
}

RT_ABI(void, __tsan_func_entry, void *pc)
{
	if (rt.has_no_frames || (rt_unlikely(rt_hot.top == rt_hot.end) && !entry_slow()))
		return;
	frame_enter(pc, __builtin_dwarf_cfa());
}

RT_ABI(void, __tsan_func_exit, void)
{
	if (rt.has_no_frames)
		return;
	if (rt_unlikely(rt_hot.beyond)) {
		rt_hot.beyond--;
		return;
	}
	/* If the runtime did not know the thread at the entry, there is no frame to remove. */
	if (rt_likely(rt_hot.self && rt_hot.top > rt_hot.self->frames))
		rt_hot.top--;
}
