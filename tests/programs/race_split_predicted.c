/* SPDX-License-Identifier: Apache-2.0
 *
 * A word is written as a whole, then a byte of it by another thread, in order; the write of the
 * whole races with a read of its other half.  If that comes later, a lock orders the two that has
 * nothing to do with them.
 * found by: wcp dc m2
 */
#include <pthread.h>
#include <stdint.h>

static volatile union {
	uint64_t all;
	uint32_t half[2];
	uint8_t byte[8];
} word;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counts[2];

static void *change(void *arg)
{
	word.byte[1] = 1;
	return arg;
}

static void *set(void *arg)
{
	pthread_t t;
	word.all = 0;
	pthread_mutex_lock(&m);
	counts[0]++;
	pthread_mutex_unlock(&m);
	pthread_create(&t, NULL, change, NULL);
	pthread_join(t, NULL);
	return arg;
}

static void *look(void *arg)
{
	pthread_mutex_lock(&m);
	counts[1]++;
	pthread_mutex_unlock(&m);
	return word.half[1] ? NULL : arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, set, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return word.byte[1] != 1;
}
