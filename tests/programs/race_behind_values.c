/* SPDX-License-Identifier: Apache-2.0
 *
 * In every run the accesses to x and to `seats` are kept apart by values that one thread reads of the
 * other: a counter that both have incremented, and the free seats of a semaphore made of an atomic.
 * So no reordering with the same reads has them side by side; but a run has.
 * found by: hybrid
 */
#include <pthread.h>
#include <stdatomic.h>

static int x, counter, seats;
static atomic_int room = 2;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void count(void)
{
	pthread_mutex_lock(&m);
	counter++;
	pthread_mutex_unlock(&m);
}

static void sit(void) /* two at a time, which are one too many */
{
	int free = atomic_load(&room);
	while (free == 0 || !atomic_compare_exchange_weak(&room, &free, free - 1))
		free = atomic_load(&room);
	seats++;
	atomic_fetch_add(&room, 1);
}

static void *one(void *arg)
{
	x = 1;
	count();
	sit();
	return arg;
}

static void *two(void *arg)
{
	count();
	sit();
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return x == 0 || counter != 2;
}
