/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.c - the child of a fork
 *
 * Idea.   A process with one thread has no races, and most children soon execute another program.
 *         So the child is mute at first (channel/mute.h): the runtime keeps the state of locks and
 *         of other objects, and records nothing.  When the child creates a thread, it starts a tool
 *         of its own (observe.c).  Fork and thread creation order all earlier events of the child.
 *
 * Rules.  [one]       the other threads of the parent are gone: the locks that they held are free,
 *                     and no thread waits
 *         [channel]   the channel is the parent's.  The child has a private one that no tool reads
 *         [held]      locks that the thread holds when its tool starts are acquired again
 *         [tasks]     a child of a program of tasks is not observed: the runtime is off.  The
 *                     runtime locks the mutexes that are held, for the C library
 *         [handlers]  handlers of pthread_atfork run in the child after that, since the runtime
 *                     registered its own first
 *         [vfork]     calls fork: the child must not run in the memory of its parent
 *         [clone]     clone() without CLONE_VM, and _Fork(), make a child without these handlers.
 *                     The runtime calls its own; a child in the same memory passes unnoticed.
 *                     syscall() of fork, vfork and clone does the same (futex.c)
 * Guarantee.  A child that creates threads is observed as its parent is, without replays.
 * Cost.   Nothing before the first thread but what a mute runtime costs; then that of a start.
 */
#include "runtime/interpose/fork.h"

#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/mute.h"
#include "runtime/channel/record.h"
#include "runtime/channel/ring.h"
#include "runtime/channel/run.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/thread.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/observe.h"
#include "runtime/options.h"
#include "runtime/sched/free.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/watchdog.h"
#include "runtime/sys.h"
#include "runtime/tasks/omp.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

bool rt_fork_is_unobserved;

static struct rt_thread *forker;

/* [tasks] */

static void lock_real(const struct rt_object *o)
{
	if (o->kind == RT_RWLOCK)
		rt_real.pthread_rwlock_wrlock((pthread_rwlock_t *)o->addr);
	else if (o->is_spin)
		rt_real.pthread_spin_lock((pthread_spinlock_t *)o->addr);
	else if (!rt_mutex_is_foreign(
			 (pthread_mutex_t *)o->addr)) /* a foreign mutex is locked already */
		for (uint32_t i = 0; i < o->depth; i++)
			rt_real.pthread_mutex_lock((pthread_mutex_t *)o->addr);
}

static void readers_real(const struct rt_object *o)
{
	for (const struct rt_reader *r = o->readers; r; r = r->next)
		for (uint32_t i = 0; r->thread == forker && i < r->depth; i++)
			rt_real.pthread_rwlock_rdlock((pthread_rwlock_t *)o->addr);
}

/* Called with the runtime off. */
static void object_real(struct rt_object *o)
{
	if ((o->kind == RT_MUTEX || o->kind == RT_RWLOCK) && o->owner == forker)
		lock_real(o);
	else if (o->kind == RT_RWLOCK)
		readers_real(o);
	else if (o->kind == RT_SEM)
		rt_real.sem_init((sem_t *)o->addr, 0, (unsigned)o->value);
}

/* [one] */
static void readers_keep(struct rt_object *o)
{
	for (struct rt_reader **at = &o->readers; *at;) {
		struct rt_reader *r = *at;
		if (r->thread == forker) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		rt_free(r, sizeof(*r));
	}
}

static void object_keep(struct rt_object *o)
{
	o->first_waiter = o->last_waiter = NULL;
	o->taken_at = 0; /* the next tool does not know this place */
	o->arrived = 0;
	if (o->owner && o->owner != forker) {
		o->owner = NULL;
		o->depth = 0;
	}
	readers_keep(o);
}

/* [channel] Returns false if there is no memory. */
static bool channel_leave(void)
{
	struct rt_channel *own = rt_sys_map(rt_channel_bytes);
	if (!own || (rt.is_free && !rt_lanes_forked(forker)))
		return false;
	memcpy(own, rt.channel, sizeof(*own));
	own->is_attached = own->owner = own->run.events = 0;
	own->taken = 0;
	own->ended = 1;
	rt_sys_unmap(rt.channel, rt_channel_bytes);
	rt.channel = own;
	rt.written = 0;
	rt_run_init(&rt_run, &own->run); /* the run that is open is the parent's */
	return true;
}

static bool is_of_tasks(void)
{
	return rt.is_of_tasks || rt_tasks_may_launch() || rt_omp_may_launch();
}

