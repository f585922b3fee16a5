/* SPDX-License-Identifier: Apache-2.0
 *
 * snag/task.h - tasks for C and C++: async, finish, isolated, spawn and sync, promises, futures
 *
 *   static void hello(void *arg) { puts(arg); }
 *   static void first(void *arg)
 *   {
 *           snag_finish {
 *                   snag_async(hello, "one");
 *                   snag_async(hello, "two");
 *           }
 *           puts("both said hello");
 *   }
 *   int main(void) { return snag_launch(first, NULL); }        // cc ... -lsnag_task
 *
 * The same program runs in two ways.  By itself it runs in parallel: one worker per
 * processor, each taking work from the others when it has none.  A task that waits does
 * not hold up its worker.  Under a detector (`snag run`) it runs depth first on one worker, and
 * the detector learns the structure of its tasks.
 *
 * Order.    What a task does before it creates another comes before everything that one
 *           does.  A finish and a sync come after all they wait for, and a get after what came
 *           before the set.  Nothing else is ordered.
 * Waiting.  A task waits in snag_finish_end(), snag_sync() and snag_promise_get(), nowhere
 *           else; it may go on as another thread than before, so it must not keep addresses of
 *           thread-local variables (such as errno's) across them.
 * Errors.   What a program must not do (wait inside isolated, end a finish that another task
 *           began, call these functions outside of snag_launch()) is a failed
 *           assertion.  But promises are there in parallel regions of OpenMP too: see
 *           snag_promise_get().  Without memory for another task the program ends with a message.
 */
#ifndef SNAG_TASK_H
#define SNAG_TASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SNAG_API __attribute__((visibility("default")))

typedef void snag_task_function(void *arg);
typedef void *snag_future_function(void *arg);

struct snag_launch_options {
	unsigned workers;   /* 0: $SNAG_WORKERS, or else one per processor */
	size_t stack_bytes; /* of a task; 0: 1 MiB.  Only what is touched is used. */
};

/* Runs `function` as the first task, inside a finish; returns when all tasks have ended: 0.
 * Negative: SNAG_DEADLOCK or SNAG_NO_MEMORY.  Not from inside a task. */
SNAG_API int snag_launch(snag_task_function *function, void *arg);
SNAG_API int snag_launch_with(const struct snag_launch_options *options,
			      snag_task_function *function, void *arg);

enum {
	SNAG_DEADLOCK = -1,  /* every task that is left waits; they are abandoned */
	SNAG_NO_MEMORY = -2, /* for the workers */
};

SNAG_API unsigned snag_workers(void);	    /* how many there are; 1 under a detector */
SNAG_API unsigned snag_worker_number(void); /* the caller's, from 0, until it waits */

/* Creates a task that calls function(arg).  The innermost finish around the call waits for
 * it. */
SNAG_API void snag_async(snag_task_function *function, void *arg);

/* The same with an argument of the task's own: a copy of `nbytes` bytes, aligned to 16,
 * which lives until the task ends. */
SNAG_API void snag_async_copy(snag_task_function *function, const void *arg, size_t nbytes);

SNAG_API void snag_finish_begin(void);
SNAG_API void snag_finish_end(void); /* waits for the tasks created since, and for theirs */

/* Creates a task that the next snag_sync() of the same frame waits for.  A task, the body of
 * a finish, and what lies between frame begin and end are frames; each ends with a sync. */
SNAG_API void snag_spawn(snag_task_function *function, void *arg);
SNAG_API void snag_spawn_copy(snag_task_function *function, const void *arg, size_t nbytes);
SNAG_API void snag_sync(void);
SNAG_API void snag_frame_begin(void);
SNAG_API void snag_frame_end(void);

/* One isolated block at a time.  Nothing inside creates a task or waits. */
SNAG_API void snag_isolated_begin(void);
SNAG_API void snag_isolated_end(void);

/* snag_finish { ... }, snag_isolated { ... } and snag_frame { ... } end what they begin, also
 * if one leaves them by break, return or goto. */
#define snag_finish snag_block_(__COUNTER__, snag_finish_begin(), snag_finish_leave_)
#define snag_isolated snag_block_(__COUNTER__, snag_isolated_begin(), snag_isolated_leave_)
#define snag_frame snag_block_(__COUNTER__, snag_frame_begin(), snag_frame_leave_)
#define snag_block_(n, begin, leave) snag_block_n_(n, begin, leave)
#define snag_block_n_(n, begin, leave)                                                        \
	for (int snag_once_##n __attribute__((cleanup(leave))) = ((begin), 1); snag_once_##n; \
	     snag_once_##n = 0)

static inline void snag_finish_leave_(int *once)
{
	(void)once;
	snag_finish_end();
}

static inline void snag_isolated_leave_(int *once)
{
	(void)once;
	snag_isolated_end();
}

static inline void snag_frame_leave_(int *once)
{
	(void)once;
	snag_frame_end();
}

/* Set at most once, got any number of times.  The fields are not for users. */
struct snag_promise {
	uintptr_t state;
	void *value;
	uint32_t number;
	uint32_t claimed;
};

SNAG_API struct snag_promise *snag_promise_new(void);
SNAG_API void snag_promise_free(struct snag_promise *promise); /* no task waits; accepts NULL */
SNAG_API void snag_promise_init(struct snag_promise *promise); /* one in memory of the caller's */

/* In a parallel region of OpenMP, too: built with `snag cc` a task or thread that waits lets others
 * run; with another OpenMP its thread stands still, so another one must be there to set it. */
SNAG_API int snag_promise_set(struct snag_promise *promise, void *value); /* negative: was set */
SNAG_API void *snag_promise_get(struct snag_promise *promise);		  /* waits for it */
SNAG_API int snag_promise_is_set(const struct snag_promise *promise); /* does not order anything */

/* A task whose result will be the value of the promise returned.  Free that promise. */
SNAG_API struct snag_promise *snag_future(snag_future_function *function, void *arg);
SNAG_API struct snag_promise *snag_future_copy(snag_future_function *function, const void *arg,
					       size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif
