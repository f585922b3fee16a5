/* SPDX-License-Identifier: Apache-2.0
 *
 * locks.c - three threads increment one counter, each time under the same lock
 *
 * Measures what a lock and an unlock cost: there is almost no other work.
 */
#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *count(void *arg)
{
	(void)arg;
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	nthreads = 3;
	program_arguments(argc, argv, 1000000);
	program_threads(count);
	return program_end(counter == (long)n * nthreads);
}
