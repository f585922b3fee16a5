/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_state.h - what the scheduler knows of each thread
 *
 * The scheduler's lock (sched.c) protects the fields of a thread that does not run.  The thread
 * itself reads and writes its own fields while it has the baton.
 */
#ifndef SNAG_RUNTIME_SCHED_THREAD_STATE_H
#define SNAG_RUNTIME_SCHED_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t rt_time; /* nanoseconds of CLOCK_MONOTONIC */
#define RT_NEVER UINT64_MAX
#define RT_NO_WAIT ((rt_time)0) /* a deadline that has passed */

struct rt_object;
struct rt_thread;

enum rt_state {
	RT_READY,   /* wants the baton */
	RT_RUNNING, /* has the baton */
	RT_BLOCKED, /* waits for another thread, in the queue of an object, or until a deadline */
	RT_OUT,	    /* in a system call, or in code that does not report: runs without the baton */
	RT_DONE,    /* has ended */
};

enum { RT_GO = 1, RT_LOOK = 2, RT_ASLEEP = 3 }; /* values of `go` */
enum { RT_SPIN_LOOKS = 4 };

/* The turns of a thread: baton.h, policy.h. */
struct rt_sched_thread {
	/* futex: RT_GO when given the baton, RT_LOOK when a signal came, RT_ASLEEP while the thread
	 * waits in the kernel, so that only then another thread has to wake it; else 0 */
	uint32_t go;
	uint32_t ready_at;   /* position in the ready list, while READY */
	int64_t turn_fuel;   /* fuel it had when its turn began */
	bool was_revoked;    /* OUT because the watchdog took the baton from it */
	bool is_locking;     /* waits for the scheduler's lock, or that of free.c */
	uint64_t events;     /* the events made in earlier turns */
	uint64_t kept_epoch; /* the epoch of its last turn, which may go on in the next one */
	uint64_t kept_ends;  /* rt.ends at that time: if it has changed, the epoch has ended */
	uint64_t priority;   /* PCT, POS: the highest runs */
	uintptr_t aim;	     /* the address of its next access, for walk.h; 0: it synchronises */
};

/* The wait of a thread, for an object or a deadline: waiting.h. */
struct rt_wait_state {
	struct rt_object *object; /* NULL: only until the deadline */
	/* Where: for a lock, condition, semaphore, barrier or thread; of a task, where it last
	 * let another run. */
	uint32_t at;
	uint32_t token; /* from the thread that woke it, see RT_SYNC_WRITE */
	bool to_read;	/* for a rwlock */
	bool has_timed_out;
	bool was_interrupted;			   /* by a signal */
	struct rt_thread *next;			   /* in the object's queue */
	rt_time deadline;			   /* RT_NEVER: none */
	rt_time virtual_deadline;		   /* the same on the scheduler's clock */
	struct rt_thread *prev_timed, *next_timed; /* the list of those with a deadline */
};

struct rt_spin { /* spin.h */
	struct rt_look {
		uintptr_t addr; /* 0: none */
		uint64_t value;
	} look[RT_SPIN_LOOKS];
	uint32_t next;	    /* the look to be replaced next */
	uint64_t event;	    /* the thread's event of the last look */
	uint64_t paused_at; /* the thread's event of the last `pause` */
	uint32_t pauses;    /* how often since its last event */
	uint32_t count, patience, pure;
	uint32_t skipped;	/* how often it was skipped while it waits */
	uint32_t vain, in_vain; /* sched.c: waits that are not busy, after one in vain; to come */
	uint32_t sleeps;	/* [idle] since the last news */
	bool waits;		/* protected by the scheduler's lock */
	bool has_yielded;	/* since it last saw another value in one of its looks */
	bool was_woken; /* since it yielded, another thread has written to one of its looks */
};

#endif
