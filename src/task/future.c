/* SPDX-License-Identifier: Apache-2.0
 *
 * future.c - promises and futures of <snag/task.h>
 *
 * State.  `state` of a promise is UNSET, SET, or the list of strands that wait for it, the
 *         newest first; a link lies on the stack of each of them.
 *
 * Rules.  [get]  if it is not set, suspends the strand and adds it to the list, unless it has
 *                been set meanwhile
 *         [set]  takes the list, and makes all strands on it ready; the oldest continues first
 *         [openmp]  outside a launch, in a region of OpenMP: its runtime does both, if it is
 *                   snag's; under another runtime the thread waits, whatever task it runs
 *
 * A promise whose bytes are all 0 is UNSET.  The value is written before SET is.
 */
#include "task/omp_promises.h"
#include "task/parallel.h"
#include "task/serial.h"

#include <sched.h>
#include <string.h>

enum { UNSET = 0, SET = 1 };

/* The program has these functions if it uses OpenMP, or snag's OpenMP library. */
#pragma weak omp_in_parallel
#pragma weak __snag_omp_get
#pragma weak __snag_omp_set
int omp_in_parallel(void);

typedef bool openmp_function(struct snag_promise *promise, const void *place);

/* Outside of a launch, whether OpenMP as snag runs it does it (task/omp_promises.h). */
static bool is_of_openmp(openmp_function *f, struct snag_promise *promise, const void *place)
{
	return f && !snag_worker_self() && f(promise, place); /* [openmp] */
}

struct snag_promise *snag_promise_new(void)
{
	struct snag_promise *promise =
		snag_record_new(snag_serial ? NULL : snag_worker_self(), sizeof(*promise));
	snag_promise_init(promise);
	return promise;
}

void snag_promise_init(struct snag_promise *promise)
{
	*promise = (struct snag_promise){.state = UNSET};
}

void snag_promise_free(struct snag_promise *promise)
{
	if (promise)
		snag_record_free(snag_serial ? NULL : snag_worker_self(), promise);
}

static bool is_set(const struct snag_promise *promise)
{
	return __atomic_load_n(&promise->state, __ATOMIC_ACQUIRE) == SET;
}

int snag_promise_is_set(const struct snag_promise *promise)
{
	if (snag_serial_called())
		snag_serial_obstacle(SNAG_TASK_OBSTACLE_PROMISE_READ);
	return is_set(promise);
}

bool snag_promise_enqueue(struct snag_promise *promise, struct promise_wait *wait) /* [get] */
{
	uintptr_t first = __atomic_load_n(&promise->state, __ATOMIC_ACQUIRE);
	do {
		if (first == SET)
			return false;
		wait->next = (struct promise_wait *)first;
		/* Pairs with the exchange in snag_promise_set(). */
	} while (!__atomic_compare_exchange_n(&promise->state, &first, (uintptr_t)wait, true,
					      __ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
	return true;
}

/* Outside of a launch, in a region of the compiler's own OpenMP: the thread waits. */
static bool thread_waits(const struct snag_promise *promise) /* [openmp] */
{
	if (snag_worker_self() || !omp_in_parallel || !omp_in_parallel())
		return false;
	while (!snag_promise_is_set(promise))
		sched_yield();
	return true;
}

void *snag_promise_get(struct snag_promise *promise)
{
	if (snag_serial_called())
		snag_serial_get(promise);
	else if (!is_of_openmp(__snag_omp_get, promise, __builtin_return_address(0)) &&
		 !is_set(promise) && !thread_waits(promise))
		snag_strand_wait(snag_worker_in_task(), AFTER_WAIT_PROMISE, promise);
	return promise->value;
}

int snag_promise_set(struct snag_promise *promise, void *value) /* [set] */
{
	if (__atomic_exchange_n(&promise->claimed, 1, __ATOMIC_RELAXED)) {
		if (snag_serial_called())
			snag_serial_obstacle(SNAG_TASK_OBSTACLE_SET_TWICE);
		return -1;
	}
	promise->value = value;
	if (snag_serial_called()) {
		promise->state = SET;
		snag_serial_set(promise);
		return 0;
	}
	if (is_of_openmp(__snag_omp_set, promise, __builtin_return_address(0)))
		return 0;
	/* Release: the value and what came before; acquire: the links. */
	uintptr_t first = __atomic_exchange_n(&promise->state, SET, __ATOMIC_ACQ_REL);
	if (first == UNSET && omp_in_parallel && !snag_worker_self())
		return 0; /* [openmp] no strand waits for it */
	struct task_worker *w = snag_worker_in_task();
	struct promise_wait *wait = (struct promise_wait *)first, *next;
	for (; wait; wait = next) {
		next = wait->next; /* the link goes when its strand does */
		snag_strand_ready(w, wait->strand);
		snag_worker_call();
	}
	return 0;
}

struct future_task {
	snag_future_function *function;
	void *arg; /* NULL and has_copy: behind this */
	struct snag_promise *promise;
	size_t has_copy;
};

_Static_assert(sizeof(struct future_task) % 16 == 0, "the argument behind it is aligned");

static void future_run(void *arg)
{
	struct future_task *future = arg;
	void *own = future->has_copy ? future + 1 : future->arg;
	snag_promise_set(future->promise, future->function(own));
}

struct snag_promise *snag_future(snag_future_function *function, void *arg)
{
	struct future_task future = {function, arg, snag_promise_new(), false};
	(void)snag_serial_called();
	snag_async_from(future_run, NULL, &future, sizeof(future));
	return future.promise;
}

struct snag_promise *snag_future_copy(snag_future_function *function, const void *arg,
				      size_t nbytes)
{
	struct snag_promise *promise = snag_promise_new();
	struct task_worker *w = snag_serial_called() ? NULL : snag_worker_self();
	size_t size;
	if (__builtin_add_overflow(sizeof(struct future_task), nbytes, &size))
		snag_no_memory();
	struct future_task *future = snag_record_new(w, size);
	*future = (struct future_task){function, NULL, promise, true};
	memcpy(future + 1, arg, nbytes);
	snag_async_from(future_run, NULL, future, size);
	snag_record_free(snag_serial ? NULL : snag_worker_self(), future);
	return promise;
}
