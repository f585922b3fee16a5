/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib.c - the calls that C programs written for hclib use, on top of <snag/task.h>
 *
 * Errors.  What hclib asserts is a failed assertion here too: a promise put twice, a loop
 *          without a stride.  A deadlock, which would hang there, ends the launch.
 *
 * Reference.  The interface of github.com/habanero-rice/hclib, inc/hclib.h.
 */
#include <snag/hclib/hclib.h>

#include "task/hclib_joins.h"
#include "task/parallel.h"
#include "task/serial.h"

#include <assert.h>
#include <string.h>
#include <time.h>

static struct task_worker *worker_now(void)
{
	return snag_serial ? NULL : snag_worker_self();
}

struct first {
	async_fct_t function;
	void *arg;
};

static void first_run(void *arg)
{
	const struct first *first = arg;
	first->function(first->arg);
	if (snag_hclib_left)
		snag_hclib_left();
}

void hclib_launch(async_fct_t function, void *arg, const char **deps, int ndeps)
{
	struct first first = {function, arg};
	int result = snag_launch_from(__builtin_return_address(0), &(struct snag_launch_options){0},
				      first_run, &first);
	if (result == SNAG_NO_MEMORY)
		snag_no_memory();
	if (result == SNAG_DEADLOCK)
		fputs("snag: deadlock: all tasks that are left wait\n", stderr);
}

int hclib_get_num_workers(void)
{
	return (int)snag_workers();
}

int hclib_get_current_worker(void)
{
	return (int)snag_worker_number();
}

unsigned long long hclib_current_time_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

unsigned long long hclib_current_time_ms(void)
{
	return hclib_current_time_ns() / 1000000;
}

void hclib_promise_init(hclib_promise_t *promise)
{
	promise->future.owner = promise;
	snag_promise_init(&promise->promise);
}

hclib_promise_t *hclib_promise_create(void)
{
	hclib_promise_t *promise = snag_record_new(worker_now(), sizeof(*promise));
	hclib_promise_init(promise);
	return promise;
}

void hclib_promise_free(hclib_promise_t *promise)
{
	if (promise)
		snag_record_free(worker_now(), promise);
}

hclib_promise_t **hclib_promise_create_n(size_t n, int null_terminated)
{
	size_t nbytes, made = null_terminated && n > 0 ? n - 1 : n;
	if (__builtin_mul_overflow(n, sizeof(hclib_promise_t *), &nbytes))
		snag_no_memory();
	hclib_promise_t **promises = snag_record_new(worker_now(), nbytes);
	for (size_t i = 0; i < made; i++)
		promises[i] = hclib_promise_create();
	if (made < n)
		promises[made] = NULL;
	return promises;
}

void hclib_promise_free_n(hclib_promise_t **promises, size_t n, int null_terminated)
{
	for (size_t i = 0; i < (null_terminated && n > 0 ? n - 1 : n); i++)
		hclib_promise_free(promises[i]);
	snag_record_free(worker_now(), promises);
}

void hclib_promise_put(hclib_promise_t *promise, void *datum)
{
	int result = snag_promise_set(&promise->promise, datum);
	assert(result == 0 && "a promise is put twice");
	(void)result;
}

hclib_future_t *hclib_get_future_for_promise(hclib_promise_t *promise)
{
	return &promise->future;
}

void *hclib_future_wait(hclib_future_t *future)
{
	return snag_promise_get(&future->owner->promise);
}

void *hclib_future_get(hclib_future_t *future)
{
	return hclib_future_wait(future);
}

int hclib_future_is_satisfied(hclib_future_t *future)
{
	return snag_promise_is_set(&future->owner->promise);
}

static void task_create(async_fct_t function, void *arg, const void *copy, size_t nbytes)
{
	if (snag_hclib_create)
		snag_hclib_create(function, arg, copy, nbytes);
	else
		snag_async_from(function, arg, copy, nbytes);
}

