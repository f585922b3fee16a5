/* SPDX-License-Identifier: Apache-2.0
 *
 * A word of the heap is written as a whole, then by its upper half, then by bytes: each part
 * becomes a variable of its own, with a name of its own.  Large and small blocks follow one
 * another in the same memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t *word;

static void *run(void *arg)
{
	pthread_mutex_lock(&m);
	for (int i = 0; i < 64; i++)
		word[i] = 0;
	pthread_mutex_unlock(&m); /* so that the parts are not known to be written already */
	pthread_mutex_lock(&m);
	for (int i = 0; i < 64; i++) {
		((volatile uint32_t *)&word[i])[1] = 0;
		((volatile uint8_t *)&word[i])[0] = 1;
		((volatile uint32_t *)&word[i])[0] += 2;
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int sum = 0;
	for (size_t nbytes = 512; nbytes <= 128 << 10; nbytes *= 4) {
		word = calloc(1, nbytes);
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, run, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		sum += (int)word[63];
		free((void *)word);
	}
	return sum == 0;
}
