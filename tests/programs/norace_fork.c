/* SPDX-License-Identifier: Apache-2.0
 *
 * A process with threads forks; the child uses memory, locks and a thread of its own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static int child(void)
{
	pthread_t t;
	char *p = malloc(100);
	p[0] = 1;
	free(p);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return x >= 10 ? 7 : 1;
}

int main(void)
{
	pthread_t t;
	int status;
	pthread_create(&t, NULL, work, NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(child());
	pthread_join(t, NULL);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
