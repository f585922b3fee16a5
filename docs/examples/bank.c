/* SPDX-License-Identifier: Apache-2.0
 *
 * bank.c - two tellers and one forgotten lock; bank.std is a trace of it
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *teller(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		balance += 10;
		pthread_mutex_unlock(&lock);
		printf("balance %d\n", balance); /* the lock is no longer held */
	}
	return unused;
}

int main(void)
{
	pthread_t first, second;
	balance = 100;
	pthread_create(&first, NULL, teller, NULL);
	pthread_create(&second, NULL, teller, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("at the end %d\n", balance);
	return 0;
}
