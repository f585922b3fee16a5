/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.h - shared by the files of the parallel runtime
 *
 * Other code uses <snag/task.h>.
 *
 * Idea.   Each worker (a thread) has a queue of the tasks that it created and that have not
 *         begun.  It works on the newest; a worker without work steals the oldest of another. If
 *         possible, a task runs as a plain call on the stack of the task that waits for it: a
 *         waiting task takes from its own queue those tasks that it waits for.  Otherwise a task
 *         runs on a *strand*: a stack with the loop that looks for work.  A task that must wait
 *         leaves its strand suspended, and its worker continues with another.
 *
 * Why it does not deadlock.  Only tasks that a task waits for run on top of it: if they wait, it
 * has to wait anyway.
 *
 * Files.  async.c     creating tasks, finish, frames and sync
 *         serial.c    the same under a detector, by task/task.h
 *         strand.c    suspending and resuming
 *         worker.c    looking for work, sleeping, launch and end
 *         records.c   memory for tasks and promises
 *         future.c    promises
 *         isolated.c  the lock of isolated blocks
 */
#ifndef SNAG_TASK_PARALLEL_H
#define SNAG_TASK_PARALLEL_H

#include "base/pool.h"
#include <snag/task.h>
#include "task/deque.h"
#include "task/stacks.h"

#include <pthread.h>

enum { SNAG_MAX_WORKERS = 1024, SNAG_SIZE_CLASSES = 10 };

/* A place where tasks are waited for: a finish, or the tasks spawned in a frame.
 *
 * `made` counts the tasks that the owner created, and `inlined` those of them that ended on the
 * owner's stack: plain numbers.  `balance` counts the rest: +1 for a task that another task
 * created, -1 for every one that ended elsewhere.  It starts at OPEN, so that it cannot be 0
 * before the owner waits.  The owner then subtracts OPEN and adds made - inlined, and the thread
 * that brings it to 0 resumes the owner. */
struct snag_scope {
	_Atomic int64_t balance;
	int64_t made, inlined;
	struct strand *waiter; /* valid when balance reaches 0; NULL: the end of the run */
	struct run_context *owner;
	struct hclib_joins *joins; /* for a finish: hclib_joins.c; otherwise NULL */
};

#define SNAG_SCOPE_OPEN ((int64_t)1 << 48)

/* A task that has not begun, or whose argument is here. */
struct async_task {
	snag_task_function *function;
	void *arg;
	struct snag_scope *scope;  /* the scope in which it counts */
	struct snag_scope *finish; /* the finish that its children inherit */
};

/* A task that runs; on its stack. */
struct run_context {
	struct snag_scope *finish;
	struct snag_scope *frame;
	struct finish_block *block; /* the innermost finish or frame it began */
	struct snag_scope base;	    /* its first frame */
};

/* A finish that was begun: it is also a frame.  Or just a frame. */
struct finish_block {
	struct finish_block *outer;
	struct snag_scope *outer_finish, *outer_frame;
	struct snag_scope finish, frame;
	bool is_finish;
};

/* A stack with a loop that looks for work. */
struct strand {
	struct snag_fiber fiber;
	struct snag_stack stack;
	uint32_t stack_number;
	struct strand *next;  /* in a list of ready strands, or of unused ones */
	struct strand *older; /* in the list of all strands */
	bool is_suspended;
};

/* What to do with the strand that the worker just left, once its registers are saved. */
enum after { AFTER_NOTHING, AFTER_DROP, AFTER_READY, AFTER_WAIT_SCOPE, AFTER_WAIT_PROMISE };

/* A strand that waits for a promise; on its stack. */
struct promise_wait {
	struct promise_wait *next;
	struct strand *strand;
};

struct task_worker {
	struct snag_deque deque;

	/* Only the worker itself uses these fields. */
	_Alignas(64) struct run_context *now;
	struct strand *strand; /* the strand that it runs on; NULL: it runs on the thread's stack */
	struct strand *unused; /* strands that have nothing on them */
	unsigned nunused;
	struct async_task *first; /* the task that a strand runs as soon as it begins */
	enum after after;
	struct strand *left; /* the strand for `after` */
	void *awaited;	     /* the scope or promise for `after` */
	struct promise_wait *wait;
	struct snag_fiber outside; /* the thread's own stack */
	struct snag_pool pool[SNAG_SIZE_CLASSES];
	uint64_t random;
	unsigned number;
	bool is_isolated;
	pthread_t thread;

