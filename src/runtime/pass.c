/* SPDX-License-Identifier: Apache-2.0
 *
 * pass.c - what the plugin for clang (pass/) calls beyond the ABI of ThreadSanitizer
 */
#include "runtime/access.h"

/* Vectors with a mask: elements of `size` bytes, of which bit i of `mask` says whether it is
 * accessed. */
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
