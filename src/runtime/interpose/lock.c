/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.c - locks that one thread holds at a time: what mutexes and spin locks share
 */
#include "runtime/interpose/lock.h"

#include "runtime/interpose/cancel.h"
#include "runtime/access/stack.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/modules.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/sections.h"
#include "runtime/tasks/tasks.h"

/* Returns whether the thread took the lock while it ignored synchronisation. Then the runtime
 * records neither the acquire nor the release, wherever the release is. If the thread has too
 * many such locks, they count. */
static bool is_hidden_parallel(struct rt_thread *self, bool is_taken, uintptr_t at)
{
	if (is_taken) {
		if (!self->ignoring.sync || self->held.nhidden == RT_HIDDEN_LOCKS)
			return false;
		self->held.hidden[self->held.nhidden++] = at;
		return true;
	}
	for (uint32_t i = self->held.nhidden; i-- > 0;)
		if (self->held.hidden[i] == at) {
			self->held.hidden[i] = self->held.hidden[--self->held.nhidden];
			return true;
		}
	return false;
}

void rt_lock_put_parallel(bool is_taken, bool gives_up, const volatile void *at, uintptr_t pc)
{
	struct rt_thread *self = rt_hot.self;
	if (rt_unlikely(self->ignoring.sync || self->held.nhidden) &&
	    is_hidden_parallel(self, is_taken, (uintptr_t)at))
		return;
	rt_lane_mutex(is_taken, gives_up, (uintptr_t)at, rt_location(pc));
}

bool rt_lock_is_hidden(uintptr_t pc)
{
	return rt.is_of_tasks && rt_modules_is_fortran(pc);
}

void rt_lock_begin(struct rt_thread *self, struct rt_object *o, uint32_t depth, rt_time deadline,
		   uintptr_t pc)
{
	o->owner = self;
	self->held.n++;
	o->depth = depth;
	o->taken_at = rt_location(pc);
	o->taken_by = self->as;
	o->is_hidden = rt_lock_is_hidden(pc) || self->ignoring.sync;
	if (o->is_hidden)
		return;
	if (o->lock == UINT32_MAX)
		o->lock = rt_new_lock();
	rt_put(RT_ACQUIRE, deadline != RT_NEVER, o->addr, o->taken_at, o->lock);
	if (rt.orders_blocks)
		rt_sections_began(self->tid);
}

void rt_lock_end(struct rt_object *o, uintptr_t pc)
{
	if (!o->is_hidden)
		rt_put(RT_RELEASE, 0, o->addr, rt_location(pc), o->lock);
	if (!o->is_hidden && rt.orders_blocks)
		rt_sections_ended(o->owner->tid);
	o->owner->held.n--;
	o->owner = NULL;
	o->depth = 0;
	rt_object_wake_one(o, 0);
}

static bool is_free(void *lock)
{
	return !((const struct rt_object *)lock)->owner;
}

bool rt_lock_await(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	if (rt.orders_blocks)
		rt_tasks_block_enter();
	if (o->owner)
		self->wait.at = rt_location(pc);
	while (o->owner) {
		if (!(o->owner != self && rt_tasks_wait(is_free, o)) &&
		    !rt_sched_block(self, o, deadline))
			return false;
		rt_cancel_anywhere(self);
	}
	return true;
}

void rt_lock_forget(const volatile void *lock, uintptr_t pc)
{
	if (rt.is_free)
		rt_put(RT_LOCK_ENDS, 0, (uintptr_t)lock, rt_location(pc), UINT32_MAX);
	rt_object_forget((uintptr_t)lock, RT_MUTEX);
}
