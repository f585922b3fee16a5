/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.c - the listener that writes everything to the channel
 */
#include "runtime/listener.h"

#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"

enum { RANGE_MAX = 1 << 30 };

static uint32_t bytes32(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void task(uint8_t op, uint32_t target, uint32_t loc)
{
	rt_put(RT_TASK, op, 0, loc, target);
}

static void speaks(uint32_t as)
{
	rt_put(RT_SWITCH, 0, 0, (uint32_t)rt_hot.fuel, as);
}

static void switches(struct rt_thread *self, struct rt_thread *to, uint32_t as)
{
	to->as = as;
	rt_sched_become(self, to);
}

static void label(uint32_t of, uint8_t kind, uint64_t number)
{
	rt_put(RT_LABEL, kind, number, 0, of);
}

static bool simd(void)
{
	return true;
}

static void block(uintptr_t at, size_t nbytes, uintptr_t pc)
{
	rt_put(RT_ALLOC, 0, at, rt_location(pc), bytes32(nbytes));
}

static void renewed(uintptr_t at, size_t nbytes)
{
	rt_put(RT_FORGET, 1, at, 0, bytes32(nbytes));
}

static void stack(uintptr_t from, uintptr_t high, uint32_t of)
{
	rt_put(RT_FORGET, 1, from, 0, (uint32_t)(high - from));
	rt_put(RT_STACK, 0, high, 0, of);
}

static void range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	rt_put(RT_COUNT, 0, 0, 0, (uint32_t)rt_hot.fuel);
	for (; n > 0; n -= n < RANGE_MAX ? n : RANGE_MAX, addr += RANGE_MAX)
		rt_put(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, addr, rt_location(pc),
		       (uint32_t)(n < RANGE_MAX ? n : RANGE_MAX));
}

const struct rt_listener rt_recorder = {.needs_places = true,
					.needs_turns = true,
					.needs_fresh = true,
					.task = task,
					.speaks = speaks,
					.switches = switches,
					.label = label,
					.simd = simd,
					.block = block,
					.renewed = renewed,
					.stack = stack,
					.range = range};
