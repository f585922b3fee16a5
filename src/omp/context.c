/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c - contexts, and which of them runs next
 *
 * Idea.   One thread of the system runs at a time.  A context belongs to one thread for good.
 *         To go on with a context of the same thread is a switch of stacks.  To go on with one
 *         of another thread is a hand-over to that thread, which then switches by itself if
 *         need be.
 *
 * State.  mp.now       the context that runs
 *         mp.ready     the contexts that can run.  The one that became ready last runs next,
 *                      so that a creator goes on where its child left off.  Only one that
 *                      yields goes to the end
 *         thread.now   the context that a thread waits as; while it runs, the one it switched
 *         to last thread.dead  a fiber that has ended: its stack is in use until its thread
 *         has left it
 */
#include "omp/task.h"
#include "task/omp_promises.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_FAILED = 125 };

struct mp mp;
static struct mp_thread first_thread;
static _Thread_local const struct mp_thread
	*caller; /* NULL: the library did not create the calling thread */
static struct mp_team first_team;
static struct mp_task first_task;

void mp_fail(const char *why)
{
	if (mp.hooks)
		mp.hooks->fail(why);
	static const char who[] = "snag: ";
	if (write(2, who, sizeof(who) - 1) < 0 || write(2, why, strlen(why)) < 0 ||
	    write(2, "\n", 1) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

/* Called in the child of a fork: only the calling thread exists there, and no detector. */
static void forked(void)
{
	mp.hooks = NULL;
	mp.has_order = false;
	mp.idle = NULL;
	mp.nstarted = 0;
}

void mp_begin_slow(void)
{
	pthread_atfork(NULL, NULL, forked);
	mp.hooks = __snag_omp_hooks ? __snag_omp_hooks() : NULL;
	const char *cancel = getenv("OMP_CANCELLATION"); /* off, unless the user wants it */
	mp.has_cancellation = cancel && strcasecmp(cancel, "true") == 0;
	mp.has_order = mp_asks(SNAG_OMP_HAS_ORDER);
	mp_tasks_begin();
	first_team = (struct mp_team){.n = 1};
	first_task = (struct mp_task){.team = &first_team, .is_implicit = true, .known = 1};
	first_task.own_settings = (struct mp_settings){.max_levels = MP_MAX_LEVELS, .schedule = 1};
	first_task.settings = &first_task.own_settings;
	struct mp_context *c = &first_thread.base;
	c->begins_as = SNAG_OMP_SAME;
	c->thread = &first_thread;
	c->task = &first_task;
	c->handle = mp.hooks ? mp.hooks->context(NULL, NULL) : NULL;
	first_thread.now = c;
	caller = &first_thread;
	mp.now = c;
}

void mp_queue_add(struct mp_queue *q, struct mp_context *c)
{
	c->next = NULL;
	*(q->first ? &q->last->next : &q->first) = c;
	q->last = c;
}

struct mp_context *mp_queue_take(struct mp_queue *q)
{
	struct mp_context *c = q->first;
	if (c)
		q->first = c->next;
	return c;
}

void mp_wake(struct mp_context **waiter)
{
	if (*waiter)
		mp_ready(*waiter);
	*waiter = NULL;
}

void mp_queue_ready(struct mp_queue *q)
{
	struct mp_context *turned = NULL, *c;
	while ((c = mp_queue_take(q))) {
		c->next = turned;
		turned = c;
	}
	while (turned) {
		c = turned;
		turned = c->next;
		mp_ready(c);
	}
}

/* If no context is ready, lets the contexts enter sections that the order keeps them from. */
static void entering_unstick(void)
{
	if (mp.ready.first || !mp.entering.first)
		return;
	mp.hooks->stuck(false);
	mp_queue_ready(&mp.entering);
}

void mp_arrived_slow(struct mp_thread *thread)
{
	struct mp_context *c = thread->dead;
	if (c == thread->now)
		return;
	snag_fiber_forget(&c->fiber);
	c->next = mp.spare;
	mp.spare = c;
	thread->dead = NULL;
}

static void switch_here(struct mp_thread *thread, struct mp_context *to)
{
	struct mp_context *from = thread->now;
	if (from == to)
		return;
	from->exceptions = snag_exceptions_save();
	thread->now = to;
	if (mp.hooks) {
		mp.hooks->context_switch(to->handle, to->begins_as);
		to->begins_as = SNAG_OMP_SAME;
	}
	snag_fiber_switch(&from->fiber, &to->fiber);
	snag_exceptions_restore(&from->exceptions);
	mp_arrived(thread);
}

static void futex(uint32_t *at, int op, uint32_t value)
{
	syscall(SYS_futex, at, op, value, NULL, NULL, 0);
}

static void go_wait(struct mp_thread *thread)
{
	/* pairs with the release in thread_hand */
	while (!__atomic_load_n(&thread->go, __ATOMIC_ACQUIRE))
		futex(&thread->go, FUTEX_WAIT_PRIVATE, 0);
	thread->go = 0;
}

/* Hands over to another thread, and waits until some thread hands back. */
static void thread_hand(struct mp_thread *from, struct mp_thread *to)
{
	if (mp.hooks) {
		mp.hooks->thread_hand(to->now->handle);
		return;
	}
	__atomic_store_n(&to->go, 1, __ATOMIC_RELEASE);
	futex(&to->go, FUTEX_WAKE_PRIVATE, 1);
	go_wait(from);
}

static void context_go(struct mp_context *to)
{
	struct mp_context *from = mp.now;
	const void *place = mp.place;
	if (from == to)
		return;
	mp.now = to;
	from->thread->now = from;
	if (to->thread == from->thread) {
		switch_here(from->thread, to);
	} else {
		to->thread->wanted = to;
		thread_hand(from->thread, to->thread);
		switch_here(from->thread, from->thread->wanted);
	}
	mp.place = place;
}

void mp_block(void)
{
	entering_unstick();
	struct mp_context *to = mp_queue_take(&mp.ready);
	while (!to && mp_outside_wait())
		to = mp_queue_take(&mp.ready);
	if (!to && mp.hooks)
		mp.hooks->stuck(true);
	if (!to)
		mp_fail("OpenMP: deadlock: every thread and task waits for another");
	context_go(to);
}

bool mp_yield(void)
{
	if (!mp.ready.first)
		return false;
	mp_queue_add(&mp.ready, mp.now);
	mp_block();
	return true;
}

bool mp_is_here(void)
{
	return caller && mp.now->thread == caller && !mp.is_waiting &&
	       !(mp.hooks && !mp_asks(SNAG_OMP_IS_SEEN));
}

/* Other files refer to these functions only weakly.  This table makes the linker include them. */
static __attribute__((used)) bool (*const linked[])(struct snag_promise *, const void *) = {
	__snag_omp_get, __snag_omp_set};

__attribute__((visibility("default"))) bool __snag_omp_yield(void)
{
	if (!mp_is_here())
		return false;
	entering_unstick(); /* the thread may wait for one of them */
	return mp_yield();
}

__attribute__((visibility("default"))) const void *__snag_omp_place(void)
{
	return mp.place;
}

static void *thread_run(void *arg)
{
	caller = arg;
	if (!mp.hooks)
		go_wait(arg);
	return mp_thread_main(arg);
}

static void thread_start(struct mp_thread *thread)
{
	pthread_t handle;
	if (mp.hooks) {
		thread->base.handle = mp.hooks->thread_start(thread_run, thread);
		if (!thread->base.handle)
			mp_fail("OpenMP: no more threads");
		return;
	}
	if (pthread_create(&handle, NULL, thread_run, thread) != 0)
		mp_fail("OpenMP: no more threads");
	pthread_detach(handle);
}

struct mp_thread *mp_thread_take(struct mp_team *team, int number)
{
	struct mp_thread **at = &mp.idle, *thread;
	while (*at && ((*at)->number != number || (*at)->level != team->level))
		at = &(*at)->next;
	thread = *at;
	if (thread) {
		*at = thread->next;
		thread->team = team;
		return thread;
	}
	thread = mp_alloc(sizeof(*thread));
	thread->base.thread = thread;
	thread->base.begins_as = SNAG_OMP_SAME;
	thread->now = &thread->base;
	thread->team = team;
	thread->number = number;
	thread->level = team->level;
	mp.nstarted++;
	thread_start(thread);
	return thread;
}
