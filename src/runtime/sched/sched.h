/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.h - the scheduler: threads take turns
 *
 * Idea.   One thread runs at a time, the one that has the baton.  It passes it on when
 *         it must wait for another thread, when its fuel is used up, and, as the policy
 *         says, at synchronisation.  Hence the order of events is exact without any
 *         atomic operation, a run repeats with its seed, and a schedule, the list of
 *         (thread, number of its events), can be enforced.
 *
 *         Mutexes, condition variables, joins and so on are objects of the scheduler
 *         (object.h), never waited for in the kernel: a thread that waits is BLOCKED
 *         until another one wakes it.  If nobody can run, and nobody is in a system
 *         call, the program is deadlocked.
 *
 * State.  current     the thread that has the baton; NULL: nobody can run at present
 *         ready[]     those that want it
 *         timed       a list of those that are blocked with a deadline
 *         clock       virtual time: a fixed time for each event, so that sleeping
 *                     beside running threads ends at the same event in every run
 *         All of it is protected by one lock, taken only where the baton changes hands.
 *
 * Rules.  [event]    An event that finds no fuel begins a new turn first.
 *         [turn]     A turn has as many events as the policy gives it.
 *         [out]      A system call that may block gives the baton away before it and
 *                    asks for it afterwards.
 *         [time]     A deadline has passed when the virtual clock says so, or when
 *                    nobody can run and the real clock says so.
 *         [revoke]   A thread that sleeps in code without instrumentation loses the
 *                    baton to the watchdog (watchdog.c), and asks for it at its next
 *                    event.
 */
#ifndef SNAG_RUNTIME_SCHED_H
#define SNAG_RUNTIME_SCHED_H

#include "runtime/rt.h"

enum { RT_NS_PER_EVENT = 20 }; /* of the virtual clock */

struct rt_sched {
	uint32_t lock; /* futex */
	struct rt_thread *current;
	struct rt_thread **ready;
	uint32_t nready, ready_cap;
	struct rt_thread *timed;
	uint32_t nout; /* threads that are OUT */
	uint32_t nlive, nthreads;
	uint64_t turns;
	uint64_t last_events; /* made in the turn before */
	rt_time clock;
	bool has_handlers; /* the program handles signals: what waits may yet be woken */
};

extern struct rt_sched rt_sched RT_HIDDEN;

void rt_sched_lock(void);
void rt_sched_unlock(void);

/* The calling thread, which has the baton from here on; NULL: the runtime is off, or the
 * thread is unknown or must not be scheduled now. */
struct rt_thread *rt_enter(void);
/* The same for who has it already, mostly. */
static inline struct rt_thread *rt_entered(void)
{
	struct rt_thread *self = rt_self();
	return rt_likely(self && self->state == RT_RUNNING) ? self : rt_enter();
}

/* [event] Counts an event of the calling thread; false: it is not to be recorded. */
bool rt_sched_event(void);
/* The same at a synchronisation, where the turn may end; as rt_enter. */
struct rt_thread *rt_sched_point(void);
/* Lets t run, which is ready. */
void rt_sched_prefer(struct rt_thread *self, struct rt_thread *t);
/* Lets another thread run, if one can. */
void rt_sched_yield(struct rt_thread *self);
/* The same for a thread that spins (spin.h): it waits. */
void rt_sched_spin(struct rt_thread *self);

/* Blocks on an object (NULL: none) until woken or until the deadline (RT_NEVER: none);
 * false: it has passed.  A signal handler ends it too: self->was_interrupted. */
bool rt_sched_block(struct rt_thread *self, struct rt_object *object, rt_time deadline);
/* A blocked thread, no longer in a queue, becomes ready. */
void rt_sched_wake(struct rt_thread *t);

/* [out] Around what may block in the kernel. */
void rt_sched_out(struct rt_thread *self);
void rt_sched_in(struct rt_thread *self);

/* Runs the real function without the baton; `self` may be NULL.  A thread that is cancelled in
 * there takes the baton again on its way out. */
static inline void rt_outside_end(struct rt_thread **self)
{
	if (*self)
		rt_sched_in(*self);
}

#define RT_OUTSIDE(self, call)                                                               \
	({                                                                                   \
		struct rt_thread *outside __attribute__((cleanup(rt_outside_end))) = (self); \
		if (outside)                                                                 \
			rt_sched_out(outside);                                               \
		(call);                                                                      \
	})

/* Ends the wait of a thread that is blocked, if it is. */
void rt_sched_interrupt(struct rt_thread *t);

/* A new thread becomes ready / the calling thread ends; it never returns to the scheduler. */
void rt_sched_add(struct rt_thread *t);
void rt_sched_comes(struct rt_thread *self);	  /* the calling thread is new, and runs */
void rt_sched_first(struct rt_thread *t);	  /* the main thread, which runs */
void rt_sched_wait_first(struct rt_thread *self); /* what a new thread does first */
void rt_sched_exit(struct rt_thread *self);
/* The calling thread goes on as the fiber `to`. */
void rt_sched_become(struct rt_thread *self, struct rt_thread *to);
/* The calling thread waits, and `to`, another that does, goes on. */
void rt_sched_hand(struct rt_thread *self, struct rt_thread *to);
/* Begins a new turn of the only thread, with the policy that the options say now. */
void rt_sched_again(struct rt_thread *self);
/* In the child of a fork: the calling thread is the only one, and begins a turn. */
void rt_sched_forked(struct rt_thread *self);
/* [revoke] Takes the baton from `t`, which slept in that turn; false: it no longer does, or
 * nobody else wants to run. */
bool rt_sched_revoke(struct rt_thread *t, uint64_t turn, bool (*still_sleeps)(struct rt_thread *));

#endif
