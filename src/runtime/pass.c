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

/* Vectors and arrays: `n` bytes, elements of `size` each. */
RT_ABI(void, __snag_elements_read, uintptr_t addr, uint64_t n, uint64_t size)
{
	rt_access_elements(addr, n, (unsigned)size, false, RT_CALLER);
}

RT_ABI(void, __snag_elements_write, uintptr_t addr, uint64_t n, uint64_t size)
{
	rt_access_elements(addr, n, (unsigned)size, true, RT_CALLER);
}

/* Ranges: arrays in loop nests, which the plugin checks before the loops.  One that was
 * told before in this epoch and turn adds nothing, as with single accesses (access.h): known[] is
 * a cache of them. */
enum { DIMS = 3, KNOWN_LOG = 10 };

struct range {
	uintptr_t addr;
	uint64_t size; /* bytes at each place */
	uint64_t is_write;
	struct dim { /* `count` places, `step` bytes apart; the innermost loop first */
		int64_t step;
		uint64_t count;
	} dim[DIMS];
	uint64_t stretch;
};

static struct range known[1 << KNOWN_LOG];

/* Each in a record, if its places lie side by side. */
static void range_tell(uintptr_t addr, uint64_t size, bool is_write, const struct dim *dim,
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
		range_tell(addr, size, is_write, dim, n - 1, pc);
}

static bool is_same(const struct range *a, const struct range *b)
{
	bool same = a->addr == b->addr && a->size == b->size && a->is_write == b->is_write &&
		    a->stretch == b->stretch;
	for (unsigned i = 0; i < DIMS; i++)
		same &= a->dim[i].step == b->dim[i].step && a->dim[i].count == b->dim[i].count;
	return same;
}

/* One event; false: nothing of it is told. */
static bool range_count(void)
{
	return rt_access_count() && !rt.is_unheard;
}

static void range_access(const struct range *r, uintptr_t pc)
{
	uint64_t key = (r->addr * 2 + r->is_write) ^ r->size << 48 ^ r->dim[0].count << 52;
	struct range *slot = &known[key * 0x9e3779b97f4a7c15u >> (64 - KNOWN_LOG)];
	if (is_same(slot, r))
		return;
	*slot = *r;
	range_tell(r->addr, r->size, r->is_write, r->dim, DIMS, pc);
}

RT_ABI(void, __snag_range1, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count)
{
	const struct dim one = {step, count};
	if (!count || !range_count())
		return;
	if (rt.judges) /* it remembers such ones by itself */
		range_tell(addr, size, is_write, &one, 1, RT_CALLER);
	else
		range_access(
			&(struct range){addr, size, is_write, {one, {0, 1}, {0, 1}}, rt.stretch},
			RT_CALLER);
}

RT_ABI(void, __snag_range2, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count, int64_t step2, uint64_t count2)
{
	if (count && count2 && range_count())
		range_access(&(struct range){addr,
					     size,
					     is_write,
					     {{step, count}, {step2, count2}, {0, 1}},
					     rt.stretch},
			     RT_CALLER);
}

RT_ABI(void, __snag_range3, uintptr_t addr, uint64_t size, uint64_t is_write, int64_t step,
       uint64_t count, int64_t step2, uint64_t count2, int64_t step3, uint64_t count3)
{
	if (count && count2 && count3 && range_count())
		range_access(&(struct range){addr,
					     size,
					     is_write,
					     {{step, count}, {step2, count2}, {step3, count3}},
					     rt.stretch},
			     RT_CALLER);
}

/* How often an access was executed, reads and writes, by the reason why it has no check
 * (pass/removals.def); then those that have one, and checks of loops.  Counted by programs that
 * were compiled so. */
enum { COUNTS = 24 };
RT_EXPORT uint64_t __snag_pass_counts[COUNTS];

__attribute__((destructor)) static void counts_tell(void)
{
	for (unsigned i = 0; rt.on && i < COUNTS; i++)
		rt.channel->executed[i] = __snag_pass_counts[i];
}
