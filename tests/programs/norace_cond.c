/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer of four places between two producers and two consumers; the values are
 * written outside the lock and handed over by it.
 */
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 4, ITEMS = 60 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long *place[PLACES];
static int used, from, to;
static long sum[2];

static void *produce(void *arg)
{
	for (long i = 0; i < ITEMS; i++) {
		long *item = malloc(sizeof(*item));
		*item = i;
		pthread_mutex_lock(&m);
		while (used == PLACES)
			pthread_cond_wait(&not_full, &m);
		place[to++ % PLACES] = item;
		used++;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *consume(void *arg)
{
	long *mine = arg;
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (used == 0)
			pthread_cond_wait(&not_empty, &m);
		long *item = place[from++ % PLACES];
		used--;
		pthread_cond_broadcast(&not_full);
		pthread_mutex_unlock(&m);
		*mine += *item;
		free(item);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, produce, NULL);
		pthread_create(&t[2 + i], NULL, consume, &sum[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return sum[0] + sum[1] != ITEMS * (ITEMS - 1);
}
