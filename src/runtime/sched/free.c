/* SPDX-License-Identifier: Apache-2.0
 *
 * free.c - threads that run in parallel: which one is in the runtime
 *
 * Idea.   Threads run as the kernel lets them.  What a thread does is recorded in its own lane
 *         (channel/lane.h), without a lock: accesses, and memory that it allocates.  A function of
 *         the runtime that replaces one of pthreads enters the runtime: it takes the lock, and
 *         releases it when it returns to the program (RT_SCOPE).  So condition variables,
 *         barriers and so on are the same objects as with the scheduler.
 *
 * State.  lock     held by the thread that is RUNNING, that is, in the runtime; threads in
 *                  the program's code are OUT
 * Rules.  [block]  A thread waits in the kernel on a word of its own, without the lock.
 * Guarantee.  The recorder's merge of all lanes contains happens-before
 *         (docs/algorithms/parallel.md).  No run repeats.  A program that deadlocks stands still.
 */
#include "runtime/sched/free.h"

#include "runtime/access/access.h"
#include "runtime/channel/lane.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/signals.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/stranger.h"
#include "runtime/sys.h"

static uint32_t lock; /* a futex mutex */

/* While is_locking is set, the thread may hold the lock in any state: signal handlers test it. */
static void is_locking_set(struct rt_thread *self, bool is_locking)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->sched.is_locking = is_locking;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool rt_free_enter(struct rt_thread *self)
{
	if (self->is_open)
		return false;
	is_locking_set(self, true);
	rt_sys_lock(&lock);
	self->state = RT_RUNNING;
	is_locking_set(self, false);
	return true;
}

static void leave(struct rt_thread *self)
{
	is_locking_set(self, true);
	self->state = RT_OUT;
	rt_sys_unlock(&lock);
	is_locking_set(self, false);
}

/* Runs the handlers of signals that came in the meantime: a thread that waits for a signal may make
 * no events except reads. */
void rt_leave_free(void)
{
	struct rt_thread *self = rt_hot.self;
	if (!self || !rt.on)
		return;
	while (self->state == RT_RUNNING) {
		leave(self);
		if (rt_unlikely(rt_signals_pending(self)))
			rt_signals_run(self); /* enters again, if it runs a handler */
	}
	if (rt_unlikely(
		    self->cancel
			    .is_asynchronous)) /* another thread may have cancelled it in the meantime */
		rt_cancel_anywhere(self);
}

struct rt_thread *rt_free_point(void)
{
	struct rt_thread *self = rt_self();
	if (rt_unlikely(!self) &&
	    !(rt_stranger_may_come && !rt_hot.self && (self = rt_stranger_enter())))
		return NULL;
	if (rt_unlikely(self->is_open))
		return NULL;
	if (rt_unlikely(rt_signals_pending(self)))
		rt_signals_free(self);
	rt_epoch_new();
	rt_hot.fuel--;
	return self;
}

void rt_free_out(struct rt_thread *self)
{
	while (!rt_signals_open(self))
		rt_leave_free();
}

void rt_free_in(struct rt_thread *self)
{
	rt_signals_close(self);
}

RT_COLD void rt_signals_free(struct rt_thread *self)
{
	if (self->state != RT_RUNNING && rt_free_enter(self))
		rt_leave_free();
}

void rt_free_begin(struct rt_thread *main)
{
	main->state = RT_OUT;
	rt.is_free = true;
	rt_lanes_begin(main);
}

/* [block] */

static void wait_stop(struct rt_thread *self)
{
	if (self->wait.object)
		rt_object_dequeue(self->wait.object, self);
	self->wait.object = NULL;
}

/* The caller holds the lock. Ends the wait of self for this reason, unless another thread has
 * ended it. */
static bool wait_give_up(struct rt_thread *self, bool *why)
{
	if (self->state != RT_BLOCKED)
		return false;
	wait_stop(self);
	return *why = true;
}

/* Returns why the wait is over without another thread; NULL: it is not. */
static bool *wait_look(struct rt_thread *self, rt_time deadline)
{
	uint32_t look = RT_LOOK;
	if (__atomic_compare_exchange_n(&self->sched.go, &look, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return &self->wait.was_interrupted;
	if (rt_sys_futex_wait(&self->sched.go, 0, deadline) == -110 /* ETIMEDOUT */)
		return &self->wait.has_timed_out;
	return NULL;
}

void rt_free_block(struct rt_thread *self, struct rt_object *object, rt_time deadline)
{
	self->wait.object = object;
	self->wait.has_timed_out = self->wait.was_interrupted = false;
	if (object)
		rt_object_enqueue(object, self);
	self->state = RT_BLOCKED;
	rt_sys_unlock(&lock);
	/* pairs with the release in rt_free_wake */
	while (__atomic_load_n(&self->sched.go, __ATOMIC_ACQUIRE) != RT_GO) {
		bool *why = wait_look(self, deadline);
		if (!why)
			continue;
		rt_sys_lock(&lock);
		if (wait_give_up(self, why))
			break;
		rt_sys_unlock(&lock);
		deadline = RT_NEVER;
	}
	if (self->state == RT_READY)
		rt_sys_lock(&lock);
	__atomic_store_n(&self->sched.go, 0, __ATOMIC_RELAXED);
	self->state = RT_RUNNING;
}

void rt_free_wake(struct rt_thread *t)
{
	t->wait.object = NULL;
	t->state = RT_READY;
	__atomic_store_n(&t->sched.go, RT_GO, __ATOMIC_RELEASE); /* pairs with rt_free_block */
	rt_sys_futex_wake(&t->sched.go, 1);
}

void rt_free_interrupt(struct rt_thread *t)
{
	if (t->state != RT_BLOCKED)
		return;
	t->wait.was_interrupted = true;
	wait_stop(t);
	rt_free_wake(t);
}

void rt_free_yield(struct rt_thread *self)
{
	rt_leave_free();
	rt_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	rt_free_enter(self);
}

void rt_free_exit(struct rt_thread *self)
{
	rt_lane_end(self);
	self->state = RT_DONE;
	if (--rt_sched.nlive > 0)
		rt_signals_block();
	rt_hot.self = NULL;
	rt_hot.is_own = true; /* stranger.c must not take it for a new thread */
	rt_hot.top = rt_hot.end;
	rt_sys_unlock(&lock);
}
