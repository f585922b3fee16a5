/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.c - one function for many items, on several processors
 *
 * Idea.   Workers take the next few items from a common counter until none are left.  If a
 *         thread cannot be started, the other workers do its part.
 */
#include "base/parallel.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_WORKERS = 256, MOST_AT_ONCE = 64 };

struct job {
	size_t n, at_once;
	void (*run)(void *ctx, unsigned worker, size_t i);
	void *ctx;
	_Atomic size_t next;
};

struct worker {
	struct job *job;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *job = w->job;
	for (;;) {
		/* Relaxed: an item belongs to one worker, and joining publishes the results. */
		size_t begin =
			atomic_fetch_add_explicit(&job->next, job->at_once, memory_order_relaxed);
		size_t end = begin + job->at_once < job->n ? begin + job->at_once : job->n;
		if (begin >= job->n)
			return NULL;
		for (size_t i = begin; i < end; i++)
			job->run(job->ctx, w->number, i);
	}
}

void snag_parallel(size_t n, unsigned workers, void (*run)(void *ctx, unsigned worker, size_t i),
		   void *ctx)
{
	workers = workers < 1 ? 1 : workers > MAX_WORKERS ? MAX_WORKERS : workers;
	workers = workers > n && n > 0 ? (unsigned)n : workers;
	struct job job = {.n = n, .run = run, .ctx = ctx, .at_once = n / (16 * (size_t)workers)};
	job.at_once = job.at_once < 1 ? 1 : job.at_once > MOST_AT_ONCE ? MOST_AT_ONCE : job.at_once;
	struct worker *worker = snag_calloc(workers, sizeof(*worker));
	unsigned started = 1;
	for (unsigned i = 0; i < workers; i++)
		worker[i] = (struct worker){.job = &job, .number = i};
	while (started < workers &&
	       pthread_create(&worker[started].thread, NULL, work, &worker[started]) == 0)
		started++;
	work(&worker[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(worker[i].thread, NULL);
	free(worker);
}

unsigned snag_parallel_default(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n;
}
