/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write while they hold the lock shared.
 * found by: hb m2
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *count(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	x++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return x == 0;
}
