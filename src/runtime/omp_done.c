/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_done.c - what an implicit task has done, to be compared with what others have
 */
#include "runtime/omp_done.h"

#include "runtime/memory.h"
#include "runtime/omp_known.h"

enum { DONE_WORDS = 64, DONE_LOG = 12 };
_Static_assert(1 << DONE_LOG == DONE_WORDS * 64, "a bit each");

void rt_done_note(uintptr_t addr, bool is_write) /* [done] */
{
	struct rt_private *self = &rt_hot.self->private;
	if (rt_is_private(self, addr) || rt_block_is_of(addr, self->implicit) ||
	    rt_args_are_at(addr))
		return;
	if (!self->done)
		self->done = rt_alloc(DONE_WORDS * sizeof(*self->done));
	uint64_t bit = (2 * addr + is_write) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DONE_LOG);
	self->done[bit / 64] |= UINT64_C(1) << bit % 64;
}

uint64_t rt_done_digest(void)
{
	const uint64_t *done = rt_hot.self->private.done;
	uint64_t digest = 0;
	for (unsigned i = 0; done && i < DONE_WORDS; i++)
		if (done[i])
			digest = (digest + i + done[i]) * UINT64_C(0xd6e8feb86659fd93);
	return digest;
}

void rt_done_forget(void)
{
	uint64_t *done = rt_hot.self->private.done;
	for (unsigned i = 0; done && i < DONE_WORDS; i++)
		done[i] = 0;
}
