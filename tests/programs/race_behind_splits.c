/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread writes whole words, the other reads their halves, under a lock: every word is split
 * when it is read, so that the recorded trace has more events than the run delivered.
 * The race on x comes last.
 * found by: hb
 */
#include <pthread.h>

enum { WORDS = 4096 };

static long word[WORDS];
static volatile int sink;
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_written;

static void *reader(void *arg)
{
	pthread_mutex_lock(&m);
	while (!is_written)
		pthread_cond_wait(&c, &m);
	for (int i = 0; i < WORDS; i++)
		sink += ((volatile int *)&word[i])[1];
	pthread_mutex_unlock(&m);
	x = 1;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reader, NULL);
	pthread_mutex_lock(&m);
	for (int i = 0; i < WORDS; i++)
		((volatile long *)word)[i] = i;
	is_written = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	x = 2;
	pthread_join(t, NULL);
	return x == 0;
}
