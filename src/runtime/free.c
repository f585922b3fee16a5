/* SPDX-License-Identifier: Apache-2.0
 *
 * free.c - threads that run in parallel, with one lock around the runtime
 *
 * Idea.   Happens-before needs no exact order of accesses, only that of each thread among its
 *         own synchronisation, and that of synchronisation.  So threads run as the kernel
 *         lets them.  Who enters the runtime takes its one lock, and leaves it when the
 *         function of the program's that entered returns (RT_SCOPE): mutexes, condition
 *         variables and so on are the same objects as with the scheduler, and an atomic
 *         operation and its record are one step.  An access is recorded under that lock,
 *         unless the thread's own filter knows it: then it takes no lock at all.
 *
 * State.  lock     held by the thread that is RUNNING, that is, in the runtime; threads in
 *                  the program's code are OUT
 *         writer   whose records come last: another one begins with RT_SWITCH
 *         filter   of each thread, as in access.h but smaller
 *
 *   63             31 30         16 15      8 7        0
 *   +----------------+-------------+---------+---------+
 *   |    high bits   |    epoch    |  seen   | written |
 *   +----------------+-------------+---------+---------+
 *
 * Rules.  [filter]  an access that the thread made before, with no synchronisation of its own
 *                   since, has the same place in happens-before and adds nothing
 *         [block]   waits in the kernel for its own word, without the lock
 * Guarantee.  The recorded order is one that happens-before allows; races are those of hb.
 *         What reads saw is not known, so nothing can be predicted, and no run repeats.
 *         A program that deadlocks stands still.
 */
#include "runtime/free.h"

#include "runtime/cancel.h"
#include "runtime/memory.h"
#include "runtime/object.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/signals.h"
#include "runtime/stack.h"
#include "runtime/sys.h"

#include <string.h>

enum {
	FILTER_LOG = 12,
	EPOCH_BITS = 15,
	EPOCH_SHIFT = 16,
	SEEN_SHIFT = 8,
	RANGE_MAX = 1 << 30,
};

static uint32_t lock; /* a futex mutex */
static struct rt_thread *writer;

static void writer_is(struct rt_thread *self)
{
	if (writer == self)
		return;
	writer = self;
	rt_put(RT_SWITCH, 0, 0, 0, self->tid);
}

/* While it is set the lock may be held, whatever the state is: a signal looks. */
static void is_locking_set(struct rt_thread *self, bool is_locking)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->is_locking = is_locking;
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
	writer_is(self);
	return true;
}

static void leave(struct rt_thread *self)
{
	is_locking_set(self, true);
	self->state = RT_OUT;
	rt_sys_unlock(&lock);
	is_locking_set(self, false);
}

/* Signals that came meanwhile are handled now: a thread that waits for one may make no events but
 * reads. */
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
	if (rt_unlikely(self->is_asynchronous)) /* it may have been asked meanwhile */
		rt_cancel_anywhere(self);
}

void rt_free_first(struct rt_thread *main)
{
	main->turn_fuel = 0;
	main->state = RT_OUT;
	writer = main;
}

/* [block] */

static void wait_stop(struct rt_thread *self)
{
	if (self->waits_for)
		rt_object_dequeue(self->waits_for, self);
	self->waits_for = NULL;
}

/* With the lock: the wait of self ends for this reason, unless somebody was faster. */
static bool wait_give_up(struct rt_thread *self, bool *why)
{
	if (self->state != RT_BLOCKED)
		return false;
	wait_stop(self);
	return *why = true;
}

