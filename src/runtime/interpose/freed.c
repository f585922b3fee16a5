/* SPDX-License-Identifier: Apache-2.0
 *
 * freed.c - uses of freed memory before the program has a second thread
 */
#include "runtime/interpose/freed.h"

#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/misuse.h"
#include "runtime/sched/sched.h"

enum { GRAIN = 16, SLOTS = 4096, MARKED = 256, LARGE = 64 << 10 };

struct slot {
	uintptr_t grain;
	uint32_t freed_at; /* location; 0: the block lives */
};

static struct slot table[SLOTS];
bool rt_freed_any;

static struct slot *slot_of(uintptr_t at)
{
	const uintptr_t grain = at / GRAIN;
	return &table[(grain ^ grain / SLOTS) % SLOTS];
}

/* The grains of a block that the table holds, behind the first one. */
static uintptr_t marked_end(uintptr_t at, size_t n)
{
	return at + (n < MARKED ? n : MARKED);
}

static bool is_open(void)
{
	return rt.is_alone && !rt.is_free && rt_sched.nthreads == 1 && rt.listener.needs_places;
}

/* [begin] */
void rt_freed_begins(uintptr_t at, size_t n)
{
	if (!is_open())
		return;
	for (uintptr_t part = at; rt_freed_any && part < marked_end(at, n); part += GRAIN)
		if (slot_of(part)->grain == part / GRAIN)
			slot_of(part)->grain = 0;
	*slot_of(at) = (struct slot){at / GRAIN, 0};
}

/* [free] */
void rt_freed_ends(uintptr_t at, size_t n, uintptr_t pc)
{
	const struct slot *s = slot_of(at);
	if (!is_open() || s->grain != at / GRAIN || s->freed_at || n > LARGE)
		return;
	const uint32_t loc = rt_location(pc);
	for (uintptr_t part = at; part < marked_end(at, n); part += GRAIN)
		*slot_of(part) = (struct slot){part / GRAIN, loc};
	rt_freed_any = true;
}

/* [use] */
void rt_freed_used(uintptr_t at, uintptr_t pc)
{
	struct slot *s = slot_of(at);
	rt_freed_any = is_open(); /* [threads] */
	if (s->grain != at / GRAIN || !s->freed_at || !rt_freed_any)
		return;
	rt_misuse_behind(RT_MISUSE_USE_AFTER_FREE, at, pc, s->freed_at);
	s->grain = 0;
}
