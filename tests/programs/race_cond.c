/* SPDX-License-Identifier: Apache-2.0
 *
 * A condition variable hands a message over, but its flag is looked at without the mutex first.
 * found by: m2
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_ready, message;

static void *sends(void *arg)
{
	pthread_mutex_lock(&mutex);
	message = 7;
	is_ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *receives(void *arg)
{
	if (!is_ready) {
		pthread_mutex_lock(&mutex);
		while (!is_ready)
			pthread_cond_wait(&cond, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	return message == 7 ? NULL : arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, receives, &t);
	pthread_create(&t[1], NULL, sends, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
