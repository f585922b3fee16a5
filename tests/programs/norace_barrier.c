/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads write their own cell, meet, and read their neighbour's.
 */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 20 };

static pthread_barrier_t barrier;
static int cell[THREADS];

static void *work(void *arg)
{
	long me = (long)arg;
	for (int i = 0; i < ROUNDS; i++) {
		cell[me] = i;
		pthread_barrier_wait(&barrier);
		if (cell[(me + 1) % THREADS] != i)
			abort();
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return pthread_barrier_destroy(&barrier);
}
