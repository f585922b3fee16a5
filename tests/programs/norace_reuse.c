/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is freed, and stacks of threads that ended, are used again by threads that
 * nothing orders after their first users.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static void *churn(void *arg)
{
	for (int i = 0; i < 50; i++) {
		char *p = malloc(64 + 8 * (size_t)i);
		memset(p, i, 64);
		p[3] = 1;
		p = realloc(p, 500);
		p[400] = 2;
		free(p);
	}
	return arg;
}

static void *detached(void *arg)
{
	volatile int local[50];
	for (int i = 0; i < 50; i++)
		local[i] = i;
	sem_post(arg);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	pthread_attr_t attr;
	static sem_t done;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	sem_init(&done, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[0], &attr, detached, &done);
	for (int i = 0; i < 6; i++)
		sem_wait(&done);
	return 0;
}
