/* SPDX-License-Identifier: Apache-2.0
 *
 * A block is filled by a copy, which is seen in words; then the thread changes a byte of one.  The
 * copy races with what another thread reads in the same word.
 * found by: hb m2
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *block, from[96];
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *arg)
{
	memcpy(block, from, sizeof(from));
	pthread_mutex_lock(&own); /* so that the byte is not known to be written already */
	pthread_mutex_unlock(&own);
	*(volatile char *)&block[73] = 1;
	return arg;
}

static void *look(void *arg)
{
	return *(volatile uint16_t *)&block[78] ? NULL : arg;
}

int main(void)
{
	pthread_t t[2];
	block = calloc(1, sizeof(from));
	pthread_create(&t[0], NULL, fill, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	int status = block[73] != 1;
	free(block);
	return status;
}