	/* Other threads use these fields, too. */
	_Alignas(64) _Atomic(void *) returned; /* records of this worker that others freed */
	_Atomic int ready_lock;
	_Atomic unsigned nready;
	struct strand *ready; /* strands that can continue, newest first; under ready_lock */
};

/* The one run of the process. */
struct parallel_run {
	struct task_worker *worker[SNAG_MAX_WORKERS];
	_Atomic unsigned nworkers; /* workers of this run; more may exist from earlier runs */
	struct snag_scope all;
	_Atomic int is_over;
	int result;

	/* The low 32 bits count the sleeping workers, the others how often one woke up. */
	_Alignas(64) _Atomic uint64_t sleepers;
	_Atomic uint32_t alarm; /* futex: changes when a worker should wake up */
	_Atomic int is_called;	/* a worker was called and has not woken up yet: no need to call
				 * again */
	bool has_membarrier;

	pthread_mutex_t lock; /* protects the fields below */
	struct snag_stacks stacks;
	struct snag_pool strand_pool;
	struct strand *strands; /* all */
	struct strand *bare;	/* strands without a stack */
};

extern struct parallel_run snag_run;

/* Returns the calling thread's worker, or NULL.  It is a function, because code that kept the
 * address of a thread-local variable while its strand moves to another thread would be wrong. */
struct task_worker *snag_worker_self(void);

/* The same for a call from a task, which may create, set and wait. */
struct task_worker *snag_worker_in_task(void);

/* records.c: returns memory of at least `nbytes` for the calling worker (NULL: none).  Without
 * memory the process ends with a message. */
void *snag_record_new(struct task_worker *w, size_t nbytes);
/* The same, but the detector does not hear of it. */
void *snag_record_take(struct task_worker *w, size_t nbytes);
void snag_record_free(struct task_worker *w, void *record);
_Noreturn void snag_no_memory(void);

/* strand.c */
void snag_strand_wait(struct task_worker *w, enum after after, void *awaited); /* suspends */
void snag_strand_run(struct task_worker *w,
		     struct async_task *task); /* now, on a strand of its own */
/* Leaves the stack of a thread for the worker's strands; returns when the run has ended. */
void snag_strand_begin(struct task_worker *w);
void snag_strand_ready(struct task_worker *w, struct strand *strand);
struct strand *snag_strand_take_ready(struct task_worker *w); /* Returns NULL if there is none. */
_Noreturn void snag_strand_loop(void);			      /* worker.c: looks for work */
/* Call it from a loop of a worker. */
_Noreturn void snag_strand_resume(struct task_worker *w, struct strand *strand);
/* Call it from a loop; it continues on the thread's stack. */
_Noreturn void snag_strand_exit(struct task_worker *w);
bool snag_strand_has_room(const struct task_worker *w);
bool snag_promise_enqueue(struct snag_promise *promise, struct promise_wait *wait);

void snag_strands_done(void); /* all of them, when the run is over */

/* async.c: runs a task from a loop. */
void snag_async_run(struct task_worker *w, struct async_task *task);

/* Works as snag_async(), or with `copy` as snag_async_copy(), for a function of the library that
 * has noted the place of the call (snag_serial_called()). */
void snag_async_from(snag_task_function *function, void *arg, const void *copy, size_t nbytes);

/* worker.c */
/* Works as snag_launch_with(), called at `place`. */
int snag_launch_from(const void *place, const struct snag_launch_options *options,
		     snag_task_function *function, void *arg);
/* Returns the number of workers.  For the library itself: snag_workers() notes that the program
 * depends on the number. */
unsigned snag_run_workers(void);
/* Ends the run: all tasks have ended, or none can continue. */
void snag_run_over(int result);
void snag_worker_wake(void);

/* Announces new work to other workers. */
static inline void snag_worker_call(void)
{
	if ((uint32_t)atomic_load_explicit(&snag_run.sleepers, memory_order_relaxed) > 0 &&
	    !atomic_load_explicit(&snag_run.is_called, memory_order_relaxed))
		snag_worker_wake();
}

#endif
