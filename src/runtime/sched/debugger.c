/* SPDX-License-Identifier: Apache-2.0
 *
 * debugger.c - tells a debugger that the race is next
 */
#include "runtime/sched/debugger.h"

#include "runtime/interpose/thread.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/sched/names.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched.h"

/* Read by cli/replay.gdb.  Threads are numbers of the kernel. */
struct race {
	uint64_t first, second; /* the threads of the two accesses */
	uint64_t nthreads;
	struct named {
		uint64_t kernel_tid, name;
	} * thread;
};
struct race rt_race RT_HIDDEN;
void rt_race_is_next(const struct race *race) RT_HIDDEN;

/* gdb has a breakpoint here. */
__attribute__((noipa)) void rt_race_is_next(const struct race *race)
{
	__asm__ volatile("" ::"r"(race) : "memory");
}

void rt_debugger_stop(struct rt_thread *self)
{
	const struct rt_thread *last = rt_policy_last();
	rt_options.debug = 0;
	rt_race.thread = rt_alloc(rt_sched.nthreads * sizeof(*rt_race.thread));
	for (uint32_t tid = 0; tid < rt_sched.nthreads; tid++) {
		const struct rt_thread *t = rt_thread_at(tid);
		if (t && t->state != RT_DONE && t->name != RT_NAMELESS)
			rt_race.thread[rt_race.nthreads++] =
				(struct named){(uint64_t)t->kernel_tid, t->name};
	}
	rt_race.first = (uint64_t)self->kernel_tid;
	rt_race.second = last ? (uint64_t)last->kernel_tid : 0;
	rt_race_is_next(&rt_race);
}
