/* SPDX-License-Identifier: Apache-2.0
 *
 * baton.c - turns, and how the baton goes from one thread to the next
 */
#include "runtime/sched/baton.h"

#include "runtime/access/access.h"
#include "runtime/channel/record.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/waiting.h"
#include "runtime/sys.h"

enum {
	BUSY_WAITS = 400, /* tests of `go`: they take as long as a wake in the kernel */
	VAIN_MIN = 4,	  /* how many waits follow without tests, after one in vain, ... */
	VAIN_MAX = 64,	  /* ... and after many */
};

void rt_turn_end(struct rt_thread *t)
{
	rt_sched.last_events = (uint64_t)(t->sched.turn_fuel - t->hot->fuel);
	if (!rt.listener.needs_turns && !rt.channel->verdict.races)
		rt.channel->verdict.events += rt_sched.last_events;
	t->sched.events += rt_sched.last_events;
	t->sched.turn_fuel = t->hot->fuel = 0;
	rt_sched.clock += RT_NS_PER_EVENT * rt_sched.last_events;
	rt_policy_used(t, rt_sched.last_events);
	rt_sched.current = NULL;
}

void rt_turn_begin(struct rt_thread *t)
{
	t->state = RT_RUNNING;
	t->sched.turn_fuel = rt_policy_fuel(t);
	rt_sched.current = t;
	rt_sched.turns++;
	rt_record_settle(); /* the next events may belong to another thread */
	rt_put(RT_SWITCH, 0, rt_sched.last_events, (uint32_t)t->sched.turn_fuel, t->as);
	if (t->sched.kept_epoch && t->sched.kept_ends == rt.ends)
		rt_epoch_go_on(t->sched.kept_epoch);
	else
		rt_epoch_new();
	t->sched.kept_epoch = 0;
}

/* Returns false if the thread that the schedule wants is in a system call: the scheduler waits for
 * it.  If that thread only sleeps, it is woken, because time orders nothing. */
static bool wanted_hurry(void)
{
	struct rt_thread *t = rt_policy_is_scheduled() ? rt_policy_wanted() : NULL;
	if (t && t->state == RT_BLOCKED && !t->wait.object && t->wait.deadline != RT_NEVER)
		rt_time_out(t);
	return !t || t->state != RT_OUT;
}

struct rt_thread *rt_baton_give(const struct rt_thread *last)
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
	rt_turn_begin(t);
	return t;
}

void rt_baton_start(struct rt_thread *t)
{
	/* pairs with the acquire in rt_baton_wait */
	if (__atomic_exchange_n(&t->sched.go, RT_GO, __ATOMIC_RELEASE) == RT_ASLEEP)
		rt_sys_futex_wake(&t->sched.go, 1);
}

/* The deadline of the thread has passed. If no thread runs, the thread chooses the next one.
 * Returns whether that is the thread itself. */
static bool deadline_passed(struct rt_thread *self)
{
	rt_sched_lock();
	bool is_next = self->state == RT_BLOCKED && !rt_sched.current;
	struct rt_thread *t = is_next ? rt_baton_give(self) : NULL;
	rt_sched_unlock();
	if (t && t != self)
		rt_baton_start(t);
	return t == self;
}

/* A signal came: if the thread is blocked, its wait ends and it becomes ready.  Returns whether it
 * got the baton. */
static bool wait_interrupt(struct rt_thread *self)
{
	struct rt_thread *t = NULL;
	rt_sched_lock();
	if (self->state == RT_BLOCKED) {
		self->wait.was_interrupted = true;
		rt_wait_end(self);
		rt_ready_add(self);
		t = rt_sched.current ? NULL : rt_baton_give(self);
	}
	rt_sched_unlock();
	if (t && t != self)
		rt_baton_start(t);
	return t == self;
}

/* A thread that spins often gets the baton back within a microsecond, from another thread that
 * spins. Falling asleep and waking takes ten times as long, so the thread first waits awake. If
 * that is in vain (for example, both threads share a processor), it does so less and less often. */
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
		if (__atomic_load_n(&self->sched.go, __ATOMIC_RELAXED)) {
			s->vain = 0;
			return;
		}
		__builtin_ia32_pause();
	}
	s->vain = s->vain ? 2 * s->vain : VAIN_MIN;
	s->vain = s->vain < VAIN_MAX ? s->vain : VAIN_MAX;
	s->in_vain = s->vain;
}

/* Waits in the kernel until another thread sets `go`.  Returns whether the deadline came first. */
static bool turn_sleep(struct rt_thread *self, rt_time deadline)
{
	uint32_t go = 0;
	if (!__atomic_compare_exchange_n(&self->sched.go, &go, RT_ASLEEP, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	long rc = rt_sys_futex_wait(&self->sched.go, RT_ASLEEP, deadline);
	go = RT_ASLEEP;
	__atomic_compare_exchange_n(&self->sched.go, &go, 0, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return rc == -110 /* ETIMEDOUT */;
}

void rt_baton_wait(struct rt_thread *self, rt_time deadline)
{
	turn_await(self);
	/* pairs with the release in rt_baton_start */
	while (__atomic_load_n(&self->sched.go, __ATOMIC_ACQUIRE) != RT_GO) {
		uint32_t look = RT_LOOK;
		if (__atomic_compare_exchange_n(&self->sched.go, &look, 0, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			if (wait_interrupt(self))
				break;
			continue;
		}
		if (!turn_sleep(self, deadline))
			continue;
		if (deadline_passed(self))
			break;
		deadline = RT_NEVER; /* a running thread looks at it when it has no more to do */
	}
	__atomic_store_n(&self->sched.go, 0, __ATOMIC_RELAXED);
	rt_hot.fuel = self->sched.turn_fuel;
}

void rt_baton_follow(struct rt_thread *self, struct rt_thread *t, rt_time deadline)
{
	rt_sched_unlock();
	if (t == self) {
		rt_hot.fuel = self->sched.turn_fuel;
		return;
	}
	if (t)
		rt_baton_start(t);
	rt_baton_wait(self, deadline);
}

void rt_baton_pass(struct rt_thread *self, rt_time deadline)
{
	rt_turn_end(self);
	rt_baton_follow(self, rt_baton_give(self), deadline);
}
