/* SPDX-License-Identifier: Apache-2.0
 *
 * spinlock.c - spin locks: mutexes without kinds (mutex.c)
 */
#include "runtime/interpose/lock.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/free.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		rt_lock_forget(lock, RT_CALLER);
	}
	return rt_real.pthread_spin_init(lock, shared);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		struct rt_object *o = rt_object_find((uintptr_t)lock, RT_MUTEX);
		if (o && o->owner)
			rt_misuse_of_lock(RT_MISUSE_DESTROY_LOCKED, o, RT_CALLER);
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		rt_lock_forget(lock, RT_CALLER);
	}
	return rt_real.pthread_spin_destroy(lock);
}

static struct rt_object *spin_object(pthread_spinlock_t *lock)
{
	struct rt_object *o = rt_object_get((uintptr_t)lock, RT_MUTEX);
	o->is_spin = true;
	return o;
}

static struct rt_thread *spin_point(void)
{
	rt_begin_once();
	return rt.is_free ? rt_free_point() : rt_sched_point();
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_lock(lock);
	if (rt.is_free) {
		rt_free_out(self);
		rt_real.pthread_spin_lock(lock);
		rt_free_in(self);
		rt_lock_put_parallel(true, false, lock, RT_CALLER);
		return 0;
	}
	struct rt_object *o = spin_object(lock);
	if (o->owner == self)
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, RT_CALLER);
	rt_lock_await(self, o, RT_NEVER, RT_CALLER);
	rt_lock_begin(self, o, 1, RT_NEVER, RT_CALLER);
	rt_lock_used(self, o, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_trylock(lock);
	if (rt.is_free) {
		int rc = rt_real.pthread_spin_trylock(lock);
		if (rc == 0)
			rt_lock_put_parallel(true, true, lock, RT_CALLER);
		return rc;
	}
	rt_tasks_obstacle(RT_OBSTACLE_TRY_LOCK, RT_CALLER);
	struct rt_object *o = spin_object(lock);
	if (o->owner) {
		rt_spin_look(self, (uintptr_t)lock, o->owner->tid);
		return EBUSY;
	}
	rt_lock_begin(self, o, 1, RT_NO_WAIT, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	RT_SCOPE;
	struct rt_thread *self = spin_point();
	if (!self)
		return rt_real.pthread_spin_unlock(lock);
	if (rt.is_free) {
		rt_lock_put_parallel(false, false, lock, RT_CALLER);
		return rt_real.pthread_spin_unlock(lock);
	}
	struct rt_object *o = spin_object(lock);
	rt_lock_used(self, o, RT_CALLER);
	if (o->owner == self)
		rt_lock_end(o, RT_CALLER);
	else
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, RT_CALLER);
	rt_tasks_freed();
	return 0;
}
