/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker counts a job as done before it has written the result, which the main thread reads
 * when it sees the count.
 * found by: m2 wdp
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int ndone, result;
static volatile int sink;

static void *work(void *arg)
{
	pthread_mutex_lock(&mutex);
	ndone++;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&mutex);
	result = 42;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&mutex);
	while (!ndone)
		pthread_cond_wait(&done, &mutex);
	pthread_mutex_unlock(&mutex);
	sink = result;
	pthread_join(t, NULL);
	return 0;
}
