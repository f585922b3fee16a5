/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_context.h - who the running thread is may change without a turn that ends or begins
 *
 * For tasks: one that waits gives its thread to another, or a thread speaks for several in turn.
 */
#ifndef SNAG_RUNTIME_SCHED_CONTEXT_H
#define SNAG_RUNTIME_SCHED_CONTEXT_H

#include "runtime/access/access.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"

/* While a detector in this process is told (judge.h), by the caller: the thread goes on as the fiber
 * `to`; no turn begins, and nobody is asked; its events are those of the task `as` from here on. */
static inline void rt_sched_swap(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	self->state = RT_BLOCKED;
	to->hot = self->hot;
	to->kernel_tid = self->kernel_tid;
	to->turn_fuel = self->turn_fuel;
	to->state = RT_RUNNING;
	to->as = as;
	/* The watchdog looks at both while it has the lock, and again when the caller sleeps. */
	__atomic_store_n(&rt_sched.current, to, __ATOMIC_RELAXED);
	__atomic_store_n(&rt_sched.turns, rt_sched.turns + 1, __ATOMIC_RELAXED);
	rt_hot.self = to;
	rt_hot.top = to->frames; /* nothing is kept of calls then: stack.h */
	rt_hot.end = to->frames + RT_FRAMES;
	rt_epoch_end();
}

/* The events of the calling thread are those of that task from here on. */
void rt_sched_speak_as(struct rt_thread *self, uint32_t as);

#endif
