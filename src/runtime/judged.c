/* SPDX-License-Identifier: Apache-2.0
 *
 * judged.c - the listener that calls a detector of tasks in this process
 *
 * Rules.  [settle]  What waits for the next record (record.h) comes before what is reported here.
 */
#include "runtime/channel/judge.h"
#include "runtime/channel/record.h"
#include "runtime/listener.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/sched/sched_context.h"

static void task(uint8_t op, uint32_t target, uint32_t loc)
{
	(void)loc;
	rt_judge_task(op, target);
}

static void switches(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	rt_record_settle(); /* [settle] */
	rt_sched_swap(self, to, as);
	rt_judge_turn(as);
}

static void child(struct rt_thread *self, struct rt_thread *to, uint8_t op, uint32_t of)
{
	rt_sched_swap(self, to, of);
	rt_judge_child(op, of);
}

static void ended(struct rt_thread *self, struct rt_thread *to)
{
	rt_sched_swap(self, to, to->as);
	rt_judge_ended(to->as);
}

static void label(uint32_t of, uint8_t kind, uint64_t number)
{
	(void)of, (void)kind, (void)number;
}

static bool simd(void)
{
	rt.channel->verdict.has_simd = 1;
	return rt_options.lockstep;
}

static void block(uintptr_t at, size_t nbytes, uintptr_t pc)
{
	(void)pc;
	rt_judge_forget(at, nbytes);
}

static void renewed(uintptr_t at, size_t nbytes)
{
	rt_judge_forget(at, nbytes);
}

static void stack(uintptr_t from, uintptr_t high, uint32_t of)
{
	(void)of;
	rt_record_settle(); /* [settle] */
	rt_judge_stack(from, high - from);
}

static void range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	(void)element, (void)pc;
	rt_record_settle(); /* [settle] */
	rt_judge_places(addr, n, 0, 1, is_write);
}

/* Only a place in the executable can be named without a second run (cli/run/judged_obstacles.h). */
static bool obstacle(unsigned what, uintptr_t pc)
{
	return rt_modules_is_program(pc) && rt_judge_obstacle((enum rt_obstacle)what, pc);
}

const struct rt_listener rt_judged = {.is_judge = true,
				      .needs_sizes = true,
				      .needs_parts = true,
				      .task = task,
				      .speaks = rt_judge_turn,
				      .switches = switches,
				      .child = child,
				      .ended = ended,
				      .label = label,
				      .simd = simd,
				      .block = block,
				      .renewed = renewed,
				      .stack = stack,
				      .range = range,
				      .places = rt_judge_places,
				      .obstacle = obstacle,
				      .record = rt_judge_record};
