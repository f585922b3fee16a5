/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_context.h - the running thread changes its identity within a turn
 *
 * For tasks: a task that waits gives its thread to another task, or one thread runs several tasks
 * in turn.
 */
#ifndef SNAG_RUNTIME_SCHED_CONTEXT_H
#define SNAG_RUNTIME_SCHED_CONTEXT_H

#include "runtime/access/access.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"

/* The running thread continues as the fiber `to`, and its events are those of the task `as` from
 * here on.  No turn begins, and the policy does not choose.  The caller reports the switch to the
 * detector in this process (judge.h). */
static inline void rt_sched_swap(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	self->state = RT_BLOCKED;
	to->hot = self->hot;
	to->kernel_tid = self->kernel_tid;
	to->sched.turn_fuel = self->sched.turn_fuel;
	to->state = RT_RUNNING;
	to->as = as;
	/* The watchdog looks at both while it has the lock, and again when the caller sleeps. */
	__atomic_store_n(&rt_sched.current, to, __ATOMIC_RELAXED);
	__atomic_store_n(&rt_sched.turns, rt_sched.turns + 1, __ATOMIC_RELAXED);
	rt_hot.self = to;
	rt_hot.top = to->frames; /* without locations, calls leave no frames: stack.h */
	rt_hot.end = to->frames + RT_FRAMES;
	rt_epoch_end();
}

/* The events of the calling thread are those of that task from here on. */
void rt_sched_speak_as(struct rt_thread *self, uint32_t as);

#endif
