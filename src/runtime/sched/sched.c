/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.c - the scheduler: threads take turns
 */
#include "runtime/sched/sched.h"

#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/interpose/cancel.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/debugger.h"
#include "runtime/sched/free.h"
#include "runtime/interpose/object.h"
#include "runtime/tasks/omp.h"
#include "runtime/options.h"
#include "runtime/sched/policy.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/signals.h"
#include "runtime/sched/spin.h"
#include "runtime/access/stack.h"
#include "runtime/sched/stranger.h"
#include "runtime/sys.h"
#include "runtime/interpose/thread.h"
#include "runtime/sched/waiting.h"
#include "runtime/sched/watchdog.h"

#include <linux/membarrier.h>

enum {
	YIELD_NS = 1000000, /* of the virtual clock, when a thread has nothing to do but to wait */
	BUSY_WAITS = 400,   /* looks for the baton: as long as a wake in the kernel takes */
	VAIN_MIN = 4,	    /* waits without, after one in vain, ... */
	VAIN_MAX = 64,	    /* ... and after many */
};

struct rt_sched rt_sched;

void rt_sched_lock(void)
{
	if (rt_hot.self)
		rt_hot.self->is_locking = true;
	rt_sys_lock(&rt_sched.lock);
	if (rt_hot.self)
		rt_hot.self->is_locking = false;
}

void rt_sched_unlock(void)
{
	rt_sys_unlock(&rt_sched.lock);
}

/* Turns.  The fuel of a turn is given by turn_begin and filled in by the thread itself. */

static void turn_end(struct rt_thread *t)
{
	rt_sched.last_events = (uint64_t)(t->turn_fuel - t->hot->fuel);
	if (!rt.listener.needs_turns && !rt.channel->verdict.races)
		rt.channel->verdict.events += rt_sched.last_events;
	t->events += rt_sched.last_events;
	t->turn_fuel = t->hot->fuel = 0;
	rt_sched.clock += RT_NS_PER_EVENT * rt_sched.last_events;
	rt_policy_used(t, rt_sched.last_events);
	rt_sched.current = NULL;
}

static void turn_begin(struct rt_thread *t)
{
	t->state = RT_RUNNING;
	t->turn_fuel = rt_policy_fuel(t);
	rt_sched.current = t;
	rt_sched.turns++;
	rt_record_settle(); /* it may change whose events follow */
	rt_put(RT_SWITCH, 0, rt_sched.last_events, (uint32_t)t->turn_fuel, t->as);
	if (t->kept_epoch && t->kept_ends == rt.ends)
		rt_epoch_go_on(t->kept_epoch);
	else
		rt_epoch_new();
	t->kept_epoch = 0;
}

/* Whether the thread that the schedule wants can be chosen, or never will be.  One that only
 * sleeps is woken: time orders nothing.  One in a system call is waited for. */
static bool wanted_hurry(void)
{
	struct rt_thread *t = rt_policy_is_scheduled() ? rt_policy_wanted() : NULL;
	if (t && t->state == RT_BLOCKED && !t->waits_for && t->deadline != RT_NEVER)
		rt_time_out(t);
	return !t || t->state != RT_OUT;
}

/* Gives the baton, which nobody has, to a ready thread.  Returns it; NULL: none is. */
static struct rt_thread *baton_give(const struct rt_thread *last)
{
	if (rt_sched.timed)
		rt_timed_wake();
	if (!wanted_hurry())
		return NULL;
	if (rt_sched.nready == 0 && !(rt_sched.timed && rt_timed_wake_idle())) {
		if (!rt_sched.timed && rt_sched.nout == 0)
			rt_deadlock();
		return NULL;
	}
	uint32_t n = !rt_policy_is_scheduled() && rt_spin_waiting ? rt_spin_candidates()
								  : rt_sched.nready;
	struct rt_thread *t = rt_policy_choose(rt_sched.ready, n, last);
	rt_ready_remove(t);
	rt_spin_ends(t);
	turn_begin(t);
	return t;
}

static void thread_start(struct rt_thread *t)
{
	/* pairs with the acquire in turn_wait */
	if (__atomic_exchange_n(&t->go, RT_GO, __ATOMIC_RELEASE) == RT_ASLEEP)
		rt_sys_futex_wake(&t->go, 1);
}

/* A deadline came while the thread waited for its turn. */
static bool deadline_passed(struct rt_thread *self)
{
	rt_sched_lock();
	bool is_next = self->state == RT_BLOCKED && !rt_sched.current;
	struct rt_thread *t = is_next ? baton_give(self) : NULL;
	rt_sched_unlock();
	if (t && t != self)
		thread_start(t);
	return t == self;
}

/* A signal came: a thread that waits for something no longer does, and wants its turn. */
static bool wait_interrupt(struct rt_thread *self)
{
	struct rt_thread *t = NULL;
	rt_sched_lock();
	if (self->state == RT_BLOCKED) {
		self->was_interrupted = true;
		rt_wait_end(self);
		rt_ready_add(self);
		t = rt_sched.current ? NULL : baton_give(self);
	}
	rt_sched_unlock();
	if (t && t != self)
		thread_start(t);
	return t == self;
}

