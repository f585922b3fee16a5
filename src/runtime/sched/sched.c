/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.c - the scheduler: threads take turns
 */
#include "runtime/sched/sched.h"

#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/signals.h"
#include "runtime/options.h"
#include "runtime/sched/baton.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/debugger.h"
#include "runtime/sched/free.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/stranger.h"
#include "runtime/sched/waiting.h"
#include "runtime/sys.h"
#include "runtime/tasks/omp.h"

#include <linux/membarrier.h>

enum { YIELD_NS = 1000000 }; /* how far the virtual clock goes when a thread only waits */

struct rt_sched rt_sched;

void rt_sched_lock(void)
{
	if (rt_hot.self)
		rt_hot.self->sched.is_locking = true;
	rt_sys_lock(&rt_sched.lock);
	if (rt_hot.self)
		rt_hot.self->sched.is_locking = false;
}

void rt_sched_unlock(void)
{
	rt_sys_unlock(&rt_sched.lock);
}

struct rt_thread *rt_enter(void)
{
	rt_begin_once();
	struct rt_thread *self = rt_self();
	if (rt_likely(self && self->state == RT_RUNNING))
		return self;
	if (rt.is_free)
		return self && rt_free_enter(self) ? self : NULL;
	if (!self || !self->sched.was_revoked)
		return NULL;
	rt_sched_in(self);
	return self;
}

/* Ends the turn of self, which stays ready, and waits for the next one. */
static void turn_over(struct rt_thread *self)
{
	rt_sched_lock();
	rt_ready_add(self);
	rt_baton_pass(self, RT_NEVER);
}

/* Keeps the epoch of self for its next turn, unless other threads do more than access memory
 * (access.h). */
static void epoch_keep(struct rt_thread *self)
{
	if (rt.is_of_tasks || rt_options.forget) /* every judged program is one of tasks */
		return;
	self->sched.kept_epoch = rt_hot.filter->key[0];
	self->sched.kept_ends = rt.ends;
}

bool rt_sched_event(void)
{
	struct rt_thread *self = rt_enter();
	if (!self)
		return false;
	if (rt.is_free) { /* rt_enter() has just found that */
		rt_hot.fuel--;
		rt_leave_free();
		return false;
	}
	while (rt_hot.fuel <= 0) {
		epoch_keep(self);
		turn_over(self);
		rt_omp_turn(rt_sched.last_events);
		rt_signals_run(self);
		rt_cancel_anywhere(self);
	}
	if (rt_unlikely(rt_options.debug) && rt_policy_race_turn() == 1)
		rt_debugger_stop(self);
	rt_hot.fuel--;
	return true;
}

struct rt_thread *rt_sched_point(void)
{
	struct rt_thread *self = rt_entered();
	if (rt_unlikely(!self) &&
	    !(rt_stranger_may_come && !rt_hot.self && (self = rt_stranger_enter())))
		return NULL;
	if (rt.is_free) {
		rt_signals_run(self);
		rt_epoch_new();
		rt_hot.fuel--;
		return self;
	}
	self->sched.aim = 0;
	if (rt_sched.nready + (rt_sched.timed != NULL) && rt_policy_at_sync(self))
		turn_over(self);
	if (rt_unlikely(rt_signals_pending(self)))
		rt_signals_run(self);
	if (rt_likely(rt_hot.fuel > 0))
		rt_hot.fuel--;
	else
		rt_sched_event();
	rt_epoch_end();
	if (rt.listener.needs_turns)
		rt_put(RT_COUNT, 0, 0, 0, (uint32_t)rt_hot.fuel);
	return self;
}

void rt_sched_prefer(struct rt_thread *self, struct rt_thread *t)
{
	rt_sched_lock();
	rt_ready_add(self);
	rt_turn_end(self);
	rt_ready_remove(t);
	rt_turn_begin(t);
	rt_baton_follow(self, t, RT_NEVER);
}

/* All other threads sleep while the calling one polls: lets time pass. */
static void yield_to_time(void)
{
	rt_sys_sleep(YIELD_NS);
	rt_sched_lock();
	rt_sched.clock += YIELD_NS;
	rt_sched_unlock();
}

static void yield(struct rt_thread *self, bool waits)
{
	if (rt.is_free) {
		rt_free_yield(self);
		return;
	}
	if (__snag_omp_yield && __snag_omp_yield())
		return;
	if (rt_policy_follows()) /* the schedule decides when each thread runs */
		return;
	rt_policy_yielded(self);
	if (rt_sched.nready == 0 && rt_sched.timed)
		yield_to_time();
	if (rt_sched.nready == 0 && !rt_sched.timed) {
		if (rt_sched.nout == 0)
			return;
		rt_sched_out(self); /* a thread in a system call may need a processor */
		rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		rt_sched_in(self);
		return;
	}
	rt_sched_lock();
	rt_turn_end(self);
	struct rt_thread *t = rt_sched.nready ? rt_baton_give(self) : NULL;
	rt_ready_add(self);
	self->spin.waits = waits;
	rt_spin_waiting += waits;
	rt_baton_follow(self, t ? t : rt_baton_give(self), RT_NEVER);
}

