/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock orders the second thread after the first one in every run; still the
 * first write and the last one race: the critical sections have nothing in common.
 * found by: m2
 */
#include <pthread.h>

static int x, y, z;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	x = 1;
	pthread_mutex_lock(&m);
	y = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *two(void *arg)
{
	pthread_mutex_lock(&m);
	z = 1;
	pthread_mutex_unlock(&m);
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return x == 0 || y + z != 2;
}
