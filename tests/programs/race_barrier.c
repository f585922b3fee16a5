/* SPDX-License-Identifier: Apache-2.0
 *
 * The second barrier is missing: a cell is read while its owner writes the next round.
 * found by: hb m2
 */
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_barrier_t barrier;
static int cell[THREADS], sum;

static void *work(void *arg)
{
	long me = (long)arg;
	int mine = 0;
	for (int i = 0; i < ROUNDS; i++) {
		cell[me] = i;
		pthread_barrier_wait(&barrier);
		mine += cell[(me + 1) % THREADS];
	}
	__atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED);
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
	return 0;
}
