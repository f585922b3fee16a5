/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that the C library makes for a timer and for a read that has ended: what was done before
 * they were asked for comes before what they do.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMES = 3 };

static sem_t done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int asked, ticks, reads;

static void count(int *what)
{
	pthread_mutex_lock(&m);
	*what += asked;
	pthread_mutex_unlock(&m);
	sem_post(&done);
}

static void tick(union sigval value)
{
	count(value.sival_ptr);
}

int main(void)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
	struct itimerspec soon = {.it_value = {0, 1000000}, .it_interval = {0, 1000000}}, off = {0};
	timer_t timer;
	char buffer[8] = "";
	FILE *f = tmpfile();
	sem_init(&done, 0, 0);
	how.sigev_value.sival_ptr = &ticks;
	if (!f || timer_create(CLOCK_MONOTONIC, &how, &timer) != 0)
		return 1;
	asked = 1;
	timer_settime(timer, 0, &soon, NULL);
	for (int i = 0; i < TIMES; i++)
		sem_wait(&done);
	timer_settime(timer, 0, &off, NULL);
	timer_delete(timer);

	fputs("hello", f);
	fflush(f);
	how.sigev_value.sival_ptr = &reads;
	struct aiocb block = {
		.aio_fildes = fileno(f), .aio_buf = buffer, .aio_nbytes = 5, .aio_sigevent = how};
	if (aio_read(&block) != 0)
		return 1;
	sem_wait(&done);
	while (aio_error(&block) == EINPROGRESS)
		;
	pthread_mutex_lock(&m);
	int rc = ticks < TIMES || aio_return(&block) != 5 || memcmp(buffer, "hello", 5) != 0;
	pthread_mutex_unlock(&m);
	return rc;
}
