/* SPDX-License-Identifier: Apache-2.0
 *
 * A flag is written plainly by one thread, under a mutex, and looked at by another one with an
 * atomic load, without it.
 * found by: mixed
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *sets(void *arg)
{
	pthread_mutex_lock(&mutex);
	flag = 1;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks(void *arg)
{
	return __atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2 ? arg : NULL;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, sets, NULL);
	pthread_create(&t[1], NULL, looks, &t);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
