/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers share a lock, writers change two numbers that must stay equal.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long a, b;

static void *reader(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_rwlock_rdlock(&lock);
		if (a != b)
			abort();
		if (pthread_rwlock_tryrdlock(&lock) == 0)
			pthread_rwlock_unlock(&lock);
		pthread_rwlock_unlock(&lock);
	}
	return arg;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 50; i++) {
		while (i % 2 && pthread_rwlock_trywrlock(&lock))
			;
		if (i % 2 == 0)
			pthread_rwlock_wrlock(&lock);
		a++;
		b++;
		pthread_rwlock_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? reader : writer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return a != 100;
}
