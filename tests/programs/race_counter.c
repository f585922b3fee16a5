/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads count without a lock.
 * found by: hb m2
 */
#include <pthread.h>

static int counter, safe;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&m);
		safe++;
		pthread_mutex_unlock(&m);
	}
	counter++;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return safe != 20;
}
