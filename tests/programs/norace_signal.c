/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers run while threads wait for each other, sleep, compute and read: they post
 * semaphores and set atomic flags.  No race.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t posted, started;
static atomic_int seen;
static int fd[2];

static void handler(int number)
{
	atomic_fetch_add(&seen, 1);
	if (number == SIGUSR1)
		sem_post(&posted);
}

static void *waits(void *arg)
{
	sem_post(&started);
	while (sem_wait(&posted) && errno == EINTR)
		;
	return arg;
}

static void *reads(void *arg)
{
	char c;
	sem_post(&started);
	while (read(fd[0], &c, 1) < 0 && errno == EINTR)
		;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	struct sigaction act = {.sa_handler = handler}, old;
	sigaction(SIGUSR1, &act, NULL);
	signal(SIGUSR2, handler);
	if (sigaction(SIGUSR1, NULL, &old) || old.sa_handler != handler)
		return 1;
	sem_init(&posted, 0, 0);
	sem_init(&started, 0, 0);
	if (pipe(fd))
		return 1;
	pthread_create(&t[0], NULL, waits, NULL);
	pthread_create(&t[1], NULL, reads, NULL);
	sem_wait(&started);
	sem_wait(&started);
	usleep(1000);
	pthread_kill(t[0], SIGUSR1);
	pthread_kill(t[1], SIGUSR2);
	raise(SIGUSR2);
	pthread_join(t[0], NULL);
	while (atomic_load(&seen) < 3)
		;
	if (write(fd[1], "x", 1) != 1)
		return 1;
	pthread_join(t[1], NULL);
	return atomic_load(&seen) != 3;
}
