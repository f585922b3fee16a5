/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of 8 bytes overlaps a byte that another thread writes.
 * found by: hb m2
 */
#include <pthread.h>
#include <stdint.h>

static union {
	uint64_t whole;
	uint8_t byte[8];
} u;

static void *one(void *arg)
{
	u.byte[5] = 1;
	return arg;
}

static void *two(void *arg)
{
	u.whole = 7;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return u.whole == 0;
}
