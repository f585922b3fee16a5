/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads wait for each other by a volatile variable, which orders nothing.
 * found by: hb
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 5000 };

static volatile unsigned turn;
static volatile long guarded;

static void *work(void *arg)
{
	const unsigned number = arg != NULL;
	for (int i = 0; i < ROUNDS; i++) {
		while (turn % 2 != number)
			;
		guarded = guarded + 1;
		turn = turn + 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, work, &t);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	if (guarded != 2 * ROUNDS)
		abort();
	return 0;
}
