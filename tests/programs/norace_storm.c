/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals meet threads at every moment: just created, waiting for a semaphore, a mutex, a pipe, on
 * their way there and back, ending.  Whatever waits is served by a handler, so that a signal that
 * is lost, or handled late, would leave the program hanging.  No race.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 40 };

static sem_t served;
static atomic_int handled;
static int fd[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int guarded;

static void serve_sem(int number)
{
	atomic_fetch_add(&handled, 1);
	sem_post(&served);
}

static void serve_pipe(int number, siginfo_t *info, void *context)
{
	atomic_fetch_add(&handled, context != NULL && info != NULL);
	if (write(fd[1], "x", 1) != 1)
		_exit(3);
}

static void *waits(void *arg)
{
	while (sem_wait(&served) && errno == EINTR)
		;
	pthread_mutex_lock(&mutex);
	guarded++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *reads(void *arg)
{
	char c;
	while (read(fd[0], &c, 1) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&mutex);
	guarded++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	struct sigaction pipes = {.sa_sigaction = serve_pipe, .sa_flags = SA_SIGINFO | SA_RESTART};
	signal(SIGUSR1, serve_sem);
	sigaction(SIGUSR2, &pipes, NULL);
	sem_init(&served, 0, 0);
	if (pipe(fd))
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t t[2];
		pthread_create(&t[0], NULL, waits, NULL);
		pthread_create(&t[1], NULL, reads, NULL);
		if (i % 2)
			usleep((unsigned)i);
		pthread_kill(t[0], SIGUSR1);
		pthread_kill(t[1], SIGUSR2);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
	}
	return guarded != 2 * ROUNDS || atomic_load(&handled) != 2 * ROUNDS;
}
