/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.c - the child of a fork is not recorded: it goes on alone, with the runtime off
 *
 * Idea.   The child has one thread and the program's memory, where locks were never taken and
 *         semaphores never posted: their state was in the scheduler's objects.  It is put
 *         where the C library looks for it: what the thread held it holds, semaphores have
 *         their value.  Locks that others held are free.
 * Rules.  [handlers]  what pthread_atfork was given runs in the child after that, since the
 *                     runtime was there first
 *         [vfork]     is a fork: the child must not run as its parent
 */
#include "runtime/interpose/fork.h"

#include "runtime/interpose/mutex.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"

static struct rt_thread *forker;

static void lock_real(const struct rt_object *o)
{
	if (o->kind == RT_RWLOCK)
		rt_real.pthread_rwlock_wrlock((pthread_rwlock_t *)o->addr);
	else if (o->is_spin)
		rt_real.pthread_spin_lock((pthread_spinlock_t *)o->addr);
	else if (!rt_mutex_is_foreign((pthread_mutex_t *)o->addr)) /* the kernel's is locked */
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

static void before(void)
{
	forker = rt_enter();
}

static void in_child(void)
{
	rt_turn_off();
	if (forker)
		rt_object_each(object_real);
}

void rt_fork_begin(void)
{
	pthread_atfork(before, NULL, in_child);
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
