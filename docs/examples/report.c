/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - a total that is read just after the lock was given back; report.std is a trace of it
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes, reports;

static void *worker(void *unused)
{
	pthread_mutex_lock(&lock);
	bytes += 512;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *reporter(void *unused)
{
	pthread_mutex_lock(&lock);
	reports++;
	pthread_mutex_unlock(&lock);
	printf("%d bytes\n", bytes); /* the lock is no longer held */
	return unused;
}

int main(void)
{
	pthread_t w, r;
	pthread_create(&w, NULL, worker, NULL);
	pthread_create(&r, NULL, reporter, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	return 0;
}
