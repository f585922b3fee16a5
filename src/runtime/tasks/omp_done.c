/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_done.c - what an implicit task has done, to be compared with the other tasks of its team
 */
#include "runtime/tasks/omp_done.h"

#include "runtime/memory.h"
#include "runtime/sched/sched.h"

#include <string.h>

enum { DONE_LOG = 12, DONE_WORDS = (1 << DONE_LOG) / 64 };

static bool is_compared(const struct rt_thread *self)
{
	const uint32_t implicit = self->omp.own.implicit;
	return implicit && implicit == self->omp.done.as &&
	       self->omp.done.knows_number_as != implicit;
}

void rt_done_note(uintptr_t addr, bool is_write)
{
	struct rt_thread *self = rt_hot.self;
	if (own_is_of(&rt_own, &self->omp.own, addr))
		return;
	if (!self->omp.done.set)
		self->omp.done.set = rt_alloc(DONE_WORDS * sizeof(*self->omp.done.set));
	uint64_t bit = (2 * addr + is_write) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DONE_LOG);
	self->omp.done.set[bit / 64] |= UINT64_C(1) << bit % 64;
}

void rt_done_segment(struct rt_thread *self)
{
	self->omp.done.is_noted = is_compared(self) && !(self->omp.own.mode & OWN_SEGMENT);
}

void rt_done_phase(struct rt_thread *self)
{
	struct rt_done *done = &self->omp.done;
	if (!done->as || !self->omp.own.implicit) /* [outermost] */
		done->as = self->omp.own.implicit;
	rt_done_segment(self);
	if (!done->is_noted || self->omp.own.phase <= done->phase)
		return;
	done->phase = self->omp.own.phase;
	if (done->set)
		memset(done->set, 0, DONE_WORDS * sizeof(*done->set));
}

void rt_done_number_read(struct rt_thread *self) /* [number] */
{
	if (!self->omp.own.implicit)
		return;
	self->omp.done.knows_number_as = self->omp.own.implicit;
	self->omp.done.is_noted = false;
}

uint64_t rt_omp_done(void)
{
	const struct rt_thread *self = rt_entered();
	uint64_t digest = 0;
	if (!self || !is_compared(self))
		return 0;
	for (unsigned i = 0; self->omp.done.set && i < DONE_WORDS; i++)
		if (self->omp.done.set[i])
			digest =
				(digest + i + self->omp.done.set[i]) * UINT64_C(0xd6e8feb86659fd93);
	return digest | 1;
}
