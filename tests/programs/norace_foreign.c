/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex, a condition variable and a semaphore that could be shared with other processes.
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m;
static pthread_cond_t c;
static sem_t done;
static int turn, sum;

static void *work(void *arg)
{
	int me = (int)(long)arg;
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&m);
		while (turn != me)
			pthread_cond_wait(&c, &m);
		sum++;
		turn = 1 - turn;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	sem_post(&done);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&m, &ma);
	pthread_condattr_init(&ca);
	pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&c, &ca);
	sem_init(&done, 1, 0);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	sem_wait(&done);
	sem_wait(&done);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum != 10;
}
