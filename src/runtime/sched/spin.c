/* SPDX-License-Identifier: Apache-2.0
 *
 * spin.c - threads that wait by looking at memory again and again
 */
#include "runtime/sched/spin.h"

#include "runtime/sched/policy.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/signals.h"
#include "runtime/sys.h"

#include <sys/time.h>

enum {
	EVENTS = 8,  /* [news] */
	FEW = 8,     /* [patience]: with less, all threads that wait for a TAS lock try in vain */
	MANY = 64,   /* likewise */
	SKIPS = 8,   /* [choose] */
	PURE = 4096, /* [idle] */
	SLEEPS = 10, /* [idle]: at most 2^10 microseconds at a time */
	BYTES = 8,   /* the most bytes that a look reads */
	PAUSES = 4,  /* [yield]: instructions `pause` */
	HOPELESS = 65536, /* [follow]: instructions `pause` without an event */
};

uint32_t rt_spin_waiting;

/* [news] */
static bool is_news(struct rt_spin *s, uintptr_t addr, uint64_t value)
{
	for (uint32_t i = 0; i < RT_SPIN_LOOKS; i++) {
		if (s->look[i].addr != addr)
			continue;
		bool is_same = s->look[i].value == value;
		s->look[i].value = value;
		return !is_same;
	}
	s->look[s->next++ % RT_SPIN_LOOKS] = (struct rt_look){addr, value};
	return true;
}

bool rt_spin_knows(const struct rt_thread *self, uintptr_t addr)
{
	for (uint32_t i = 0; i < RT_SPIN_LOOKS; i++)
		if (self->spin.look[i].addr == addr)
			return true;
	return false;
}

static void looks_forget(struct rt_spin *s)
{
	for (uint32_t i = 0; i < RT_SPIN_LOOKS; i++)
		s->look[i].addr = 0;
}

/* [patience] */
static void news(struct rt_spin *s)
{
	s->count = s->pure = s->sleeps = 0;
	if (s->has_yielded)
		s->patience = FEW;
	s->has_yielded = false;
}

static bool is_patient(struct rt_spin *s)
{
	if (!s->patience)
		s->patience = FEW;
	return ++s->count < s->patience;
}

/* Returns whether a timer counts the processor time of the process. */
static bool has_processor_timer(void)
{
	static const int timers[] = {ITIMER_PROF, ITIMER_VIRTUAL};
	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
		struct itimerval t = {{0, 0}, {0, 0}};
		if (rt_sys(SYS_getitimer, timers[i], (long)&t, 0, 0, 0, 0) == 0 &&
		    (t.it_value.tv_sec || t.it_value.tv_usec))
			return true;
	}
	return false;
}

/* [idle] Threads outside get a processor, and time passes. */
static void spin_sleep(struct rt_thread *self)
{
	uint32_t *sleeps = &self->spin.sleeps;
	*sleeps += *sleeps < SLEEPS;
	const bool is_timed = has_processor_timer();
	rt_sched_out(self);
	if (is_timed) /* [busy] */
		rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	else
		rt_sys_sleep((rt_time)1000 << *sleeps);
	rt_sched_in(self);
}

/* [yield] */
static void spin_yield(struct rt_thread *self, uint32_t pure)
{
	struct rt_spin *s = &self->spin;
	s->count = 0;
	s->skipped = 0;
	if (pure >= PURE && rt_spin_waiting == rt_sched.nready)
		spin_sleep(self);
	rt_sched_spin(self);
	rt_signals_run(self); /* the thread may wait for a signal */
}

static uint64_t events_of(const struct rt_thread *self)
{
	return self->sched.events + (uint64_t)(self->sched.turn_fuel - rt_hot.fuel);
}

void rt_spin_look(struct rt_thread *self, uintptr_t addr, uint64_t value)
{
	struct rt_spin *s = &self->spin;
	if (rt.is_free)
		return;
	uint64_t now = events_of(self), since = now - s->event;
	s->event = now;
	if (since > EVENTS)
		looks_forget(s);
	if (is_news(s, addr, value)) {
		news(s);
		return;
	}
	s->pure = since <= 1 ? s->pure + 1 : 0;
	if (is_patient(s) || rt_policy_follows()) /* [follow] */
		return;
	if (s->has_yielded && !s->was_woken) /* [patience] */
		s->patience = 2 * s->patience < MANY ? 2 * s->patience : MANY;
	s->has_yielded = true;
	s->was_woken = false;
	spin_yield(self, s->pure);
}

/* A loop of `pause` and unobserved instructions has no events: any event is news. */
void rt_spin_pause(struct rt_thread *self)
{
	struct rt_spin *s = &self->spin;
	uint64_t now = events_of(self);
	if (now != s->paused_at) {
		if (s->pauses)
			s->sleeps = 0;
		s->paused_at = now;
		s->pauses = 0;
		return;
	}
	if (++s->pauses % PAUSES == 0 && (!rt_policy_follows() || s->pauses >= HOPELESS))
		spin_yield(self, s->pauses);
}

static bool has_looked(const struct rt_spin *s, uintptr_t addr, size_t nbytes)
{
	for (uint32_t i = 0; i < RT_SPIN_LOOKS; i++)
		if (s->look[i].addr < addr + nbytes && addr < s->look[i].addr + BYTES)
			return true;
	return false;
}

void rt_spin_wake(uintptr_t addr, size_t nbytes)
{
	rt_sched_lock();
	for (uint32_t i = 0; i < rt_sched.nready; i++)
		if (rt_sched.ready[i]->spin.waits &&
		    has_looked(&rt_sched.ready[i]->spin, addr, nbytes)) {
			rt_sched.ready[i]->spin.was_woken = true;
			rt_spin_ends(rt_sched.ready[i]);
		}
	rt_sched_unlock();
}

void rt_spin_ends(struct rt_thread *t)
{
	rt_spin_waiting -= t->spin.waits;
	t->spin.waits = false;
}

uint32_t rt_spin_candidates(void)
{
	struct rt_thread **ready = rt_sched.ready;
	uint32_t n = 0;
	for (uint32_t i = 0; rt_spin_waiting && i < rt_sched.nready; i++) {
		struct rt_thread *t = ready[i];
		if (t->spin.waits && t->spin.skipped++ >= SKIPS)
			rt_spin_ends(t);
		if (t->spin.waits)
			continue;
		ready[i] = ready[n];
		ready[i]->sched.ready_at = i;
		ready[n] = t;
		t->sched.ready_at = n++;
	}
	return n ? n : rt_sched.nready;
}
