/* SPDX-License-Identifier: Apache-2.0
 *
 * Much of everything: 100 threads at once, which meet at a barrier; 1,000 mutexes held together;
 * 1,000 threads one after the other, some detached.  No race.
 */
#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 100, MUTEXES = 1000, LATER = 1000 };

static pthread_mutex_t mutex[MUTEXES];
static pthread_barrier_t barrier;
static sem_t ended;
static int counter[MUTEXES], slot[THREADS], later;

static void *meets(void *arg)
{
	int *mine = arg;
	*mine = 1;
	pthread_barrier_wait(&barrier);
	int sum = 0;
	for (int i = 0; i < THREADS; i++)
		sum += slot[i];
	int at = (int)(mine - slot) % MUTEXES;
	pthread_mutex_lock(&mutex[at]);
	counter[at] += sum;
	pthread_mutex_unlock(&mutex[at]);
	return arg;
}

static void *comes_later(void *arg)
{
	pthread_mutex_lock(&mutex[0]);
	later++;
	pthread_mutex_unlock(&mutex[0]);
	if (arg)
		sem_post(&ended);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS], one;
	pthread_barrier_init(&barrier, NULL, THREADS);
	sem_init(&ended, 0, 0);
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_init(&mutex[i], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, meets, &slot[i]);
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_lock(&mutex[i]);
	for (int i = 0; i < MUTEXES; i++)
		counter[i]++;
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_unlock(&mutex[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < LATER; i++) {
		pthread_create(&one, NULL, comes_later, i % 10 ? NULL : &later);
		if (i % 10) {
			pthread_join(one, NULL);
		} else {
			pthread_detach(one);
			sem_wait(&ended);
		}
	}
	return later != LATER || counter[5] != THREADS + 1;
}
