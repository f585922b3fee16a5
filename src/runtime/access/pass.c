/* SPDX-License-Identifier: Apache-2.0
 *
 * pass.c - functions that the plugin for clang (pass/) calls in addition to ThreadSanitizer's ABI
 */
#include "runtime/access/access.h"

/* Accesses of a vector with a mask: elements of `size` bytes; bit i of `mask` is set if element
 * i is accessed. */
static void masked(uintptr_t addr, uint64_t size, uint64_t mask, bool is_write, uintptr_t pc)
{
	for (; mask; mask >>= 1, addr += size)
		if (mask & 1)
			rt_access_range(addr, size, is_write, pc);
}

RT_ABI(void, __snag_masked_read, uintptr_t addr, uint64_t size, uint64_t mask)
{
	masked(addr, size, mask, false, RT_CALLER);
}

RT_ABI(void, __snag_masked_write, uintptr_t addr, uint64_t size, uint64_t mask)
{
	masked(addr, size, mask, true, RT_CALLER);
}

/* Vectors and arrays: `n` bytes, elements of `size` each. */
RT_ABI(void, __snag_elements_read, uintptr_t addr, uint64_t n, uint64_t size)
{
	rt_access_elements(addr, n, (unsigned)size, false, RT_CALLER);
}

RT_ABI(void, __snag_elements_write, uintptr_t addr, uint64_t n, uint64_t size)
{
	rt_access_elements(addr, n, (unsigned)size, true, RT_CALLER);
}

/* Ranges: arrays in loop nests, which the plugin checks before the loops: `count` places, `step`
 * bytes apart, for each loop, the innermost first. */
struct dim {
	int64_t step;
	uint64_t count;
};

/* Reports one loop, in one record if its places lie side by side. */
static void range_report(uintptr_t addr, uint64_t size, bool is_write, const struct dim *dim,
			 unsigned n, uintptr_t pc)
{
	for (; n > 0 && (dim->step == (int64_t)size || dim->count == 1); n--, dim++)
		size *= dim->count;
	if (n == 0) {
		rt_access_more(addr, size, is_write, pc);
		return;
	}
	uint64_t count = dim[n - 1].step ? dim[n - 1].count : 1;
	if (n == 1 && rt_access_places(addr, size, dim->step, count, is_write))
		return;
	for (uint64_t i = 0; i < count; i++, addr += (uint64_t)dim[n - 1].step)
		range_report(addr, size, is_write, dim, n - 1, pc);
}

/* Counts one event.  Returns false if its accesses are not recorded. */
static bool range_count(void)
{
	return rt_access_count() && !rt.is_unheard;
}

RT_ABI(void, __snag_range1, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count)
{
	const struct dim dim[] = {{step, count}};
	if (count && range_count())
		range_report(addr, size, is_write, dim, 1, RT_CALLER);
}

RT_ABI(void, __snag_range2, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count, int64_t step2, uint64_t count2)
{
	const struct dim dim[] = {{step, count}, {step2, count2}};
	if (count && count2 && range_count())
		range_report(addr, size, is_write, dim, 2, RT_CALLER);
}

RT_ABI(void, __snag_range3, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count, int64_t step2, uint64_t count2, int64_t step3, uint64_t count3)
{
	const struct dim dim[] = {{step, count}, {step2, count2}, {step3, count3}};
	if (count && count2 && count3 && range_count())
		range_report(addr, size, is_write, dim, 3, RT_CALLER);
}

/* How often an access was executed, reads and writes, by the reason why it has no check
 * (pass/removals.def). Then accesses with a check, and checks of loops. Programs count them if
 * they were compiled so. */
enum { COUNTS = 24 };
RT_EXPORT uint64_t __snag_pass_counts[COUNTS];

__attribute__((destructor)) static void counts_report(void)
{
	for (unsigned i = 0; rt.on && i < COUNTS; i++)
		rt.channel->executed[i] = __snag_pass_counts[i];
}