void rt_sched_yield(struct rt_thread *self)
{
	yield(self, false);
}

void rt_sched_spin(struct rt_thread *self)
{
	yield(self, true);
}

/* Runs the handlers of signals, which may wait, too.  Returns whether another thread woke self. */
static bool wait_ended(struct rt_thread *self)
{
	bool is_woken = !self->wait.has_timed_out, was_interrupted = self->wait.was_interrupted;
	rt_signals_run(self);
	self->wait.was_interrupted = was_interrupted;
	return is_woken;
}

bool rt_sched_block(struct rt_thread *self, struct rt_object *object, rt_time deadline)
{
	rt_record_drain();
	if (rt_signals_pending(self)) /* a signal came since handlers last ran */
		__atomic_store_n(&self->sched.go, RT_LOOK, __ATOMIC_RELAXED);
	if (rt.is_free) {
		rt_free_block(self, object, deadline);
		return wait_ended(self);
	}
	rt_sched_lock();
	self->state = RT_BLOCKED;
	self->wait.object = object;
	self->wait.has_timed_out = self->wait.was_interrupted = false;
	self->wait.deadline = RT_NEVER;
	if (object)
		rt_object_enqueue(object, self);
	if (object && rt_unlikely(rt_options.touches))
		rt_put(RT_TOUCH, RT_TOUCH_BLOCKS | object->kind, object->addr, 0, 0);
	if (deadline != RT_NEVER)
		rt_timed_add(self, deadline);
	else if (object)
		rt_circle(self);
	rt_baton_pass(self, deadline);
	return wait_ended(self);
}

void rt_sched_wake(struct rt_thread *t)
{
	if (rt.is_free) {
		rt_free_wake(t);
		return;
	}
	rt_sched_lock();
	rt_timed_remove(t);
	t->wait.object = NULL;
	rt_ready_add(t);
	rt_sched_unlock();
}

static void baton_leave(struct rt_thread *self)
{
	if (rt.is_free) {
		rt_leave_free();
		return;
	}
	rt_sched_lock();
	self->state = RT_OUT;
	rt_sched.nout++;
	rt_turn_end(self);
	struct rt_thread *t = rt_baton_give(self);
	rt_sched_unlock();
	if (t)
		rt_baton_start(t);
}

void rt_sched_interrupt(struct rt_thread *t)
{
	if (rt.is_free) {
		rt_free_interrupt(t);
		return;
	}
	rt_sched_lock();
	if (t->state == RT_BLOCKED) {
		t->wait.was_interrupted = true;
		rt_wait_end(t);
		rt_ready_add(t);
	}
	rt_sched_unlock();
}

void rt_sched_out(struct rt_thread *self)
{
	rt_record_drain();
	do {
		rt_signals_run(self);
		baton_leave(self);
	} while (!rt_signals_open(self));
}

void rt_sched_in(struct rt_thread *self)
{
	rt_signals_close(self);
	if (rt.is_free) {
		rt_free_enter(self);
		return;
	}
	rt_sched_lock();
	self->sched.was_revoked = false;
	rt_sched.nout--;
	rt_ready_add(self);
	rt_baton_follow(self, rt_sched.current ? NULL : rt_baton_give(self), RT_NEVER);
}

bool rt_sched_revoke(struct rt_thread *t, uint64_t turn, bool (*still_sleeps)(struct rt_thread *))
{
	rt_sched_lock();
	if (rt_sched.current != t || rt_sched.turns != turn || rt.is_waiting ||
	    t->sched.is_locking || (!rt_sched.nready && !rt_sched.timed)) {
		rt_sched_unlock();
		return false;
	}
	int64_t fuel = t->hot->fuel;
	t->hot->fuel = 0;
	/* From now on the thread finds that it has no fuel, whenever it wakes up. */
	rt_sys(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
	if (rt_sched.current != t ||
	    !still_sleeps(t)) { /* the thread may have run: without fuel it ends its turn itself */
		rt_sched_unlock();
		return false;
	}
	t->hot->fuel = fuel;
	rt_turn_end(t);
	t->state = RT_OUT;
	t->sched.was_revoked = true;
	rt_sched.nout++;
	struct rt_thread *next = rt_baton_give(t);
	rt_sched_unlock();
	if (next)
		rt_baton_start(next);
	return true;
}
