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
#include "runtime/listener.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_EXPORT __attribute__((visibility("default")))
#define RT_HIDDEN \
	__attribute__((visibility("hidden"))) /* a declaration says so, or it is looked up */
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

typedef uint64_t rt_time; /* nanoseconds of CLOCK_MONOTONIC */
#define RT_NEVER UINT64_MAX
#define RT_NO_WAIT ((rt_time)0) /* a deadline that has passed */

struct rt_frame {
	uintptr_t pc;  /* where it was called */
	uint32_t node; /* of (the frames below, pc); 0: not interned yet */
	uint32_t sp;   /* low half of the stack pointer, see jump.c */
};

/* What the hot paths need of the running thread, in its thread-local storage. */
struct rt_hot {
	int64_t fuel; /* first: filter.h; events until the slow path; below 0: may not run */
	struct rt_filter *filter; /* second: filter.h; never NULL */
	struct rt_frame *top;	  /* the next free frame */
	struct rt_frame *end;	  /* behind the last one */
	uint64_t beyond;	  /* calls deeper than that */
	struct rt_thread *self;	  /* NULL: unknown to the runtime, or it has ended */
	bool has_read;		  /* something since its last branch, see branch.c */
	bool buries; /* the C library makes or joins a thread: it frees what dead threads have left */
	bool is_own;	/* the runtime calls the C library: what that allocates does not count */
	unsigned depth; /* of RT_SCOPE */
	/* Where the program called the function of the C library or of the ABI that runs, if that is one
	 * that may fault; 0: nowhere.  See crash.c. */
	uintptr_t calls_at;
	struct rt_place *places; /* a cache of locations: stack.h */
};

enum rt_state {
	RT_READY,   /* wants the baton */
	RT_RUNNING, /* has it */
	RT_BLOCKED, /* waits for another thread, on `queue`, or until `deadline` */
	RT_OUT,	    /* in a system call or in code that does not report: runs without it */
	RT_DONE,    /* has ended */
};

enum { RT_PENDING = 16 };			/* a power of two */
enum { RT_GO = 1, RT_LOOK = 2, RT_ASLEEP = 3 }; /* values of `go` */

/* A signal that was kept for later, see signals.c. */
struct rt_pending {
	int signal;
	siginfo_t info;
};

struct rt_object;

enum { RT_NOTED = 16, RT_GLANCES = 8, RT_SPIN_LOOKS = 4, RT_HIDDEN_LOCKS = 8 };

struct rt_spin { /* spin.h */
	struct rt_look {
		uintptr_t addr; /* 0: none */
		uint64_t value;
	} look[RT_SPIN_LOOKS];
	uint32_t next;	    /* of them to be replaced */
	uint64_t event;	    /* of its thread: the last look ... */
	uint64_t paused_at; /* ... and the last `pause` */
	uint32_t pauses;    /* since an event */
	uint32_t count, patience, pure;
	uint32_t skipped;	/* while it waits */
	uint32_t vain, in_vain; /* sched.c: waits that are not busy, after one in vain; to come */
	uint32_t sleeps;	/* [idle] since the last news */
	bool waits;		/* protected by the scheduler's lock */
	bool has_yielded;	/* since the last news ... */
	bool was_woken;		/* ... and something was written since */
};

struct rt_flags {	   /* omp_flags.h */
	uint32_t as;	   /* the task it is of */
	uint32_t released; /* the promise of its last flush, + 1 */
	uint32_t nglances; /* flags read since, without acquiring */
	uint32_t seen;	   /* the version of the last flag acquired */
	uintptr_t glance[RT_GLANCES];
};

struct rt_section {	      /* omp_sections.h */
	uint32_t depth, lock; /* locks held; the first */
	uint32_t promise;
	bool has_promise;
	uint32_t got, got_as; /* the last promise that was got, + 1, and by which task */
	unsigned nnoted;
	struct rt_noted {
		uintptr_t number;
		uint32_t promise;
		uint8_t bytes; /* of the word, a bit each */
	} noted[RT_NOTED];
};

struct rt_done {		  /* omp_done.h */
	uint64_t *set;		  /* of accesses since the barrier; NULL: none yet */
	uint32_t as;		  /* the implicit task that it is about ... */
	uint32_t phase;		  /* ... and its phase */
	uint32_t knows_number_as; /* the implicit task that has read its thread number */
	bool is_noted;		  /* the task is compared, and in no segment */
};

struct rt_lane { /* channel/lane.h */
	struct rt_ring *ring;
	uint64_t n, limit; /* records written; up to here there is room */
	uint32_t index;	   /* of the ring */
	uint32_t told;	   /* the fuel that the last record has which has one */
	int64_t fuel;	   /* when it begins, or goes on as a fiber */
	/* Its own, and used again with the ring: */
	struct rt_filter *filter;
	struct rt_run *run;
	struct rt_place *places;
};

struct rt_thread {
	uint32_t tid;	   /* dense, never used again */
	uint32_t name;	   /* of schedules: names.h */
	uint32_t ncreated; /* threads that it has created */
	uint32_t as;	   /* the thread or task (omp.c) that its events belong to */
	uint32_t place; /* in the table of threads: tid, unless it is a fiber that is used again */
	enum rt_state state;
	/* futex: RT_GO when given the baton, RT_LOOK when a signal came, RT_ASLEEP while the thread
	 * waits in the kernel, so that only then another thread has to wake it; else 0 */
	uint32_t go;
	const void *called_at; /* likewise: rt_tasks_place as it was then */
	uint32_t ready_at;     /* position in the ready list, while READY */
	struct rt_hot *hot;
	struct rt_frame *frames; /* RT_FRAMES of them */
	struct rt_frame *top;	 /* of a fiber that no thread runs */
	uint64_t beyond;	 /* likewise */

