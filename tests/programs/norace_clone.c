/* SPDX-License-Identifier: Apache-2.0
 *
 * Children by clone(), _Fork() and syscall(), which call no handlers of pthread_atfork, while another
 * thread runs.  Each child uses memory and a thread of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t _Fork(void);

static atomic_int steps, is_over;
static char stack[1 << 18] __attribute__((aligned(16)));

static void *run(void *unused)
{
	while (!is_over)
		steps++;
	return unused;
}

static void *once(void *result)
{
	*(int *)result += 2;
	return NULL;
}

static int child(void *arg)
{
	pthread_t t;
	int *result = malloc(sizeof(*result));
	*result = *(int *)arg;
	for (int i = 0; i < 100; i++)
		steps++;
	if (pthread_create(&t, NULL, once, result) != 0)
		return 1;
	pthread_join(t, NULL);
	return *result;
}

static int ended_with(pid_t pid)
{
	int status;
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									       : -1;
}

int main(void)
{
	pthread_t t;
	int five = 5;
	pthread_create(&t, NULL, run, NULL);
	if (ended_with(clone(child, stack + sizeof(stack), SIGCHLD, &five)) != 7)
		return 1;
	pid_t pid = _Fork();
	if (pid == 0)
		_exit(child(&five));
	if (ended_with(pid) != 7)
		return 2;
	pid = syscall(SYS_fork);
	if (pid == 0)
		_exit(child(&five));
	if (ended_with(pid) != 7)
		return 3;
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(child(&five));
	if (ended_with(pid) != 7)
		return 4;
	errno = 0;
	if (syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0) != -1 || errno != EINVAL)
		return 5;
	is_over = 1;
	pthread_join(t, NULL);
	return 0;
}
