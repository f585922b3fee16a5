/* SPDX-License-Identifier: Apache-2.0
 *
 * outside.c - detach events that a thread outside of OpenMP fulfils
 *
 * Idea.   Such a thread, of an I/O library say, runs beside the one that has its turn, and may not
 *         touch anything of it: it puts the task on a list.  When nobody else can run, those who
 *         take turns look at the list, and wait for it as long as there are other threads.
 *
 * Rules.  [speak]  the event is fulfilled as if by its task: what the other thread did is not
 *                  known here
 *
 * State.  fulfilled: pushed to by any thread, taken as a whole by the one that runs
 */
#include "omp/task.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

struct fulfilled {
	struct fulfilled *next;
	struct mp_task *task;
};
static struct fulfilled *fulfilled;

void mp_outside_fulfil(struct mp_task *t)
{
	struct fulfilled *f = malloc(sizeof(*f)); /* mp_alloc() is for those who take turns */
	if (!f)
		mp_fail("OpenMP: no memory for an event");
	f->task = t;
	f->next = __atomic_load_n(&fulfilled, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&fulfilled, &f->next, f, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

static void fulfil(struct mp_task *t) /* [speak] */
{
	struct mp_context *c = mp.now;
	struct mp_task *self = c->task; /* gone, if the context has ended */
	c->task = t;
	mp_become(t->id);
	mp_task_fulfil(t);
	c->task = self;
	if (c->thread->dead != c)
		mp_become(self->id);
}

/* Threads of the process beside ours, and the one of a detector. */
static bool has_others(void)
{
	int n = 0;
	DIR *threads = opendir("/proc/self/task");
	for (const struct dirent *d; threads && (d = readdir(threads));)
		n += d->d_name[0] != '.';
	if (threads)
		closedir(threads);
	return n > (int)mp.nstarted + 1 + (mp.hooks ? 1 : 0);
}

bool mp_outside_wait(void)
{
	enum { LOOK_US = 1000 };
	struct fulfilled *f, *next;
	while (!(f = __atomic_exchange_n(&fulfilled, NULL, __ATOMIC_ACQUIRE))) {
		if (!mp.ndetached || !has_others())
			return false;
		usleep(LOOK_US);
	}
	for (; f; f = next) {
		next = f->next;
		fulfil(f->task);
		free(f);
	}
	return true;
}
