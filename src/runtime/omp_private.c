/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_private.c - what the library says of a context's own memory
 */
#include "runtime/omp_private.h"

#include "runtime/access.h"
#include "runtime/judge.h"
#include "runtime/omp_blocks.h"
#include "runtime/omp_done.h"
#include "runtime/omp_known.h"
#include "runtime/record.h"
#include "runtime/sched.h"

/* Whether what it does outside of segments is compared with what others do (omp/alike.c). */
static bool is_compared(const struct rt_thread *self)
{
	const struct rt_private *p = &self->private;
	return p->implicit && p->implicit == p->noted_as && p->asked_as != p->implicit;
}

void rt_omp_own(const void *low, const void *high, bool has_tasks) /* [own] */
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	rt_epoch_end();
	self->own_low = (uintptr_t)low;
	self->own_bytes = (uintptr_t)high - (uintptr_t)low;
	self->private.is_lent = false;
	self->private.is_watched = false;
	self->private.is_noted = !low && is_compared(self);
	if (low) {
		if (rt_nblocks)
			rt_blocks_take_back(has_tasks);
		rt_stack_untold(has_tasks);
	}
}

void rt_omp_lend(bool is_in_segment)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	rt_epoch_end();
	self->own_low = self->own_bytes = 0;
	self->private.is_lent = true;
	self->private.is_watched = false;
	self->private.is_noted &= !is_in_segment;
}

bool rt_omp_handed(const void *at, size_t nbytes)
{
	return rt_entered() && rt_args_look((uintptr_t)at, nbytes);
}

void rt_omp_implicit(const struct snag_omp_implicit *who)
{
	struct rt_thread *self = rt_entered();
	if (!self || (who->number == self->private.implicit && who->phase == self->private.phase))
		return; /* a region of one thread, maybe in a segment */
	rt_epoch_end();
	self->private.implicit = who->number;
	self->private.is_known &= who->number != 0;
	if (!self->private.noted_as || !who->number)
		self->private.noted_as = who->number;
	self->private.is_noted = is_compared(self);
	if (self->private.is_noted && who->phase > self->private.noted_in) {
		self->private.noted_in = who->phase;
		rt_done_forget();
	}
	if (who->number)
		self->private.phase =
			who->phase; /* else it was the last, and may not be over for all */
	self->private.low = (uintptr_t)who->low;
	self->private.high = (uintptr_t)who->high;
}

uint64_t rt_omp_done(void)
{
	const struct rt_thread *self = rt_entered();
	return self && is_compared(self) ? rt_done_digest() | 1 : 0;
}

static void memory_renewed(uintptr_t at, size_t nbytes)
{
	if (rt.judges)
		rt_judge_forget(at, nbytes);
	else
		rt_put(RT_FORGET, 1, at, 0, nbytes > UINT32_MAX ? UINT32_MAX : (uint32_t)nbytes);
}

void rt_omp_renewed(const void *at, size_t nbytes)
{
	if ((!at && !rt_nblocks) || !rt_entered())
		return;
	rt_epoch_end();
	rt_record_settle();
	if (at)
		memory_renewed((uintptr_t)at, nbytes);
	else
		rt_blocks_own(memory_renewed);
}

void rt_omp_unseen(const void *at, size_t nbytes)
{
	if (!rt_entered())
		return;
	rt_epoch_end();
	rt_block_unseen((uintptr_t)at, nbytes);
}

void rt_omp_differs(struct rt_thread *self)
{
	if (!self->private.implicit)
		return;
	self->private.asked_as = self->private.implicit;
	self->private.is_noted = false;
}
