/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores as a hand-over, as a mutex, and as a pool of two.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t full, empty, mutex, pool;
static int box, counter;

static void *producer(void *arg)
{
	for (int i = 0; i < 20; i++) {
		sem_wait(&empty);
		box = i;
		sem_post(&full);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 0; i < 20; i++) {
		sem_wait(&full);
		if (box != i)
			abort();
		sem_post(&empty);
	}
	return arg;
}

static void *count(void *arg)
{
	for (int i = 0; i < 20; i++) {
		sem_wait(&pool);
		while (sem_trywait(&mutex))
			if (errno != EAGAIN)
				abort();
		counter++;
		sem_post(&mutex);
		sem_post(&pool);
	}
	return arg;
}

int main(void)
{
	pthread_t t[5];
	int value;
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	sem_init(&mutex, 0, 1);
	sem_init(&pool, 0, 2);
	pthread_create(&t[0], NULL, producer, NULL);
	pthread_create(&t[1], NULL, consumer, NULL);
	for (int i = 2; i < 5; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	sem_getvalue(&pool, &value);
	return counter != 60 || value != 2;
}
