/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex, a condition variable, a semaphore and a barrier that could be shared with other
 * processes, and a semaphore that has a name.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m;
static pthread_cond_t c;
static sem_t done, *named;
static pthread_barrier_t b;
static int turn, sum, first[2], told;

static void *work(void *arg)
{
	int me = (int)(long)arg;
	first[me] = 1;
	pthread_barrier_wait(&b);
	if (!first[1 - me])
		return NULL;
	if (me) {
		told = 1;
		sem_post(named);
	} else {
		sem_wait(named);
		told++;
	}
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
	pthread_barrierattr_t ba;
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&m, &ma);
	pthread_condattr_init(&ca);
	pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&c, &ca);
	pthread_barrierattr_init(&ba);
	pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&b, &ba, 2);
	sem_init(&done, 1, 0);
	named = sem_open("/snag-norace-foreign", O_CREAT, 0600, 0);
	sem_unlink("/snag-norace-foreign");
	if (named == SEM_FAILED)
		return 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	sem_wait(&done);
	sem_wait(&done);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum != 10 || told != 2;
}
