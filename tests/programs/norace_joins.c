/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways a thread can end and be waited for: tried, timed, detached; destructors of
 * thread-specific data run before the end, and what they did is seen after the join.  No race.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_key_t key;
static sem_t done;
static int result[4], destroyed[4];

static void destroy(void *p)
{
	destroyed[(int *)p - result]++;
}

static void *work(void *p)
{
	pthread_setspecific(key, p);
	*(int *)p = 1;
	return p;
}

static void *detached(void *p)
{
	*(int *)p = 1;
	sem_post(&done);
	pthread_exit(NULL);
}

static struct timespec soon(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

int main(void)
{
	pthread_t t[4];
	struct timespec at;
	void *value = NULL;
	int rc;
	pthread_key_create(&key, destroy);
	sem_init(&done, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, &result[i]);
	while ((rc = pthread_tryjoin_np(t[0], &value)) == EBUSY)
		usleep(1);
	if (rc || value != &result[0])
		return 1;
	do {
		at = soon(CLOCK_REALTIME);
		rc = pthread_timedjoin_np(t[1], &value, &at);
	} while (rc == ETIMEDOUT);
	if (rc || value != &result[1])
		return 2;
	do {
		at = soon(CLOCK_MONOTONIC);
		rc = pthread_clockjoin_np(t[2], &value, CLOCK_MONOTONIC, &at);
	} while (rc == ETIMEDOUT);
	if (rc || value != &result[2])
		return 3;
	pthread_create(&t[3], NULL, detached, &result[3]);
	pthread_detach(t[3]);
	sem_wait(&done);
	for (int i = 0; i < 4; i++)
		if (!result[i] || destroyed[i] != (i < 3))
			return 4;
	return 0;
}
