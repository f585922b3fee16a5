/* SPDX-License-Identifier: Apache-2.0
 *
 * snag/task.h - tasks of OpenMP under the names of <snag/task.h>
 *
 * So that tools for OpenMP can be measured on the task programs of this folder's neighbour
 * (bench/suites.py): compiled with -fopenmp and this folder before include/, a program is one of
 * OpenMP tasks.  It offers what those programs use.
 *
 *   snag_launch    parallel, single, taskgroup
 *   async          task
 *   finish         taskgroup; its two ends are called as the compiler does, since the
 *                  pragma wants a block
 *   spawn, sync    task, which ends with a taskwait; taskwait
 *   isolated       a lock
 *   promises       task depend(in) depend(out), by program_async_after() (program.h); there is
 *                  nothing in OpenMP that a task in the middle could wait for
 *
 * A sync also waits for what was created by async before it: less may be parallel, nothing
 * more.
 */
#ifndef SNAG_TASK_H
#define SNAG_TASK_H
#define SNAG_TASK_OPENMP 1

#include <omp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef void snag_task_function(void *arg);

struct snag_promise {
	char place; /* its address is what tasks depend on */
};

static omp_lock_t snag_isolated_lock;

static inline int snag_launch(snag_task_function *function, void *arg)
{
	omp_init_lock(&snag_isolated_lock);
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
	function(arg);
	omp_destroy_lock(&snag_isolated_lock);
	return 0;
}

static inline void *snag_copy_(const void *arg, size_t nbytes)
{
	void *copy = malloc(nbytes);
	if (!copy)
		abort();
	return memcpy(copy, arg, nbytes);
}

static inline void snag_async(snag_task_function *function, void *arg)
{
#pragma omp task firstprivate(function, arg)
	function(arg);
}

static inline void snag_async_copy(snag_task_function *function, const void *arg, size_t nbytes)
{
	void *copy = snag_copy_(arg, nbytes);
#pragma omp task firstprivate(function, copy)
	{
		function(copy);
		free(copy);
	}
}

static inline void snag_spawn_copy(snag_task_function *function, const void *arg, size_t nbytes)
{
	void *copy = snag_copy_(arg, nbytes);
#pragma omp task firstprivate(function, copy)
	{
		function(copy);
#pragma omp taskwait
		free(copy);
	}
}

static inline void snag_sync(void)
{
#pragma omp taskwait
}

/* After the tasks that set `needs`; sets `done`, which may be NULL. */
static inline void snag_async_after_(snag_task_function *function, const void *arg, size_t nbytes,
				     struct snag_promise *const *needs, int n,
				     struct snag_promise *done)
{
	void *copy = snag_copy_(arg, nbytes);
	char *end = done ? &done->place : (char *)copy;
#pragma omp task firstprivate(function, copy) depend(iterator(i = 0                \
							      : n),                \
						     in                            \
						     : needs[i]->place) depend(out \
									       : *end)
	{
		function(copy);
		free(copy);
	}
}

static inline void snag_promise_init(struct snag_promise *promise)
{
	(void)promise;
}

static inline struct snag_promise *snag_promise_new(void)
{
	return (struct snag_promise *)malloc(sizeof(struct snag_promise));
}

#ifdef __clang__
void __kmpc_taskgroup(void *where, int thread);
void __kmpc_end_taskgroup(void *where, int thread);
int __kmpc_global_thread_num(void *where);

static inline void snag_finish_begin(void)
{
	__kmpc_taskgroup(NULL, __kmpc_global_thread_num(NULL));
}

static inline void snag_finish_end(void)
{
	__kmpc_end_taskgroup(NULL, __kmpc_global_thread_num(NULL));
}
#else
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

static inline void snag_finish_begin(void)
{
	GOMP_taskgroup_start();
}

static inline void snag_finish_end(void)
{
	GOMP_taskgroup_end();
}
#endif

/* Each is a block, or a statement, that begins and ends something; none is left otherwise. */
#define snag_block_(n, begin, end) \
	for (int snag_once_##n = ((begin), 1); snag_once_##n; snag_once_##n = ((end), 0))
#define snag_finish snag_block_(finish, snag_finish_begin(), snag_finish_end())
#define snag_frame snag_block_(frame, (void)0, snag_sync())
#define snag_isolated                                            \
	snag_block_(isolated, omp_set_lock(&snag_isolated_lock), \
		    omp_unset_lock(&snag_isolated_lock))

#endif
