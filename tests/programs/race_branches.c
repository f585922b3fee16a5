/* SPDX-License-Identifier: Apache-2.0
 *
 * race_branches.c - a race behind a read that nothing depends on
 *
 * The second thread reads what the first one wrote under the lock, so that only who knows
 * that no branch depends on it may swap their sections.
 * flags: -fsnag-branches
 * found by: wdp
 */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data, count;

static void *first(void *unused)
{
	data = 1;
	pthread_mutex_lock(&lock);
	count = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *second(void *unused)
{
	(void)unused;
	usleep(20000);
	pthread_mutex_lock(&lock);
	int seen = count;
	pthread_mutex_unlock(&lock);
	return (void *)(intptr_t)(seen + data);
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
