/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipe, a socket pair and poll hand data over between threads; one thread reads from a
 * pipe that is empty for a while.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd[2], s[2];
static int data, answer;

static void *worker(void *arg)
{
	char c;
	if (read(fd[0], &c, 1) != 1 || c != 'a' || data != 1)
		abort();
	answer = 2;
	if (send(s[0], "b", 1, 0) != 1)
		abort();
	return arg;
}

int main(void)
{
	pthread_t t;
	char c;
	if (pipe(fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		return 1;
	pthread_create(&t, NULL, worker, NULL);
	usleep(1000);
	data = 1;
	if (write(fd[1], "a", 1) != 1)
		return 1;
	struct pollfd p = {.fd = s[1], .events = POLLIN};
	if (poll(&p, 1, -1) != 1 || recv(s[1], &c, 1, 0) != 1 || answer != 2)
		return 1;
	pthread_join(t, NULL);
	return c != 'b';
}
