/* SPDX-License-Identifier: Apache-2.0
 *
 * A process with threads forks while locks are held and semaphores posted: handlers run, the child
 * finds locks and semaphores as they were, starts threads of its own and ends; other children are
 * made by vfork, posix_spawn and system.  No race.
 */
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posted, stop;
static int prepared, in_parent, in_child, counter;

static void before(void)
{
	pthread_mutex_lock(&mutex);
	prepared++;
}

static void parent(void)
{
	in_parent++;
	pthread_mutex_unlock(&mutex);
}

static void child(void)
{
	in_child++;
	pthread_mutex_unlock(&mutex);
}

static void *works(void *arg)
{
	while (sem_trywait(&stop)) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		usleep(10);
	}
	return arg;
}

static void *adds(void *arg)
{
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static int as_child(void)
{
	pthread_t t[2];
	if (in_child != 1 || pthread_mutex_trylock(&held) == 0 ||
	    pthread_rwlock_trywrlock(&rwlock) == 0)
		return 11;
	pthread_mutex_unlock(&held);
	pthread_rwlock_unlock(&rwlock);
	if (sem_trywait(&posted) || sem_trywait(&posted) == 0)
		return 12;
	int old = counter;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adds, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return counter == old + 2 ? 0 : 13;
}

static int ended_well(pid_t pid)
{
	int status;
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	pthread_t t;
	char *const words[] = {"true", NULL};
	pid_t pid;
	sem_init(&posted, 0, 0);
	sem_init(&stop, 0, 0);
	pthread_atfork(before, parent, child);
	pthread_create(&t, NULL, works, NULL);
	sem_post(&posted);
	pthread_mutex_lock(&held);
	pthread_rwlock_rdlock(&rwlock);
	pid = fork();
	if (pid == 0)
		_exit(as_child());
	if (!ended_well(pid) || prepared != 1 || in_parent != 1 || in_child)
		return 1;
	pid = vfork();
	if (pid == 0) {
		execvp(words[0], words);
		_exit(1);
	}
	if (!ended_well(pid))
		return 2;
	if (posix_spawnp(&pid, words[0], NULL, NULL, words, environ) || !ended_well(pid))
		return 3;
	if (system("true"))
		return 4;
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&held);
	sem_post(&stop);
	pthread_join(t, NULL);
	return 0;
}
