/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_segments.h - segments: parts of a thread's work that are tasks if they have events
 *
 * Idea.   Each chunk of a loop is a task, and most chunks access no shared memory.  So the runtime
 *         reports a segment lazily, before its first record.  A segment without records is never
 *         reported.  To a detector in the process that reuses numbers of tasks, the runtime reports
 *         the end of one segment together with the beginning of the next, when the next one has its
 *         first event.
 */
#ifndef SNAG_RUNTIME_OMP_SEGMENTS_H
#define SNAG_RUNTIME_OMP_SEGMENTS_H

#include "omp/hooks.h"
#include "runtime/channel/judge.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sections.h"
#include "trace/event.h"

/* The hooks of these names: see struct snag_omp_hooks. */
void rt_segment_begin(uint32_t task, const void *place); /* a new one */
void rt_segment_label(uint32_t task, enum snag_omp_label what, uint64_t number);
bool rt_segment_was_reported(void);
uint32_t rt_segment_next(uint32_t task, uint32_t by, const void *place, enum snag_omp_label label,
			 uint64_t number);
bool rt_segment_may_reuse(void);

uint32_t rt_omp_task_new(void);

extern bool rt_omp_has_order
	RT_HIDDEN; /* of sections, which are known by the paths of their tasks */

static inline void rt_omp_made(uint8_t op, uint32_t task)
{
	if (rt_omp_has_order && (op == SNAG_OP_TASK_CREATE || op == SNAG_OP_TASK_SPAWN))
		rt_sections_created(rt_hot.self->as, task);
}

/* An event of the task that runs. */
static inline void rt_omp_put(uint8_t op, uint32_t task, uint32_t loc)
{
	rt_omp_made(op, task);
	rt.listener.task(op, task, loc);
}

#endif
