/* SPDX-License-Identifier: Apache-2.0
 *
 * A word is written as a whole, then one of its fields; the write of the whole races with a
 * read of another field, whichever comes first.
 * found by: hb m2
 */
#include <pthread.h>
#include <stdint.h>

static volatile union {
	uint64_t all;
	struct {
		uint32_t low : 8, middle : 24;
		uint32_t high;
	} field;
} word;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *arg)
{
	word.all = 0;
	pthread_mutex_lock(&own); /* so that the field is not known to be written already */
	pthread_mutex_unlock(&own);
	word.field.low = 1;
	return arg;
}

static void *look(void *arg)
{
	return word.field.high ? NULL : arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, set, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return word.field.low != 1;
}
