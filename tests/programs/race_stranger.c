/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread of a timer and the main one both count, with nothing between them.
 * found by: hb
 */
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t done;
static int n;

static void tick(union sigval value)
{
	(void)value;
	n++; /* races */
	sem_post(&done);
}

int main(void)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
	struct itimerspec soon = {.it_value = {0, 1000000}};
	timer_t timer;
	sem_init(&done, 0, 0);
	if (timer_create(CLOCK_MONOTONIC, &how, &timer) != 0)
		return 1;
	timer_settime(timer, 0, &soon, NULL);
	n++; /* races */
	sem_wait(&done);
	return 0;
}
