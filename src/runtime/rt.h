/* SPDX-License-Identifier: Apache-2.0
 *
 * rt.h - the runtime inside the program under test: its one context, its threads
 *
 * The compiler inserts calls of __tsan_* at every access, atomic and function (access.c, atomic.c,
 * stack.c).  The runtime also defines the functions of the C library that matter, and calls the
 * real ones (real.h).  It reports what the program does to a listener (listener.h): mostly to
 * snag, as records in the channel (channel.h).
 *
 * Modes.  Off: there is no channel, or this is a child after fork.  Calls pass through to the real
 *         functions and cost a call and a test.
 *         On: one thread runs at a time, the one that has the baton (sched.h).  Only this thread
 *         touches the fields of struct rt, but for those that the scheduler's lock protects.
 *         Free: threads run in parallel (free.c).
 *
 * Guest.  The runtime allocates only with rt_alloc (memory.c) and calls only real functions and raw
 *         system calls (sys.h).  It preserves errno, prints nothing unasked, and works before main.
 */
#ifndef SNAG_RUNTIME_RT_H
#define SNAG_RUNTIME_RT_H

#include "own/own.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/thread_state.h"
#include "runtime/interpose/thread_state.h"
#include "runtime/listener.h"
#include "runtime/sched/thread_state.h"
#include "runtime/tasks/thread_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_EXPORT __attribute__((visibility("default")))
/* Declared hidden, so that code reaches it without looking it up. */
#define RT_HIDDEN __attribute__((visibility("hidden")))
#define RT_HOT __attribute__((hot))
#define RT_INLINE __attribute__((always_inline)) inline
#define RT_COLD __attribute__((cold, noinline))
#define rt_likely(x) __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)

/* Defines a function of the ABI, which no header declares. */
#define RT_ABI(type, name, ...)           \
	RT_EXPORT type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

#define RT_CALLER ((uintptr_t)__builtin_return_address(0))

struct rt_frame {
	uintptr_t pc;  /* the address of the call */
	uint32_t node; /* the location of (the frames below, pc); 0: not interned yet */
	uint32_t sp;   /* low half of the stack pointer, see jump.c */
};

/* The data of the running thread that the hot paths need, in its thread-local storage. */
struct rt_hot {
	int64_t fuel; /* first: filter.h; events until the slow path; below 0: may not run */
	struct rt_filter *filter; /* second: filter.h; never NULL */
	struct rt_frame *top;	  /* the next free frame */
	struct rt_frame *end;	  /* after the last frame */
	uint64_t beyond;	  /* calls deeper than that */
	struct rt_thread *self;	  /* NULL: the runtime does not know the thread, or it has ended */
	bool has_read;		  /* something since its last branch, see branch.c */
	/* The C library makes or joins a thread: it frees what dead threads have left. */
	bool buries;
	bool is_own;	/* the runtime calls the C library: what that allocates does not count */
	unsigned depth; /* how many RT_SCOPEs are open */
	/* Where the program called the running function of the C library or of the ABI, if that
	 * function may fault; 0: no such function runs.  See crash.c. */
	uintptr_t calls_at;
	uintptr_t news_at; /* where it called operator new, which runs; 0: nowhere.  See new.c. */
	struct rt_place *places; /* a cache of locations: stack.h */
};

/* A thread, or a fiber.  Each room of the runtime has a part of it, and describes the part in its
 * thread_state.h. */
struct rt_thread {
	uint32_t tid;  /* dense, never used again */
	uint32_t name; /* its name in schedules: names.h */
	uint32_t as;   /* the thread or task (omp.c) that its events belong to */
	/* its place in the table of threads: its tid, unless it is a fiber that is used again */
	uint32_t place;
	int kernel_tid;
	enum rt_state state;
	bool is_open; /* OUT, and no longer in the scheduler: signal handlers may run */
	struct rt_hot *hot;
	struct rt_frame *frames; /* RT_FRAMES of them */

	/* sched/ */
	struct rt_sched_thread sched;
	struct rt_wait_state wait;
	struct rt_spin spin;

	/* interpose/ */
	struct rt_life life;
	struct rt_cancel cancel;
	struct rt_ignoring ignoring;
	struct rt_held held;

