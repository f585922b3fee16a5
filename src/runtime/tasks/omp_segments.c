/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_segments.c - segments: parts of a thread's work that are tasks if they have events
 */
#include "runtime/tasks/omp_segments.h"

#include "runtime/access/access.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/sched_context.h"
#include "runtime/access/stack.h"

bool rt_omp_has_order;

/* A segment that the detector does not know yet: its creation is recorded before the next record
 * (record.h). */
static struct {
	uint32_t task, by, loc;
	bool is_there, has_label;
	/* The last reported segment, which `creator` made, ends with it; both have one number. */
	bool is_next;
	uint32_t creator;
	uint8_t label;
	uint64_t number;
} pending;

static void pending_report(void)
{
	pending.is_there = false;
	if (pending.is_next) {
		rt_judge_next(pending.creator);
		return;
	}
	rt_omp_put(SNAG_OP_TASK_CREATE, pending.task, pending.loc);
	if (pending.has_label)
		rt.listener.label(pending.task, pending.label, pending.number);
	rt_hot.self->as = pending.task;
	rt.listener.speaks(pending.task);
}

void rt_segment_begin(uint32_t task, const void *place)
{
	if (!rt_entered())
		return;
	rt_epoch_end();
	if (rt_run.is_open) /* the run belongs to the segment before */
		rt_run_end();
	pending.task = task;
	pending.by = rt_hot.self->as;
	pending.loc = rt_location((uintptr_t)place);
	pending.is_there = true;
	pending.has_label = pending.is_next = false;
	rt_record_before(pending_report);
}

void rt_segment_label(uint32_t task, enum snag_omp_label what, uint64_t number)
{
	static const uint8_t kind[] = {
		[SNAG_OMP_ITERATION] = RT_LABEL_ITERATION, [SNAG_OMP_PART] = RT_LABEL_PART,
		[SNAG_OMP_SECTION] = RT_LABEL_SECTION,	   [SNAG_OMP_THREAD] = RT_LABEL_THREAD,
		[SNAG_OMP_TEAM] = RT_LABEL_TEAM,	   [SNAG_OMP_COMBINE] = RT_LABEL_COMBINE,
		[SNAG_OMP_DEPEND_IN] = RT_LABEL_IN,	   [SNAG_OMP_DEPEND_OUT] = RT_LABEL_OUT,
		[SNAG_OMP_DEPEND_MUTEX] = RT_LABEL_MUTEX,  [SNAG_OMP_DEPEND_SET] = RT_LABEL_SET,
	};
	if (!rt_entered())
		return;
	if (!pending.is_there || pending.task != task) {
		rt.listener.label(task, kind[what], number);
		return;
	}
	pending.has_label = true;
	pending.label = kind[what];
	pending.number = number;
}

/* Returns whether the running segment is the pending one; an inner segment may be the pending
 * one instead. */
static inline bool is_pending(void)
{
	return pending.is_there && pending.by == rt_hot.self->as;
}

bool rt_segment_was_reported(void)
{
	if (!is_pending())
		return true;
	rt_record_before(NULL); /* another call of the program may follow */
	return pending.is_next; /* the end of the segment before is not reported yet */
}

bool rt_segment_may_reuse(void)
{
	return rt.listener.is_judge && !rt_omp_has_order && rt_judge_reuses();
}

/* Ends one segment and begins the next, in two records. */
static uint32_t next_put(struct rt_thread *self, uint32_t by, const void *place,
			 enum snag_omp_label label, uint64_t number)
{
	uint32_t task = rt_omp_task_new();
	rt_omp_put(SNAG_OP_TASK_END, 0, rt_event_location((uintptr_t)place));
	rt_sched_speak_as(self, by);
	rt_segment_begin(task, place);
	rt_segment_label(task, label, number);
	return task;
}

/* A new place in the code is a record, but no reason to report the segment. */
static void pending_moves(const void *place)
{
	rt_record_before(NULL);
	pending.loc = rt_location((uintptr_t)place);
	rt_record_before(pending_report);
}

uint32_t rt_segment_next(uint32_t task, uint32_t by, const void *place, enum snag_omp_label label,
			 uint64_t number)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return task;
	if (is_pending()) { /* then its entries in the filter are only accesses to private memory */
		if (rt_own.nranges)
			rt_epoch_end();
		pending.number = number;
		if (rt.listener.needs_places)
			pending_moves(place);
		return task;
	}
	rt_epoch_end();
	rt_record_settle();
	if (!rt_segment_may_reuse())
		return next_put(self, by, place, label, number);
	pending.task = pending.by = task;
	pending.creator = by;
	pending.is_there = pending.is_next = true;
	rt_record_before(pending_report);
	return task;
}
