/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_put.h - how the calling thread adds a record to its own ring
 *
 * Rules.  [room]   l->limit is the number of the first record without room.  rt_lane_room() waits
 *                  until there is some.
 *         [quick]  rt_lane_quick() records an access of the common kind: inside one word, at a known
 *                  place, and part of the open run or of no run.  It calls no function in the common
 *                  case, so that few registers are saved.
 *         [signal] A signal that is kept begins a new epoch, in which no access is known, so that the
 *                  next one looks for it.  An access that is noted after that is known again.  So the
 *                  thread looks for signals after it has noted an access, not before.
 */
#ifndef SNAG_RUNTIME_LANE_PUT_H
#define SNAG_RUNTIME_LANE_PUT_H

#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/channel/ring.h"
#include "runtime/channel/run.h"

enum { RT_LANE_RUN_MAX = 1 << 30 }; /* accesses */

/* [room] */
void rt_lane_room(struct rt_lane *l) RT_HIDDEN;
/* Records the number of events so far. */
void rt_lane_count(struct rt_lane *l) RT_HIDDEN;

static inline void rt_lane_write(struct rt_lane *l, uint64_t what, uint32_t loc, uint32_t arg)
{
	if (rt_unlikely(l->n == l->limit))
		rt_lane_room(l);
	rt_put_prepare(&l->ring->record[l->n % RT_RING_RECORDS]);
	rt_ring_write(l->ring, l->n++, what, loc, arg);
}

/* Another record than the next access follows. */
static inline void rt_lane_run_end(struct rt_lane *l)
{
	struct rt_run *run = l->run;
	rt_run_forget(run);
	if (rt_likely(!run->is_open))
		return;
	run->is_open = false;
	if (run->open->events)
		rt_lane_write(l, rt_what(RT_AGAIN, run->period, 0), 0, run->open->events);
	run->open->events = 0;
}

/* The access is known from here on. */
static inline void rt_lane_note(uintptr_t addr, unsigned k, bool is_write)
{
	*rt_filter_slot(addr, k) = rt_filter_entry(addr, k, is_write);
	rt_hot.has_read |= !is_write;
}

/* [quick] An access of 2^k bytes, which was counted and is not in the filter.  Returns false, and does
 * nothing, for an access of another kind. */
static RT_INLINE bool rt_lane_quick(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	enum { WORD_BYTES = 8 };
	struct rt_thread *self = rt_hot.self;
	const uint64_t what = rt_what(is_write ? RT_WRITE : RT_READ, 1u << k, addr);
	const uint64_t fuel = (uint64_t)rt_hot.fuel;
	uint32_t caller, loc;
	if (rt_unlikely(!rt_lane_is_seen() || (addr & (WORD_BYTES - 1)) + (1u << k) > WORD_BYTES ||
			!rt_caller_is_known(&caller)))
		return false;
	struct rt_lane *l = &self->lane;
	struct rt_run *run = l->run;
	if (run->is_open) {
		if (rt_unlikely(run->open->events >= RT_LANE_RUN_MAX) ||
		    !rt_run_takes(run, (struct rt_step){what, pc, fuel, caller}))
			return false;
	} else {
		if (rt_unlikely(!run->rest || l->n == l->limit ||
				!rt_location_is_known(pc, caller, &loc)))
			return false;
		run->rest--;
		rt_lane_write(l, what, loc, (uint32_t)fuel);
	}
	l->told = (uint32_t)fuel;
	rt_lane_note(addr, k, is_write);
	if (rt_unlikely(self->signals.kept != self->signals.run))
		rt_signals_free(self); /* [signal] */
	return true;
}

#endif