	/* channel/ */
	struct rt_lane lane;

	/* tasks/ */
	struct rt_parked parked;
	struct rt_update update;
	struct rt_omp_context omp;

	/* Parts that end with an array, which is not cleared when the thread begins: thread.c. */
	struct rt_section section; /* tasks/ */
	struct rt_signals signals; /* interpose/ */
};

struct rt {
	bool on;
	bool has_begun; /* rt_begin ran */
	struct rt_channel *channel;
	uint64_t written; /* records, so far */
	/* up to this number, there is room in the channel without looking */
	uint64_t limit;
	/* how many epochs ended, without those that ended with a turn */
	uint64_t ends;
	uint32_t tokens;	     /* given out, see rt_token */
	uint32_t locks;		     /* the same for locks */
	struct rt_listener listener; /* gets the reports of the program */
	bool has_no_frames;	     /* no listener needs call stacks */
	bool is_fresh; /* a task has begun, and its memory was not reported as new: tasks.c */
	void (*before)(void);	    /* call it before the next record; may be NULL */
	void (*before_write)(void); /* called before the next write is reported; or NULL */
	bool is_waiting;	    /* the runtime waits for the recorder */
	bool is_of_tasks;	    /* the program is one of tasks: tasks.h */
	bool orders_blocks;	    /* its locks and atomics follow an order: sched/sections.h */
	bool is_free;		    /* threads run in parallel: free.h, channel/lane.h */
	bool is_alone;	 /* main runs and every other thread was joined: nothing can race */
	bool is_mute;	 /* a replay that has not reached its race yet: mute.h */
	bool is_unheard; /* alone or mute: accesses are counted, not recorded */
};

extern struct rt rt RT_HIDDEN;
extern bool rt_stranger_may_come RT_HIDDEN; /* a thread without pthread_create: stranger.h */
extern struct own rt_own RT_HIDDEN;	    /* omp_own.h */
/* branch.c: a thread begins; an access to addr at pc is about to be recorded. */
extern bool rt_has_blocks RT_HIDDEN;
void rt_branch_begin(void) RT_HIDDEN;
void rt_branch_address(uintptr_t pc, uintptr_t addr) RT_HIDDEN;
void rt_branch(uintptr_t pc) RT_HIDDEN; /* a branch that depends on all reads so far */

extern __thread struct rt_hot rt_hot __attribute__((tls_model("initial-exec"))) RT_HIDDEN;

/* Called from anywhere before anything else; cheap when done before. */
void rt_begin(void);

static inline void rt_begin_once(void)
{
	if (rt_unlikely(!rt.has_begun))
		rt_begin();
}

/* Returns this thread, if the runtime knows it and is on. */
static inline struct rt_thread *rt_self(void)
{
	return rt.on ? rt_hot.self : NULL;
}

/* If threads run freely (free.c), a thread leaves the runtime at the end of the outermost
 * function that the program called: RT_SCOPE is the first statement of each. The C library may
 * call these functions, too. */
void rt_leave_free(void);
/* Handles signals that were kept while the thread recorded something without having entered. */
void rt_signals_free(struct rt_thread *self);

static inline char rt_scope_begin(void)
{
	rt_begin_once();
	rt_hot.depth += rt.is_free;
	return rt.is_free;
}

static inline void rt_scope_end(const char *is_free)
{
	if (rt_likely(!*is_free))
		return;
	if (rt_hot.depth > 1) {
		rt_hot.depth--;
		return;
	}
	rt_hot.depth = 0; /* the depth is 0 already, if an exception left the program's code */
	rt_leave_free();
}

#define RT_SCOPE char rt_scope __attribute__((cleanup(rt_scope_end), unused)) = rt_scope_begin()

/* Around code of the program that the runtime calls. */
static inline unsigned rt_scope_pause(void)
{
	unsigned depth = rt_hot.depth;
	if (rt_unlikely(rt.is_free)) {
		rt_hot.depth = 0;
		rt_leave_free();
	}
	return depth;
}

static inline void rt_scope_resume(unsigned depth)
{
	rt_hot.depth = depth;
}

/* Called in the child of fork: from now on the runtime records and schedules nothing. */
void rt_turn_off(void);

#endif
