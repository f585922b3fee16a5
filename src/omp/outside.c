/* SPDX-License-Identifier: Apache-2.0
 *
 * outside.c - detach events that a thread outside of OpenMP, or a signal handler, fulfils
 *
 * Idea.   Such a thread, of an I/O library for example, runs beside the thread that has its
 *         turn, and may not touch its data.  It leaves the task in a slot.  When no other
 *         context can run, the threads of OpenMP look there, and wait for the event as long as
 *         there are other threads.
 *
 * Rules.  [speak]  For the detector, the task itself fulfils its event: snag does not know what the
 *                  other thread did.
 *         [wait]   The wait is for good if there is a thread that may fulfil the event.
 *                  Otherwise it is for two seconds, because a signal may come; also if there
 *                  is only one such thread and a detector, which may have a thread of its own.
 *
 * State.  fulfilled[]  any thread fills it, the running one empties it; a thread that finds no slot
 *                      waits.  Nothing is allocated, because only the running thread may allocate
 */
#include "omp/task.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 64, LOOK_US = 1000, MOST_LOOKS = 2000 };

static struct mp_task *fulfilled[SLOTS]; /* NULL: free */

void mp_outside_fulfil(struct mp_task *t)
{
	for (unsigned i = 0;; i = (i + 1) % SLOTS) {
		struct mp_task *none = NULL;
		if (__atomic_compare_exchange_n(&fulfilled[i], &none, t, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
		if (i == SLOTS - 1)
			usleep(LOOK_US);
	}
}

static void fulfil(struct mp_task *t) /* [speak] */
{
	struct mp_context *c = mp.now;
	struct mp_task *self =
		c->task; /* gone, if the context has ended; NULL: its thread is idle */
	c->task = t;
	mp_become(t->id);
	mp_task_fulfil(t);
	c->task = self;
	if (self && c->thread->dead != c)
		mp_become(self->id);
}

/* Handles an event that was fulfilled; returns whether there was one. */
static bool fulfilled_take(void)
{
	bool has_some = false;
	for (unsigned i = 0; i < SLOTS; i++) {
		struct mp_task *t = __atomic_exchange_n(&fulfilled[i], NULL, __ATOMIC_ACQUIRE);
		if (!t)
			continue;
		fulfil(t);
		has_some = true;
	}
	return has_some;
}

/* Threads of the process beside ours: a field of its state, the 18th behind its name, which is in
 * parentheses.  Read by hand, since a detector may watch the C library's functions. */
static int others(void)
{
	enum { FIELD = 18 };
	char text[1024];
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof(text)), at = n - 1;
	int field = 0, threads = 0;
	if (fd >= 0)
		syscall(SYS_close, fd);
	while (at > 0 && text[at] != ')')
		at--;
	for (; at < n && field <= FIELD; at++) {
		field += text[at] == ' ';
		if (field == FIELD && text[at] != ' ')
			threads = 10 * threads + (text[at] - '0');
	}
	return threads - (int)mp.nstarted - 1;
}

bool mp_outside_wait(void)
{
	bool has_some;
	int looks = 0;
	mp.is_waiting = true;
	while (!(has_some = fulfilled_take()) && mp.ndetached) {
		int n = others();
		/* [wait] a thread that is not the detector's own may fulfil it */
		bool is_known = n > 1 || (n == 1 && !mp.hooks);
		if (!is_known && ++looks > MOST_LOOKS)
			break;
		usleep(LOOK_US);
	}
	mp.is_waiting = false;
	return has_some;
}