/* A thread that spins often gets the baton back within a microsecond, from another one that spins.
 * Falling asleep and being woken takes ten times that, so it first waits awake.  Where that is in vain
 * (both have the same processor, say) it does so less and less often. */
static void turn_await(struct rt_thread *self)
{
	struct rt_spin *s = &self->spin;
	if (!s->waits)
		return;
	if (s->in_vain) {
		s->in_vain--;
		return;
	}
	for (int i = 0; i < BUSY_WAITS; i++) {
		if (__atomic_load_n(&self->go, __ATOMIC_RELAXED)) {
			s->vain = 0;
			return;
		}
		__builtin_ia32_pause();
	}
	s->vain = s->vain ? 2 * s->vain : VAIN_MIN;
	s->vain = s->vain < VAIN_MAX ? s->vain : VAIN_MAX;
	s->in_vain = s->vain;
}

/* Waits in the kernel until somebody sets `go`; true: the deadline came. */
static bool turn_sleep(struct rt_thread *self, rt_time deadline)
{
	uint32_t go = 0;
	if (!__atomic_compare_exchange_n(&self->go, &go, RT_ASLEEP, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	long rc = rt_sys_futex_wait(&self->go, RT_ASLEEP, deadline);
	go = RT_ASLEEP;
	__atomic_compare_exchange_n(&self->go, &go, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return rc == -110 /* ETIMEDOUT */;
}

static void turn_wait(struct rt_thread *self, rt_time deadline)
{
	turn_await(self);
	/* pairs with the release in thread_start */
	while (__atomic_load_n(&self->go, __ATOMIC_ACQUIRE) != RT_GO) {
		uint32_t look = RT_LOOK;
		if (__atomic_compare_exchange_n(&self->go, &look, 0, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			if (wait_interrupt(self))
				break;
			continue;
		}
		if (!turn_sleep(self, deadline))
			continue;
		if (deadline_passed(self))
			break;
		deadline = RT_NEVER; /* whoever runs looks at it when it has no more to do */
	}
	__atomic_store_n(&self->go, 0, __ATOMIC_RELAXED);
	rt_hot.fuel = self->turn_fuel;
}

/* The baton was given to `t` (NULL: nobody); self goes on when it is its turn.  The lock is
 * held and given back. */
static void baton_follow(struct rt_thread *self, struct rt_thread *t, rt_time deadline)
{
	rt_sched_unlock();
	if (t == self) {
		rt_hot.fuel = self->turn_fuel;
		return;
	}
	if (t)
		thread_start(t);
	turn_wait(self, deadline);
}

/* Ends the turn of self, whose new state is set, and waits for its next one.  The lock is
 * held and given back. */
static void turn_pass(struct rt_thread *self, rt_time deadline)
{
	turn_end(self);
	baton_follow(self, baton_give(self), deadline);
}

struct rt_thread *rt_enter(void)
{
	rt_begin_once();
	struct rt_thread *self = rt_self();
	if (rt_likely(self && self->state == RT_RUNNING))
		return self;
	if (rt.is_free)
		return self && rt_free_enter(self) ? self : NULL;
	if (!self || !self->was_revoked)
		return NULL;
	rt_sched_in(self);
	return self;
}

/* The turn of self ends, it stays ready. */
static void turn_over(struct rt_thread *self)
{
	rt_sched_lock();
	rt_ready_add(self);
	turn_pass(self, RT_NEVER);
}

/* The epoch of self goes on in its next turn, unless others do more than access memory (access.h). */
static void epoch_keep(struct rt_thread *self)
{
	if (rt.is_of_tasks || rt_options.forget) /* so is every judged program */
		return;
	self->kept_epoch = rt_hot.filter->key[0];
	self->kept_ends = rt.ends;
}

bool rt_sched_event(void)
{
	struct rt_thread *self = rt_enter();
	if (!self)
		return false;
	if (rt.is_free) { /* which has just turned out */
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
	self->aim = 0;
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
	turn_end(self);
	rt_ready_remove(t);
	turn_begin(t);
	baton_follow(self, t, RT_NEVER);
}

/* Only sleeping threads are left beside one that waits for something: time passes. */
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
	if (rt_policy_follows()) /* the schedule says who runs when */
		return;
	rt_policy_yielded(self);
	if (rt_sched.nready == 0 && rt_sched.timed)
		yield_to_time();
	if (rt_sched.nready == 0 && !rt_sched.timed) {
		if (rt_sched.nout == 0)
			return;
		rt_sched_out(self); /* whoever is in a system call may need a processor */
		rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		rt_sched_in(self);
		return;
	}
	rt_sched_lock();
	turn_end(self);
	struct rt_thread *t = rt_sched.nready ? baton_give(self) : NULL;
	rt_ready_add(self);
	self->spin.waits = waits;
	rt_spin_waiting += waits;
	baton_follow(self, t ? t : baton_give(self), RT_NEVER);
}

void rt_sched_yield(struct rt_thread *self)
{
	yield(self, false);
}

void rt_sched_spin(struct rt_thread *self)
{
	yield(self, true);
}

/* Runs the handlers of signals, which may wait, too; whether it was woken. */
static bool wait_ended(struct rt_thread *self)
{
	bool is_woken = !self->has_timed_out, was_interrupted = self->was_interrupted;
	rt_signals_run(self);
	self->was_interrupted = was_interrupted;
	return is_woken;
}

bool rt_sched_block(struct rt_thread *self, struct rt_object *object, rt_time deadline)
{
	rt_record_drain();
	if (rt_signals_pending(self)) /* it came since the last time they were run */
		__atomic_store_n(&self->go, RT_LOOK, __ATOMIC_RELAXED);
	if (rt.is_free) {
		rt_free_block(self, object, deadline);
		return wait_ended(self);
	}
	rt_sched_lock();
	self->state = RT_BLOCKED;
	self->waits_for = object;
	self->has_timed_out = self->was_interrupted = false;
	self->deadline = RT_NEVER;
	if (object)
		rt_object_enqueue(object, self);
	if (object && rt_unlikely(rt_options.touches))
		rt_put(RT_TOUCH, RT_TOUCH_BLOCKS | object->kind, object->addr, 0, 0);
	if (deadline != RT_NEVER)
		rt_timed_add(self, deadline);
	else if (object)
		rt_circle(self);
	turn_pass(self, deadline);
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
	t->waits_for = NULL;
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
	turn_end(self);
	struct rt_thread *t = baton_give(self);
	rt_sched_unlock();
	if (t)
		thread_start(t);
}

void rt_sched_interrupt(struct rt_thread *t)
{
	if (rt.is_free) {
		rt_free_interrupt(t);
		return;
	}
	rt_sched_lock();
	if (t->state == RT_BLOCKED) {
		t->was_interrupted = true;
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
	self->was_revoked = false;
	rt_sched.nout--;
	rt_ready_add(self);
	baton_follow(self, rt_sched.current ? NULL : baton_give(self), RT_NEVER);
}

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
	turn_begin(t);
	rt_hot.fuel = t->turn_fuel;
}

void rt_sched_again(struct rt_thread *self)
{
	rt_sched_lock();
	turn_end(self);
	rt_policy_begin();
	rt_policy_new(self);
	rt_ready_add(self);
	baton_follow(self, baton_give(self), RT_NEVER);
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
	self->spin.waits = self->was_revoked = false;
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
	turn_wait(self, RT_NEVER);
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
	turn_end(self);
	bool is_last = rt_sched.nlive == 0; /* the functions of atexit follow, in this thread */
	if (!is_last)
		rt_signals_block(); /* handlers that run from here on would be nobody's */
	rt_hot.self = NULL;
	rt_hot.is_own = true; /* and no stranger */
	rt_hot.top = rt_hot.end;
	struct rt_thread *t = is_last ? NULL : baton_give(self);
	rt_sched_unlock();
	if (t)
		thread_start(t);
	if (is_last)
		rt_watchdog_end();
}

void rt_sched_become(struct rt_thread *self, struct rt_thread *to)
{
	rt_sched_lock();
	self->top = rt_hot.top;
	self->state = RT_BLOCKED;
	to->hot = &rt_hot;
	to->kernel_tid = self->kernel_tid;
	if (rt.is_free) {
		self->lane.fuel = rt_hot.fuel;
		to->turn_fuel = to->lane.fuel;
		to->state = RT_RUNNING;
	} else {
		turn_end(self);
		turn_begin(to);
	}
	rt_hot.self = to;
	rt_hot.top = to->top;
	rt_hot.end = to->frames + RT_FRAMES;
	rt_hot.fuel = to->turn_fuel;
	if (rt.is_free)
		rt_lane_begins();
	rt_sched_unlock();
}

void rt_sched_hand(struct rt_thread *self, struct rt_thread *to)
{
	rt_sched_lock();
	self->state = RT_BLOCKED;
	turn_end(self);
	turn_begin(to);
	baton_follow(self, to, RT_NEVER);
}

bool rt_sched_revoke(struct rt_thread *t, uint64_t turn, bool (*still_sleeps)(struct rt_thread *))
{
	rt_sched_lock();
	if (rt_sched.current != t || rt_sched.turns != turn || rt.is_waiting || t->is_locking ||
	    (!rt_sched.nready && !rt_sched.timed)) {
		rt_sched_unlock();
		return false;
	}
	int64_t fuel = t->hot->fuel;
	t->hot->fuel = 0;
	/* After this the thread sees that it has no fuel, whenever it wakes up. */
	rt_sys(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
	if (rt_sched.current != t ||
	    !still_sleeps(t)) { /* it may have run: with no fuel it ends its turn itself */
		rt_sched_unlock();
		return false;
	}
	t->hot->fuel = fuel;
	turn_end(t);
	t->state = RT_OUT;
	t->was_revoked = true;
	rt_sched.nout++;
	struct rt_thread *next = baton_give(t);
	rt_sched_unlock();
	if (next)
		thread_start(next);
	return true;
}
