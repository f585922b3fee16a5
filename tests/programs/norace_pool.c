/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of threads: jobs go through a bounded queue with two condition variables, their
 * results are handed over when the last one is done; the pool is shut down.  No race.
 */
#include <pthread.h>
#include <stdbool.h>

enum { WORKERS = 3, ROOM = 4, JOBS = 40 };

struct job {
	int in, out;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t not_empty, not_full, all_done;
	struct job *ring[ROOM];
	int first, n, left;
	bool is_closed;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	  .not_empty = PTHREAD_COND_INITIALIZER,
	  .not_full = PTHREAD_COND_INITIALIZER,
	  .all_done = PTHREAD_COND_INITIALIZER,
	  .left = JOBS};

static struct job *take(void)
{
	struct job *job = NULL;
	pthread_mutex_lock(&pool.mutex);
	while (pool.n == 0 && !pool.is_closed)
		pthread_cond_wait(&pool.not_empty, &pool.mutex);
	if (pool.n > 0) {
		job = pool.ring[pool.first];
		pool.first = (pool.first + 1) % ROOM;
		pool.n--;
		pthread_cond_signal(&pool.not_full);
	}
	pthread_mutex_unlock(&pool.mutex);
	return job;
}

static void put(struct job *job)
{
	pthread_mutex_lock(&pool.mutex);
	while (pool.n == ROOM)
		pthread_cond_wait(&pool.not_full, &pool.mutex);
	pool.ring[(pool.first + pool.n++) % ROOM] = job;
	pthread_cond_signal(&pool.not_empty);
	pthread_mutex_unlock(&pool.mutex);
}

static void *work(void *arg)
{
	for (struct job *job; (job = take());) {
		job->out = job->in * job->in;
		pthread_mutex_lock(&pool.mutex);
		if (--pool.left == 0)
			pthread_cond_broadcast(&pool.all_done);
		pthread_mutex_unlock(&pool.mutex);
	}
	return arg;
}

int main(void)
{
	pthread_t t[WORKERS];
	struct job job[JOBS];
	int sum = 0;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < JOBS; i++) {
		job[i] = (struct job){.in = i};
		put(&job[i]);
	}
	pthread_mutex_lock(&pool.mutex);
	while (pool.left > 0)
		pthread_cond_wait(&pool.all_done, &pool.mutex);
	pool.is_closed = true;
	pthread_cond_broadcast(&pool.not_empty);
	pthread_mutex_unlock(&pool.mutex);
	for (int i = 0; i < JOBS; i++)
		sum += job[i].out;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	return sum != (JOBS - 1) * JOBS * (2 * JOBS - 1) / 6;
}