struct after_futures {	       /* the work of such a task */
	async_fct_t function;  /* or, if this is NULL: */
	future_fct_t computes; /* computes `result` */
	void *arg;
	hclib_promise_t *result;
	size_t n;
	hclib_future_t *future[];
};

static void after_futures_run(void *arg)
{
	const struct after_futures *task = arg;
	for (size_t i = 0; i < task->n; i++)
		if (task->future[i])
			hclib_future_wait(task->future[i]);
	if (task->function)
		task->function(task->arg);
	else
		hclib_promise_put(task->result, task->computes(task->arg));
}

static void after_futures_create(const struct after_futures *task, hclib_future_t **futures, int n)
{
	size_t count = futures && n > 0 ? (size_t)n : 0;
	size_t nbytes = sizeof(*task) + count * sizeof(*futures);
	struct after_futures *copy = snag_record_new(worker_now(), nbytes);
	*copy = *task;
	copy->n = count;
	if (count > 0)
		memcpy(copy->future, futures, count * sizeof(*futures));
	task_create(after_futures_run, NULL, copy, nbytes);
	snag_record_free(worker_now(), copy);
}

void hclib_async(generic_frame_ptr function, void *arg, hclib_future_t **futures, int nfutures,
		 hclib_locale_t *locale)
{
	(void)snag_serial_called();
	if (!futures || nfutures <= 0)
		task_create(function, arg, NULL, 0);
	else
		after_futures_create(&(struct after_futures){.function = function, .arg = arg},
				     futures, nfutures);
}

void hclib_async_bytes(generic_frame_ptr function, void *arg, const void *copy, size_t nbytes)
{
	(void)snag_serial_called();
	task_create(function, arg, copy, nbytes);
}

void hclib_async_nb(generic_frame_ptr function, void *arg, hclib_locale_t *locale)
{
	(void)snag_serial_called();
	task_create(function, arg, NULL, 0);
}

hclib_future_t *hclib_async_future(future_fct_t function, void *arg, hclib_future_t **futures,
				   int nfutures, hclib_locale_t *locale)
{
	hclib_promise_t *result = hclib_promise_create();
	(void)snag_serial_called();
	after_futures_create(
		&(struct after_futures){.computes = function, .arg = arg, .result = result},
		futures, nfutures);
	return &result->future;
}

void hclib_yield(hclib_locale_t *locale)
{
	struct task_worker *w =
		worker_now(); /* depth first, all tasks have run as far as they can */
	struct async_task *task = w ? snag_deque_pop(&w->deque) : NULL;
	if (task)
		snag_strand_run(w, task);
}

void hclib_start_finish(void)
{
	snag_finish_begin();
	if (snag_hclib_begin)
		snag_hclib_begin();
}

void hclib_end_finish(void)
{
	if (snag_hclib_end)
		snag_hclib_end();
	else
		snag_finish_end();
}

enum { MOST_DIMENSIONS = 3 };

struct loop {
	void *function, *arg;
	int dim;
	hclib_loop_domain_t domain[MOST_DIMENSIONS];
};

static long loop_length(const hclib_loop_domain_t *d) /* how many iterations it has */
{
	return d->high > d->low ? ((long)d->high - d->low + d->stride - 1) / d->stride : 0;
}

static void loop_body(const struct loop *loop)
{
	const hclib_loop_domain_t *d = loop->domain;
	for (long i = d[0].low; i < d[0].high; i += d[0].stride) {
		if (loop->dim == 1) {
			((forasync1D_Fct_t)loop->function)(loop->arg, (int)i);
			continue;
		}
		for (long j = d[1].low; j < d[1].high; j += d[1].stride) {
			if (loop->dim == 2) {
				((forasync2D_Fct_t)loop->function)(loop->arg, (int)i, (int)j);
				continue;
			}
			for (long k = d[2].low; k < d[2].high; k += d[2].stride)
				((forasync3D_Fct_t)loop->function)(loop->arg, (int)i, (int)j,
								   (int)k);
		}
	}
}

