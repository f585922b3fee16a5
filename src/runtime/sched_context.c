/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_context.c - who the running thread is may change without a turn that ends or begins
 *
 * For tasks: one that waits gives its thread to another, or a thread speaks for several in turn.
 */
#include "runtime/access.h"
#include "runtime/judge.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stack.h"

void rt_sched_swap(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	self->top = rt_hot.top;
	self->state = RT_BLOCKED;
	to->hot = &rt_hot;
	to->kernel_tid = self->kernel_tid;
	to->turn_fuel = self->turn_fuel;
	to->state = RT_RUNNING;
	/* The watchdog looks at both while it has the lock, and again when the caller sleeps. */
	__atomic_store_n(&rt_sched.current, to, __ATOMIC_RELAXED);
	__atomic_store_n(&rt_sched.turns, rt_sched.turns + 1, __ATOMIC_RELAXED);
	rt_hot.self = to;
	rt_hot.top = to->top;
	rt_hot.end = to->frames + RT_FRAMES;
	rt_epoch_end();
	to->as = as;
}

void rt_sched_slip(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	rt_record_settle();
	rt_sched_swap(self, to, as);
	rt_judge_turn(as);
}

void rt_sched_speak_as(struct rt_thread *self, uint32_t as)
{
	rt_record_settle();
	if (self->as == as)
		return;
	self->as = as;
	rt_epoch_end();
	if (rt.judges)
		rt_judge_turn(as);
	else
		rt_put(RT_SWITCH, 0, 0, (uint32_t)rt_hot.fuel, as);
}
