/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.c - the threads that are ready, and those that wait with a deadline
 *
 * Rules.  [clock]    A deadline comes when the scheduler's clock reaches it, so that a run repeats;
 *                    or when no other thread can run.
 *         [overdue]  Where other threads always can, it comes OVERDUE_NS behind its time at the
 *                    latest.
 */
#include "runtime/sched/waiting.h"

#include "runtime/memory.h"
#include "runtime/interpose/answers.h"
#include "runtime/interpose/object.h"
#include "runtime/options.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"

enum { LOOK_EVERY = 1024 }; /* turns */
#define OVERDUE_NS UINT64_C(3000000000)

void rt_ready_add(struct rt_thread *t)
{
	if (rt_sched.nready == rt_sched.ready_cap) {
		uint32_t cap = rt_sched.ready_cap ? 2 * rt_sched.ready_cap : 64;
		rt_sched.ready =
			rt_grow(rt_sched.ready, rt_sched.ready_cap * sizeof(t), cap * sizeof(t));
		rt_sched.ready_cap = cap;
	}
	t->state = RT_READY;
	t->sched.ready_at = rt_sched.nready;
	rt_sched.ready[rt_sched.nready++] = t;
}

void rt_ready_remove(struct rt_thread *t)
{
	struct rt_thread *last = rt_sched.ready[--rt_sched.nready];
	rt_sched.ready[t->sched.ready_at] = last;
	last->sched.ready_at = t->sched.ready_at;
}

void rt_timed_add(struct rt_thread *t, rt_time deadline)
{
	rt_time now = rt_sys_now();
	t->wait.deadline = deadline;
	t->wait.virtual_deadline = rt_sched.clock + (deadline > now ? deadline - now : 0);
	t->wait.prev_timed = NULL;
	t->wait.next_timed = rt_sched.timed;
	if (t->wait.next_timed)
		t->wait.next_timed->wait.prev_timed = t;
	rt_sched.timed = t;
}

void rt_timed_remove(struct rt_thread *t)
{
	if (t->wait.deadline == RT_NEVER)
		return;
	if (t->wait.next_timed)
		t->wait.next_timed->wait.prev_timed = t->wait.prev_timed;
	if (t->wait.prev_timed)
		t->wait.prev_timed->wait.next_timed = t->wait.next_timed;
	else
		rt_sched.timed = t->wait.next_timed;
	t->wait.deadline = RT_NEVER;
}

void rt_wait_end(struct rt_thread *t)
{
	rt_timed_remove(t);
	if (t->wait.object)
		rt_object_dequeue(t->wait.object, t);
	t->wait.object = NULL;
}

void rt_time_out(struct rt_thread *t)
{
	rt_wait_end(t);
	t->wait.has_timed_out = true;
	rt_ready_add(t);
}

/* [overdue] The scheduler's clock is much slower than time where turns are short and many. */
static void overdue_wake(void)
{
	static uint32_t looks;
	struct rt_thread *next;
	if (++looks % LOOK_EVERY != 0 || rt_policy_is_scheduled())
		return;
	const rt_time now = rt_sys_now();
	for (struct rt_thread *t = rt_sched.timed; t; t = next) {
		next = t->wait.next_timed;
		if (t->wait.deadline < now && now - t->wait.deadline > OVERDUE_NS)
			rt_time_out(t);
	}
}

void rt_timed_wake(void)
{
	overdue_wake();
	for (;;) {
		struct rt_thread *first = NULL;
		for (struct rt_thread *t = rt_sched.timed; t; t = t->wait.next_timed)
			if (t->wait.virtual_deadline <= rt_sched.clock &&
			    (!first || t->wait.virtual_deadline < first->wait.virtual_deadline))
				first = t;
		if (!first)
			return;
		rt_time_out(first);
	}
}

/* [hurry] Advances the time: for the threads that wait, and for the times that the program
 *         reads. */
static void time_skip(rt_time nanoseconds)
{
	for (struct rt_thread *t = rt_sched.timed; t; t = t->wait.next_timed)
		t->wait.deadline -= t->wait.deadline < nanoseconds ? t->wait.deadline : nanoseconds;
	rt_answers_skip((int64_t)nanoseconds);
}

bool rt_timed_wake_idle(void)
{
	struct rt_thread *first = NULL;
	for (struct rt_thread *t = rt_sched.timed; t; t = t->wait.next_timed)
		if (!first || t->wait.deadline < first->wait.deadline)
			first = t;
	rt_time now = rt_sys_now();
	if (first && first->wait.deadline > now && rt_options.hurry && rt_sched.nout == 0)
		time_skip(first->wait.deadline - now);
	if (!first || first->wait.deadline > now)
		return false;
	if (first->wait.virtual_deadline > rt_sched.clock)
		rt_sched.clock = first->wait.virtual_deadline;
	rt_time_out(first);
	return true;
}
