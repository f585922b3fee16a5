/* SPDX-License-Identifier: Apache-2.0
 *
 * child.h - run what must not survive in a process of its own
 */
#ifndef SNAG_TESTS_CHILD_H
#define SNAG_TESTS_CHILD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the signal that run(arg) dies of; 0: it returned. */
static inline int in_child(void (*run)(void *arg), void *arg)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
		run(arg);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#endif
