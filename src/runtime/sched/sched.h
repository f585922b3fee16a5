/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.h - the scheduler: threads take turns
 *
 * Idea.   One thread runs at a time: the one that has the baton.  A thread passes the baton on
 *         when it must wait for another thread, when its fuel is used up, and at
 *         synchronisation, if the policy says so.  Three things follow.  The order of events is
 *         exact without any atomic operation.  A run repeats with its seed.  A schedule, a list
 *         of (thread, number of its events), can be enforced.
 *
 *         Mutexes, condition variables, joins and so on are objects of the scheduler
 *         (object.h).  No thread waits for them in the kernel: a thread that waits is BLOCKED
 *         until another thread wakes it.  If no thread can run, and none is in a system call,
 *         the program is deadlocked.
 *
 * State.  current     the thread that has the baton; NULL: no thread can run at present
 *         ready[]     threads that wait for the baton and for nothing else
 *         timed       a list of the threads that are blocked with a deadline
 *         clock       virtual time: a fixed time for each event.  So a sleep beside running
 *                     threads ends at the same event in every run
 *         One lock protects all of it.  It is taken only where the baton changes hands.
 *
 * Rules.  [event]    An event that finds no fuel begins a new turn first.
 *         [turn]     A turn has as many events as the policy gives it.
 *         [out]      A system call that may block gives the baton away before it and
 *                    takes it again afterwards.
 *         [time]     A deadline has passed when the virtual clock says so, or when
 *                    no thread can run and the real clock says so.
 *         [hurry]    With the option hurry=1, no thread waits for the real clock: the time
 *                    that the program sees jumps to the first deadline.
 *         [revoke]   A thread that sleeps in code without instrumentation loses the
 *                    baton to the watchdog (watchdog.c), and takes it again at its
 *                    next event.
 */
#ifndef SNAG_RUNTIME_SCHED_H
#define SNAG_RUNTIME_SCHED_H

#include "runtime/rt.h"

enum { RT_NS_PER_EVENT = 20 }; /* how far the virtual clock goes with an event */

struct rt_sched {
	uint32_t lock; /* futex */
	struct rt_thread *current;
	struct rt_thread **ready;
	uint32_t nready, ready_cap;
	struct rt_thread *timed;
	uint32_t nout; /* threads that are OUT */
	uint32_t nlive, nthreads;
	uint64_t turns;
	uint64_t last_events; /* how many events the last turn had */
	rt_time clock;
	bool has_handlers; /* the program handles signals: a handler may wake a waiting thread */
};

extern struct rt_sched rt_sched RT_HIDDEN;

void rt_sched_lock(void);
void rt_sched_unlock(void);

/* Takes the baton.  Returns the calling thread, or NULL if the runtime is off, or if the
 * thread is unknown to it or must not be scheduled now. */
struct rt_thread *rt_enter(void);
/* The same, fast for a thread that already has the baton. */
static inline struct rt_thread *rt_entered(void)
{
	struct rt_thread *self = rt_self();
	return rt_likely(self && self->state == RT_RUNNING) ? self : rt_enter();
}

/* [event] Counts an event of the calling thread.  Returns whether to record it. */
bool rt_sched_event(void);
/* Counts an event that synchronises; the turn may end there.  Returns as rt_enter(). */
struct rt_thread *rt_sched_point(void);
/* Passes the baton to t, which is ready. */
void rt_sched_prefer(struct rt_thread *self, struct rt_thread *t);
/* Passes the baton to another thread, if one is ready. */
void rt_sched_yield(struct rt_thread *self);
/* The same for a thread that spins (spin.h): it waits until the variable that it polls is
 * written. */
void rt_sched_spin(struct rt_thread *self);

/* Blocks the calling thread on an object (NULL: none) until another thread wakes it, until the
 * deadline (RT_NEVER: none), or until a signal handler has run (self->was_interrupted).
 * Returns false if the deadline has passed. */
bool rt_sched_block(struct rt_thread *self, struct rt_object *object, rt_time deadline);
/* Makes a blocked thread ready.  Its caller has taken it out of the queue of its object. */
void rt_sched_wake(struct rt_thread *t);

/* [out] Call these before and after a system call that may block: rt_sched_out() gives the
 * baton away, rt_sched_in() takes it again. */
void rt_sched_out(struct rt_thread *self);
void rt_sched_in(struct rt_thread *self);

/* RT_OUTSIDE(self, call) runs the real function without the baton; `self` may be NULL.  A
 * thread that is cancelled inside the call takes the baton again while its stack unwinds. */
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

/* Ends the wait of a thread, if it is blocked. */
void rt_sched_interrupt(struct rt_thread *t);

/* Makes a new thread ready. */
void rt_sched_add(struct rt_thread *t);
/* Adds the calling thread, which is new and takes the baton. */
void rt_sched_comes(struct rt_thread *self);
/* Adds the main thread, and gives it the baton. */
void rt_sched_first(struct rt_thread *t);
/* Waits for the baton for the first time.  A new thread calls it before all else. */
void rt_sched_wait_first(struct rt_thread *self);
/* Passes the baton on for good: the calling thread ends. */
void rt_sched_exit(struct rt_thread *self);
/* The calling thread continues as the fiber `to`. */
void rt_sched_become(struct rt_thread *self, struct rt_thread *to);
/* Passes the baton to `to`, which waits; the calling thread waits in its place. */
void rt_sched_hand(struct rt_thread *self, struct rt_thread *to);
/* Begins a new turn of the only thread, after the options have changed the policy. */
void rt_sched_again(struct rt_thread *self);
/* Called in the child of a fork: only the calling thread exists there, and it begins a turn. */
void rt_sched_forked(struct rt_thread *self);
/* [revoke] Takes the baton from `t`, which slept in that turn.  Returns false if it no longer
 * sleeps, or if no other thread is ready. */
bool rt_sched_revoke(struct rt_thread *t, uint64_t turn, bool (*still_sleeps)(struct rt_thread *));

#endif
