/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads are cancelled while they wait in every way there is, sleep, read and compute; their
 * cleanup handlers give locks back and say so.  No race.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t never, started;
static int fd[2], cleaned;
static long spun;

static void clean(void *locked)
{
	if (!locked)
		pthread_mutex_lock(&mutex);
	cleaned++;
	pthread_mutex_unlock(&mutex);
}

static void *in_cond(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	sem_post(&started);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}

#define WAITS(name, wait)                          \
	static void *name(void *arg)               \
	{                                          \
		char c;                            \
		pthread_cleanup_push(clean, NULL); \
		sem_post(&started);                \
		for (;;) {                         \
			wait;                      \
		}                                  \
		pthread_cleanup_pop(1);            \
		return (void)&c, arg;              \
	}
WAITS(in_sem, sem_wait(&never))
WAITS(in_sleep, sleep(1000))
WAITS(in_read, if (read(fd[0], &c, 1) < 0) abort())
WAITS(in_test, pthread_testcancel())

static void *computes(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, NULL);
	sem_post(&started);
	for (;;)
		spun++;
	pthread_cleanup_pop(1);
	return arg;
}

static void *refuses(void *arg)
{
	int old;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&started);
	usleep(100);
	pthread_mutex_lock(&mutex);
	cleaned++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	void *(*const start[])(void *) = {in_cond, in_sem,   in_sleep, in_read,
					  in_test, computes, refuses};
	enum { N = sizeof(start) / sizeof(start[0]) };
	pthread_t t[N];
	void *value;
	sem_init(&never, 0, 0);
	sem_init(&started, 0, 0);
	if (pipe(fd))
		return 1;
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, start[i], &cleaned);
	for (int i = 0; i < N; i++)
		sem_wait(&started);
	for (int i = 0; i < N; i++)
		if (pthread_cancel(t[i]))
			return 2;
	for (int i = 0; i < N; i++)
		if (pthread_join(t[i], &value) ||
		    value != (i == N - 1 ? (void *)&cleaned : PTHREAD_CANCELED))
			return 3;
	return cleaned != N;
}
