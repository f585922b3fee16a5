/* A guest is a small program: it prints what it sees, and ends.  tests/cli/guest.bats runs each of
 * guests.def natively and observed, and compares output and status.
 */
#ifndef SNAG_TESTS_GUEST_H
#define SNAG_TESTS_GUEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GUEST(name) int name(void);
#include "guests.def"
#undef GUEST

static inline void say(const char *what, long result)
{
	printf("%s: %ld\n", what, result);
	fflush(stdout);
}

/* A result and errno. */
#define SAY(call)                                                  \
	do {                                                       \
		errno = 0;                                         \
		long said = (long)(call);                          \
		printf("%s: %ld, errno %d\n", #call, said, errno); \
		fflush(stdout);                                    \
	} while (0)

/* What wait() says of a child. */
static inline void say_end(const char *what, int status)
{
	if (WIFEXITED(status))
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	else
		printf("%s: signal %d\n", what, WTERMSIG(status));
	fflush(stdout);
}

static inline int child_end(pid_t child)
{
	int status = -1;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static inline pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, arg) != 0)
		abort();
	return t;
}

static inline void *end_of(pthread_t t)
{
	void *value = NULL;
	pthread_join(t, &value);
	return value;
}

static inline void nap(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}
#endif
