/* SPDX-License-Identifier: Apache-2.0
 *
 * roomy.c - runs a function on a large stack, even if the user's limit is small
 */
#include "cli/roomy.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

enum { ROOM = 8 << 20 };

struct call {
	cli_main_fn *f;
	int argc;
	char **argv;
	int result;
};

static void *call_run(void *p)
{
	struct call *c = p;
	c->result = c->f(c->argc, c->argv);
	return NULL;
}

/* The calling thread blocks all signals and only waits.  So the other thread gets them, and they
 * interrupt its system calls. */
static int in_thread(struct call *c)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, ROOM);
	pthread_setattr_default_np(&attr);
	int rc = pthread_create(&thread, &attr, call_run, c);
	pthread_attr_destroy(&attr);
	if (rc != 0)
		return c->f(c->argc, c->argv);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_join(thread, NULL);
	return c->result;
}

int cli_with_room(cli_main_fn *f, int argc, char **argv)
{
	struct call c = {f, argc, argv, 0};
	struct rlimit limit;
	bool is_small = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < ROOM;
	return is_small ? in_thread(&c) : f(argc, argv);
}
