/* SPDX-License-Identifier: Apache-2.0
 *
 * access_range.c - accesses of many bytes, reported as ranges, or as few words
 */
#include "runtime/access/access.h"
#include "runtime/channel/judge.h"
#include "runtime/channel/lane.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/channel/record.h"
#include "runtime/access/stack.h"

enum { WORD = 8, SHORT_RANGE = 64 };

/* Reports words to a detector in this process, if no special rule holds. */
static void words_judge(uintptr_t addr, size_t n, bool is_write)
{
	size_t at = 0;
	while (at < n && rt_access_is_known(addr + at, 3, is_write))
		at += WORD;
	if (at == n)
		return;
	rt_record_settle();
	rt_judge_access(addr, (unsigned)n, is_write);
	for (at = 0; at < n; at += WORD)
		*rt_filter_slot(addr + at, 3) = rt_filter_entry(addr + at, 3, is_write);
}

/* Up to SHORT_RANGE bytes, in accesses that are aligned, and no larger than an element. */
static void words_look(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	if (rt.listener.is_judge && (addr | n) % WORD == 0 && !rt_access_is_special()) {
		words_judge(addr, n, is_write);
		return;
	}
	for (unsigned k; n > 0; n -= 1ul << k, addr += 1ul << k) {
		k = (unsigned)__builtin_ctzl(addr | element);
		while (n >> k == 0)
			k--;
		rt_access_look(addr, pc, k, is_write);
	}
}

/* element: WORD, or less than that. */
static void elements_look(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	const unsigned reported = element < WORD ? element : 0;
	if (rt_is_alone_with(addr))
		return;
	if (rt_unlikely(rt_has_blocks && rt_hot.has_read)) /* its length may depend on a read */
		rt_branch(pc);
	if (n <= SHORT_RANGE) {
		words_look(addr, n, element, is_write, pc);
		return;
	}
	if (rt_unlikely(rt.is_free)) {
		rt_lane_range(addr, n, reported, is_write, pc);
		return;
	}
	if (rt_unlikely(rt_freed_any))
		rt_freed_used(addr, pc);
	if (rt_hot.self->ignoring.accesses || rt.is_unheard || rt_is_own(addr))
		return;
	if (is_write)
		rt_before_write();
	rt_own_accessed(addr, is_write);
	rt_hot.has_read |= !is_write;
	if (is_write)
		rt_own_stored(addr, n);
	rt.listener.range(addr, n, reported, is_write, pc);
}

void rt_access_more(uintptr_t addr, size_t n, bool is_write, uintptr_t pc)
{
	elements_look(addr, n, WORD, is_write, pc);
}

void rt_access_elements(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	if (n > 0 && rt_access_count())
		elements_look(addr, n, element, is_write, pc);
}

bool rt_access_places(uintptr_t addr, size_t n, int64_t step, uint64_t count, bool is_write)
{
	if (!rt.listener.places || own_may_skip(&rt_own, &rt_hot.self->omp.own)) /* some of them */
		return false;
	uintptr_t lowest = step < 0 ? addr + (uintptr_t)step * (count - 1) : addr;
	if (rt_hot.self->ignoring.accesses || rt.is_unheard || rt_is_alone_with(lowest) ||
	    rt_is_own(lowest))
		return true;
	if (is_write)
		rt_before_write();
	rt_own_accessed(lowest, is_write);
	for (uint64_t i = 0; is_write && i < count; i++)
		rt_own_stored(addr + (uintptr_t)step * i, n);
	rt_record_settle();
	rt.listener.places(addr, n, step, count, is_write);
	return true;
}

void rt_access_range(uintptr_t addr, size_t n, bool is_write, uintptr_t pc)
{
	rt_access_elements(addr, n, WORD, is_write, pc);
}

RT_ABI(void, __tsan_read_range, uintptr_t addr, size_t n)
{
	rt_access_range(addr, n, false, RT_CALLER);
}

RT_ABI(void, __tsan_write_range, uintptr_t addr, size_t n)
{
	rt_access_range(addr, n, true, RT_CALLER);
}

RT_ABI(void, __tsan_read_range_pc, uintptr_t addr, size_t n, uintptr_t pc)
{
	rt_access_range(addr, n, false, pc);
}

RT_ABI(void, __tsan_write_range_pc, uintptr_t addr, size_t n, uintptr_t pc)
{
	rt_access_range(addr, n, true, pc);
}
