/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_access.c - plain accesses of threads that run in parallel
 */
#include "runtime/channel/lane.h"

#include "runtime/channel/lane_put.h"

enum { WORD = 8, RANGE_MAX = 1 << 30 };

/* Memory that no other thread has reached yet is known when it was accessed. */
static RT_COLD void unseen(uintptr_t addr, unsigned k, bool is_write)
{
	const struct rt_thread *self = rt_self();
	if (self && !self->is_open && !self->ignoring.accesses && rt.is_alone &&
	    !rt_stranger_may_come)
		*rt_filter_slot(addr, k) = rt_filter_entry(addr, k, is_write);
}

/* An access inside one word: recorded, or counted. */
static inline void word_put(struct rt_lane *l, uint64_t what, uintptr_t pc)
{
	struct rt_run *run = l->run;
	const uint64_t fuel = (uint64_t)rt_hot.fuel;
	const uint32_t caller = rt_caller();
	l->told = (uint32_t)fuel;
	if (run->is_open) {
		if (rt_likely(run->open->events < RT_LANE_RUN_MAX) &&
		    rt_run_takes(run, (struct rt_step){what, pc, fuel, caller}))
			return;
		rt_lane_run_end(l);
	}
	rt_lane_write(l, what, rt_location(pc), (uint32_t)fuel);
	rt_run_note(run, what, pc, fuel, caller, l->n);
}

RT_HOT void rt_lane_access(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	struct rt_thread *self = rt_hot.self;
	if (rt_unlikely(!rt_lane_is_seen())) {
		unseen(addr, k, is_write);
		return;
	}
	rt_lane_note(addr, k, is_write);
	for (unsigned size = 1u << k, here; size > 0; addr += here, size -= here) {
		here = WORD - (addr & (WORD - 1));
		here = here < size ? here : size;
		word_put(&self->lane, rt_what(is_write ? RT_WRITE : RT_READ, here, addr), pc);
	}
	if (rt_unlikely(self->signals.kept != self->signals.run))
		rt_signals_free(self); /* they came meanwhile */
}

void rt_lane_plain(uint64_t what, uint32_t loc, uint32_t arg)
{
	struct rt_lane *l = &rt_hot.self->lane;
	rt_lane_run_end(l);
	l->told = (uint32_t)rt_hot.fuel - UINT32_MAX / 2; /* not known: of a run it is not here */
	rt_lane_write(l, what, loc, arg);
}

void rt_lane_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	struct rt_lane *l = &rt_hot.self->lane;
	if (rt_unlikely(!rt_lane_is_seen()))
		return;
	const uint32_t loc = rt_location(pc);
	rt_hot.has_read |= !is_write;
	rt_lane_run_end(l);
	rt_lane_count(l);
	for (; n > 0; n -= n < RANGE_MAX ? n : RANGE_MAX, addr += RANGE_MAX)
		rt_lane_write(l, rt_what(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, addr),
			      loc, (uint32_t)(n < RANGE_MAX ? n : RANGE_MAX));
}
