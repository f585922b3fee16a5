/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of all kinds protect counters; main reads them after the joins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { KINDS = 4, THREADS = 3, ROUNDS = 50 };

static pthread_mutex_t m[KINDS];
static long counter[KINDS];

static void *count(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < KINDS; k++) {
			if (pthread_mutex_lock(&m[k]))
				abort();
			if (k == PTHREAD_MUTEX_RECURSIVE && pthread_mutex_lock(&m[k]))
				abort();
			if (k == PTHREAD_MUTEX_ERRORCHECK && pthread_mutex_lock(&m[k]) != EDEADLK)
				abort();
			counter[k]++;
			if (k == PTHREAD_MUTEX_RECURSIVE && pthread_mutex_unlock(&m[k]))
				abort();
			if (pthread_mutex_unlock(&m[k]))
				abort();
			if (pthread_mutex_trylock(&m[k]) == 0) {
				counter[k]++;
				pthread_mutex_unlock(&m[k]);
			} else {
				pthread_mutex_lock(&m[k]);
				counter[k]++;
				pthread_mutex_unlock(&m[k]);
			}
		}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	for (int k = 0; k < KINDS; k++) {
		pthread_mutexattr_settype(&attr, k);
		pthread_mutex_init(&m[k], &attr);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int k = 0; k < KINDS; k++) {
		if (counter[k] != 2 * THREADS * ROUNDS)
			return 1;
		if (pthread_mutex_destroy(&m[k]))
			return 1;
	}
	return 0;
}
