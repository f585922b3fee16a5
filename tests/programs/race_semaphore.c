/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore of two lets both threads in.
 * found by: hb m2
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t pool;
static int counter;

static void *count(void *arg)
{
	sem_wait(&pool);
	counter++;
	sem_post(&pool);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	sem_init(&pool, 0, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return counter == 0;
}