	/* Blocked. */
	struct rt_object *waits_for; /* NULL: only until the deadline */
	uint32_t
		waits_at; /* where: for a lock or thread; of a task, where it last let another run */
	bool waits_shared;			   /* for a rwlock: to read */
	struct rt_thread *next_waiter;		   /* in the object's queue */
	rt_time deadline;			   /* RT_NEVER: none */
	rt_time virtual_deadline;		   /* the same on the scheduler's clock */
	struct rt_thread *prev_timed, *next_timed; /* the list of those with a deadline */
	bool has_timed_out;
	uint32_t token; /* from the thread that woke it, see RT_SYNC_WRITE */

	/* The scheduler. */
	int64_t turn_fuel;   /* fuel it had when its turn began */
	bool was_revoked;    /* OUT because the watchdog took the baton from it */
	uint64_t events;     /* made in turns before */
	uint64_t kept_epoch; /* of its last turn, to go on in the next one ... */
	uint64_t kept_ends;  /* ... unless another one has ended since: rt.ends */
	uint64_t priority;   /* PCT, POS: the highest runs */
	uintptr_t aim;	     /* the address of its next access, for walk.h; 0: it synchronises */
	struct rt_spin spin;

	/* Life. */
	pthread_t handle;
	uint32_t created_at, created_by; /* node and thread */
	int handles;			 /* the signal whose handler it runs; 0: none */
	int sends;			 /* the signal that it sends to itself; 0: none */
	bool is_detached;
	bool is_cancelled, is_cancel_disabled, is_asynchronous; /* see cancel.c */
	struct rt_object *joiners; /* the threads that wait for its end */
	void *(*start)(void *);
	void *start_arg;
	sigset_t mask;	 /* of signals, when it starts */
	unsigned ending; /* rounds of thread-specific destructors seen */
	int kernel_tid;
	int ignores;			 /* __tsan_ignore_thread_begin, nested ... */
	uint32_t ignores_at;		 /* ... where the outermost began */
	uint32_t nheld;			 /* mutexes and spin locks that it holds */
	int ignores_sync;		 /* AnnotateIgnoreSyncBegin, nested */
	bool is_of_team;		 /* of OpenMP: not the context of an explicit task */
	uintptr_t stack_low, stack_high; /* of a context of OpenMP */
	uintptr_t low_water;		 /* what was recorded of it lies above */
	struct own_context own;		 /* its private memory: omp_own.h */
	struct rt_done done;

	struct rt_lane lane; /* of threads that run in parallel */

	/* Signals that wait for a good moment: a ring, filled by the thread's own handler. */
	bool was_interrupted; /* the last wait, by a signal */
	bool is_open;	      /* OUT, and no longer in the scheduler: handlers may run */
	bool is_locking;      /* waits for the scheduler's lock, or that of free.c */
	uint32_t signals_kept, signals_run;

	uint32_t update,
		atomic_update; /* the kind of the update it is in (tasks/updates.c); 0: none */
	/* Locks that the thread took while it ignored synchronisation, if threads run in parallel. */
	uintptr_t hidden[RT_HIDDEN_LOCKS];
	uint32_t nhidden;
	struct rt_flags flags;
	struct rt_section section; /* from its noted[] on, what is not in use is not cleared */
	struct rt_pending pending[RT_PENDING];
};

struct rt {
	bool on;
	bool has_begun; /* rt_begin ran */
	struct rt_channel *channel;
	uint64_t written;	     /* records, so far */
	uint64_t limit;		     /* up to here there is room without looking */
	uint64_t ends;		     /* of epochs, but for those that end with a turn */
	uint32_t tokens;	     /* given out, see rt_token */
	uint32_t locks;		     /* likewise */
	struct rt_listener listener; /* where reports of the program go */
	bool has_no_frames;	     /* no listener needs call stacks */
	bool is_fresh; /* a task has begun, and its memory was not reported as new: tasks.c */
	void (*before)(void);	    /* call it before the next record; may be NULL */
	void (*before_write)(void); /* to be called before the next write is reported; or NULL */
	bool is_waiting;	    /* for the recorder */
	bool is_of_tasks;	    /* the program is one of tasks: tasks.h */
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
void rt_branch(uintptr_t pc) RT_HIDDEN; /* on all reads so far */

extern __thread struct rt_hot rt_hot __attribute__((tls_model("initial-exec"))) RT_HIDDEN;

/* Called from anywhere before anything else; cheap when done before. */
void rt_begin(void);

static inline void rt_begin_once(void)
{
	if (rt_unlikely(!rt.has_begun))
		rt_begin();
}

/* Whether this thread is known and the runtime is on. */
static inline struct rt_thread *rt_self(void)
{
	return rt.on ? rt_hot.self : NULL;
}

/* If threads run freely (free.c), the runtime is left where the outermost function that the program
 * called ends: RT_SCOPE is the first statement of each.  The C library may call them, too. */
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
	rt_hot.depth = 0; /* it is already, if the program's code was left by an exception */
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

/* After fork in the child: nothing is recorded or scheduled any more. */
void rt_turn_off(void);

#endif