/* Why the wait is over, if not because of somebody else; NULL: it is not. */
static bool *wait_look(struct rt_thread *self, rt_time deadline)
{
	uint32_t look = RT_LOOK;
	if (__atomic_compare_exchange_n(&self->go, &look, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return &self->was_interrupted;
	if (rt_sys_futex_wait(&self->go, 0, deadline) == -110 /* ETIMEDOUT */)
		return &self->has_timed_out;
	return NULL;
}

void rt_free_block(struct rt_thread *self, struct rt_object *object, rt_time deadline)
{
	self->waits_for = object;
	self->has_timed_out = self->was_interrupted = false;
	if (object)
		rt_object_enqueue(object, self);
	self->state = RT_BLOCKED;
	rt_sys_unlock(&lock);
	/* pairs with the release in rt_free_wake */
	while (__atomic_load_n(&self->go, __ATOMIC_ACQUIRE) != RT_GO) {
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
	__atomic_store_n(&self->go, 0, __ATOMIC_RELAXED);
	self->state = RT_RUNNING;
	writer_is(self);
}

void rt_free_wake(struct rt_thread *t)
{
	t->waits_for = NULL;
	t->state = RT_READY;
	__atomic_store_n(&t->go, RT_GO, __ATOMIC_RELEASE); /* pairs with rt_free_block */
	rt_sys_futex_wake(&t->go, 1);
}

void rt_free_interrupt(struct rt_thread *t)
{
	if (t->state != RT_BLOCKED)
		return;
	t->was_interrupted = true;
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
	self->state = RT_DONE;
	if (--rt_sched.nlive > 0)
		rt_signals_block();
	rt_hot.self = NULL;
	rt_hot.is_own = true; /* and no stranger */
	rt_hot.top = rt_hot.end;
	writer = NULL; /* its memory may go to another thread */
	rt_sys_unlock(&lock);
}

void rt_free_becomes(struct rt_thread *fiber)
{
	fiber->state = RT_RUNNING;
	writer_is(fiber);
}

/* Accesses. */

bool rt_free_is_seen(void)
{
	struct rt_thread *self = rt_self();
	return rt.is_free && self && !self->is_open && !self->ignores && !rt.is_alone;
}

/* Whether the thread has made this access in this epoch; it has from here on. */
static bool is_known(struct rt_thread *self, uintptr_t addr, unsigned size, bool is_write)
{
	if (!self->filter || self->epoch >> EPOCH_BITS) {
		if (!self->filter)
			self->filter = rt_alloc(sizeof(uint64_t) << FILTER_LOG);
		memset(self->filter, 0, sizeof(uint64_t) << FILTER_LOG);
		self->epoch = 1;
	}
	const uintptr_t word = addr >> 3;
	uint64_t *slot = &self->filter[word & ((1 << FILTER_LOG) - 1)];
	const uint64_t mask = (uint64_t)((1u << size) - 1) << (addr & 7);
	const uint64_t key =
		word >> FILTER_LOG << (EPOCH_SHIFT + EPOCH_BITS) | self->epoch << EPOCH_SHIFT;
	const uint64_t need = is_write ? mask : mask << SEEN_SHIFT;
	if ((*slot & (~0ull << EPOCH_SHIFT | need)) == (key | need))
		return true;
	if (*slot >> EPOCH_SHIFT != key >> EPOCH_SHIFT)
		*slot = key;
	*slot |= mask << SEEN_SHIFT | (is_write ? mask : 0);
	return false;
}

/* The thread is in the runtime while f's record is written; it may have been before. */
static bool begin(struct rt_thread *self)
{
	return self->state != RT_RUNNING && rt_free_enter(self);
}

static void end(bool has_entered)
{
	if (has_entered)
		rt_leave_free();
}

void rt_free_access(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	struct rt_thread *self = rt_hot.self;
	if (!rt_free_is_seen())
		return;
	if (rt_unlikely(rt_signals_pending(self)))
		end(begin(self)); /* handles them */
	while (size > 0) {
		unsigned here = 8 - (addr & 7);
		here = here < size ? here : size;
		if (!is_known(self, addr, here, is_write)) {
			bool has_entered = begin(self);
			rt_put(is_write ? RT_WRITE : RT_READ, here, addr, rt_location(pc), 0);
			end(has_entered);
		}
		addr += here;
		size -= here;
	}
}

void rt_free_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	bool has_entered = begin(rt_hot.self);
	for (; n > 0; n -= n < RANGE_MAX ? n : RANGE_MAX, addr += RANGE_MAX)
		rt_put(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, addr, rt_location(pc),
		       (uint32_t)(n < RANGE_MAX ? n : RANGE_MAX));
	end(has_entered);
}

void rt_free_forget(struct rt_thread *t)
{
	rt_free(t->filter, t->filter ? sizeof(uint64_t) << FILTER_LOG : 0);
	if (writer == t)
		writer = NULL;
}
