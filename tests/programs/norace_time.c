/* SPDX-License-Identifier: Apache-2.0
 *
 * Timed waits that end, and that do not; a thread that polls until another has slept.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int stop;
static int ready;

static struct timespec in_ms(long ms)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *sleeper(void *arg)
{
	usleep(3000);
	atomic_store(&stop, 1);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	sem_t sem;
	struct timespec end = in_ms(5);
	pthread_mutex_lock(&m);
	if (pthread_cond_timedwait(&c, &m, &end) != ETIMEDOUT)
		return 1;
	pthread_mutex_unlock(&m);
	sem_init(&sem, 0, 0);
	end = in_ms(2);
	if (sem_timedwait(&sem, &end) == 0 || errno != ETIMEDOUT)
		return 1;
	pthread_create(&t, NULL, sleeper, NULL);
	while (!atomic_load(&stop))
		sched_yield();
	end = in_ms(20000);
	pthread_mutex_lock(&m);
	while (!ready)
		if (pthread_cond_timedwait(&c, &m, &end))
			return 1;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
