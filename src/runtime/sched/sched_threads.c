/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_threads.c - threads and fibers that begin, end, or take the place of another one
 */
#include "runtime/sched/baton.h"

#include "runtime/access/stack.h"
#include "runtime/channel/lane.h"
#include "runtime/interpose/signals.h"
#include "runtime/sched/free.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/waiting.h"
#include "runtime/sched/watchdog.h"

void rt_sched_add(struct rt_thread *t)
{
	rt_sched_lock();
	rt_policy_new(t);
	rt_sched.nlive++;
	if (rt.is_free)
		t->state = RT_OUT;
	else
		rt_ready_add(t);
	rt_sched_unlock();
}

void rt_sched_comes(struct rt_thread *self)
{
	rt_sched_lock();
	rt_policy_new(self);
	rt_sched.nlive++;
	rt_sched.nout += !rt.is_free;
	rt_sched_unlock();
	rt_sched_in(self);
	if (rt.is_free)
		rt_lane_begins();
}

void rt_sched_first(struct rt_thread *t)
{
	rt_policy_new(t);
	rt_sched.nlive = 1;
	rt_turn_begin(t);
	rt_hot.fuel = t->sched.turn_fuel;
}

void rt_sched_again(struct rt_thread *self)
{
	rt_sched_lock();
	rt_turn_end(self);
	rt_policy_begin();
	rt_policy_new(self);
	rt_ready_add(self);
	rt_baton_follow(self, rt_baton_give(self), RT_NEVER);
}

void rt_sched_forked(struct rt_thread *self)
{
	rt_sched = (struct rt_sched){.current = self,
				     .ready = rt_sched.ready,
				     .ready_cap = rt_sched.ready_cap,
				     .nlive = 1,
				     .nthreads = rt_sched.nthreads,
				     .turns = rt_sched.turns,
				     .clock = rt_sched.clock,
				     .has_handlers = rt_sched.has_handlers};
	rt_spin_waiting = 0;
	self->state = RT_RUNNING;
	self->spin.waits = self->sched.was_revoked = false;
	if (!rt.is_free)
		rt_sched_again(self);
}

void rt_sched_wait_first(struct rt_thread *self)
{
	if (rt.is_free) {
		rt_free_enter(self);
		rt_lane_begins();
		return;
	}
	rt_baton_wait(self, RT_NEVER);
}

void rt_sched_exit(struct rt_thread *self)
{
	if (rt.is_free) {
		rt_free_exit(self);
		return;
	}
	rt_sched_lock();
	self->state = RT_DONE;
	rt_sched.nlive--;
	rt_turn_end(self);
	bool is_last = rt_sched.nlive == 0; /* this thread goes on to run the functions of atexit */
	if (!is_last)
		rt_signals_block(); /* a handler that ran from here on would have no thread */
	rt_hot.self = NULL;
	rt_hot.is_own = true; /* stranger.c must not take it for a new thread */
	rt_hot.top = rt_hot.end;
	struct rt_thread *t = is_last ? NULL : rt_baton_give(self);
	rt_sched_unlock();
	if (t)
		rt_baton_start(t);
	if (is_last)
		rt_watchdog_end();
}

void rt_sched_become(struct rt_thread *self, struct rt_thread *to)
{
	rt_sched_lock();
	self->parked.top = rt_hot.top;
	self->state = RT_BLOCKED;
	to->hot = &rt_hot;
	to->kernel_tid = self->kernel_tid;
	if (rt.is_free) {
		self->lane.fuel = rt_hot.fuel;
		to->sched.turn_fuel = to->lane.fuel;
		to->state = RT_RUNNING;
	} else {
		rt_turn_end(self);
		rt_turn_begin(to);
	}
	rt_hot.self = to;
	rt_hot.top = to->parked.top;
	rt_hot.end = to->frames + RT_FRAMES;
	rt_hot.fuel = to->sched.turn_fuel;
	if (rt.is_free)
		rt_lane_begins();
	rt_sched_unlock();
}

void rt_sched_hand(struct rt_thread *self, struct rt_thread *to)
{
	rt_sched_lock();
	self->state = RT_BLOCKED;
	rt_turn_end(self);
	rt_turn_begin(to);
	rt_baton_follow(self, to, RT_NEVER);
}