/* Cuts off the first `n` iterations of a dimension; the loop keeps the others. */
static struct loop loop_cut(struct loop *loop, int dim, long n)
{
	struct loop first = *loop;
	int at = (int)(loop->domain[dim].low + n * loop->domain[dim].stride);
	first.domain[dim].high = at;
	loop->domain[dim].low = at;
	return first;
}

static void loop_run(void *arg)
{
	loop_body(arg);
}

/* Creates one task for each tile. */
static void loop_flat(struct loop loop, int dim)
{
	if (dim == loop.dim) {
		task_create(loop_run, NULL, &loop, sizeof(loop));
		return;
	}
	int tile = loop.domain[dim].tile;
	while (loop_length(&loop.domain[dim]) > tile)
		loop_flat(loop_cut(&loop, dim, tile), dim + 1);
	if (loop_length(&loop.domain[dim]) > 0)
		loop_flat(loop, dim + 1);
}

/* Halves the first dimension that is longer than its tile, and gives one half to a task. */
static void loop_recursive(void *arg)
{
	struct loop loop = *(struct loop *)arg;
	for (int dim = 0; dim < loop.dim; dim++)
		while (loop_length(&loop.domain[dim]) > loop.domain[dim].tile) {
			struct loop half = loop_cut(&loop, dim, loop_length(&loop.domain[dim]) / 2);
			task_create(loop_recursive, NULL, &half, sizeof(half));
		}
	loop_body(&loop);
}

int hclib_loop_tile(const hclib_loop_domain_t *domain)
{
	assert(domain->stride > 0 && "a loop without a stride");
	if (domain->tile > 0)
		return domain->tile;
	if (snag_serial) /* a detector judges all iterations, whatever the number of workers */
		return 1;
	long length = loop_length(domain);
	return length > 0 ? (int)((length - 1) / (long)snag_run_workers() / 2 + 1) : 1;
}

/* Returns whether there is anything to do. */
static bool loop_init(struct loop *ret_loop, int dim, const hclib_loop_domain_t *domain)
{
	assert(dim >= 1 && dim <= MOST_DIMENSIONS && "a loop of 1 to 3 dimensions");
	ret_loop->dim = dim;
	for (int i = 0; i < dim; i++) {
		hclib_loop_domain_t *d = &ret_loop->domain[i];
		*d = domain[i];
		assert(d->stride > 0 && "a loop without a stride");
		if (loop_length(d) == 0)
			return false;
		d->tile = hclib_loop_tile(d);
	}
	return true;
}

void hclib_forasync(void *function, void *arg, int dim, hclib_loop_domain_t *domain,
		    forasync_mode_t mode)
{
	struct loop loop = {.function = function, .arg = arg};
	(void)snag_serial_called();
	if (!loop_init(&loop, dim, domain))
		return;
	if (mode == FORASYNC_MODE_RECURSIVE)
		loop_recursive(&loop);
	else
		loop_flat(loop, 0);
}

struct loop_future {
	struct loop loop;
	forasync_mode_t mode;
	hclib_promise_t *result;
};

static void loop_future_run(void *arg)
{
	struct loop_future *task = arg;
	struct loop *loop = &task->loop;
	hclib_start_finish();
	hclib_forasync(loop->function, loop->arg, loop->dim, loop->domain, task->mode);
	hclib_end_finish();
	hclib_promise_put(task->result, NULL);
}

hclib_future_t *hclib_forasync_future(void *function, void *arg, int dim,
				      hclib_loop_domain_t *domain, forasync_mode_t mode)
{
	struct loop_future task = {.mode = mode, .result = hclib_promise_create()};
	(void)snag_serial_called();
	assert(dim >= 1 && dim <= MOST_DIMENSIONS && "a loop of 1 to 3 dimensions");
	task.loop = (struct loop){.function = function, .arg = arg, .dim = dim};
	memcpy(task.loop.domain, domain, (size_t)dim * sizeof(*domain));
	task_create(loop_future_run, NULL, &task, sizeof(task));
	return &task.result->future;
}