static void in_child(void)
{
	rt_memory_release();
	if (!forker || is_of_tasks() || !channel_leave()) {
		rt_turn_off();
		if (forker)
			rt_object_each(object_real);
		return;
	}
	rt_stack_forget(forker);
	rt_watchdog_forked();
	rt_policy_forked();
	rt_object_each(object_keep);
	if (!rt.is_free)
		rt_mute_begin();
	rt_thread_forked(forker);
	rt_sched_forked(forker);
	rt_fork_is_unobserved = true;
}

static void lock_report(struct rt_object *o)
{
	if (o->owner == forker && o->lock != UINT32_MAX)
		rt_put(RT_ACQUIRE, 0, o->addr, 0, o->lock);
	for (struct rt_reader *r = o->readers; r; r = r->next)
		if (r->thread == forker)
			rt_put(RT_ACQUIRE_SHARED, 0, o->addr, 0, o->lock);
}

/* Lets a thread that runs freely write the first records as a thread that takes turns does. */
static void free_pause(struct rt_thread *self)
{
	rt_leave_free();
	rt.is_free = false;
	self->lane = (struct rt_lane){0};
	self->state = RT_RUNNING;
	self->sched.turn_fuel = rt_hot.fuel = 0;
	rt_hot.filter = &rt_filter;
}

void rt_fork_observe(void)
{
	struct rt_thread *self = rt_enter();
	struct rt_channel *mute = rt.channel;
	const bool is_free = rt.is_free;
	if (!self || !rt_observe_forked(is_free) || !rt_record_open())
		return;
	rt_fork_is_unobserved = false;
	rt_sys_unmap(mute, rt_channel_bytes);
	forker = self;
	rt.channel->has_unseen_heap = 1; /* blocks that the parent allocated */
	if (is_free)
		free_pause(self);
	rt_mute_end();
	rt.written = 0;
	rt.limit = rt.channel->records;
	rt_stack_forget(self);
	rt_observe_begin();
	rt_sched_again(self);
	rt_put(RT_STACK, 0, (uintptr_t)__builtin_frame_address(0), 0, self->tid);
	rt_modules_forget();
	rt_modules_report();
	rt_options_report();
	rt_put(RT_BEGIN, 0, 0, rt_location(RT_CALLER), 0);
	rt_object_each(lock_report); /* [held] */
	if (is_free)
		rt_free_begin(self);
}

static void before(void)
{
	forker = rt_enter();
	if (forker)
		rt_record_settle();
	rt_memory_hold();
}

static void in_parent(void)
{
	rt_memory_release();
}

void rt_fork_begin(void)
{
	pthread_atfork(before, in_parent, in_child);
}

RT_EXPORT pid_t fork(void)
{
	RT_SCOPE;
	rt_enter();
	return rt_real.fork();
}

RT_EXPORT pid_t vfork(void)
{
	RT_SCOPE;
	return fork();
}

/* [clone] */

RT_EXPORT __attribute__((weak)) pid_t _Fork(void)
{
	RT_SCOPE;
	before();
	pid_t pid = rt_real._Fork();
	if (pid == 0)
		in_child();
	else
		in_parent();
	return pid;
}

struct cloned {
	int (*start)(void *);
	void *arg;
};

static int cloned_run(void *of)
{
	const struct cloned *c = of; /* in the copy of the parent's stack */
	in_child();
	rt_scope_pause(); /* of clone(), which does not return here */
	/* clone() would end this thread alone, and those of the runtime would stay. */
	_exit(c->start(c->arg));
}

/* In place of syscall(). */
long rt_syscall_fork(long number, long flags, long stack, long a, long b, long c) RT_HIDDEN;
long rt_syscall_fork(long number, long flags, long stack, long a, long b, long c)
{
	RT_SCOPE;
	before();
	long pid = rt_sys(number == SYS_vfork ? SYS_fork : number, flags, stack, a, b, c, 0);
	if (pid == 0)
		in_child();
	else
		in_parent();
	if (pid >= 0)
		return pid;
	errno = (int)-pid;
	return -1;
}

RT_EXPORT int clone(int (*start)(void *), void *stack, int flags, void *arg, ...)
{
	RT_SCOPE;
	va_list more;
	va_start(more, arg);
	pid_t *parent_tid = va_arg(more, pid_t *);
	void *storage = va_arg(more, void *);
	pid_t *child_tid = va_arg(more, pid_t *);
	va_end(more);
	if (flags & CLONE_VM)
		return rt_real.clone(start, stack, flags, arg, parent_tid, storage, child_tid);
	struct cloned c = {start, arg};
	before();
	int pid = rt_real.clone(cloned_run, stack, flags, &c, parent_tid, storage, child_tid);
	in_parent();
	return pid;
}
