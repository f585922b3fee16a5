/* SPDX-License-Identifier: Apache-2.0
 *
 * spinlock.c - spin locks: mutexes without kinds (mutex.c)
 *
 * Rules.  [real]    Other processes may share any spin lock, which does not say so.  So a thread
 *                   that gets the lock from the runtime takes the real one as well.
 *         [foreign] If the program has said so, only the real lock counts.
 */
#include "runtime/interpose/lock.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/free.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/tasks/tasks.h"

#include <errno.h>

static struct rt_object *spin_object(pthread_spinlock_t *lock)
{
	struct rt_object *o = rt_object_get((uintptr_t)lock, RT_MUTEX);
	o->is_spin = true;
	return o;
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_lock_written((uintptr_t)lock, RT_CALLER);
		rt_lock_forget(lock, RT_CALLER);
		if (shared == PTHREAD_PROCESS_SHARED && !rt.is_free)
			spin_object(lock)->is_foreign = true;
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

/* The thread has taken the real lock.  An owner that is still noted lost it in another process. */
static void spin_taken(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	if (o->owner) {
		o->owner->held.n--;
		o->owner = NULL;
		o->lock = UINT32_MAX;
	}
	rt_lock_begin(self, o, 1, deadline, pc);
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
	if (o->owner == self && !o->is_foreign)
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, RT_CALLER);
	if (!o->is_foreign)
		rt_lock_await(self, o, RT_NEVER, RT_CALLER);
	if (rt_real.pthread_spin_trylock(lock) != 0)
		RT_OUTSIDE(self, rt_real.pthread_spin_lock(lock));
	spin_taken(self, o, RT_NEVER, RT_CALLER);
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
	if ((o->owner && !o->is_foreign) || rt_real.pthread_spin_trylock(lock) != 0) {
		rt_spin_look(self, (uintptr_t)lock, o->owner ? o->owner->tid : UINT32_MAX);
		return EBUSY;
	}
	spin_taken(self, o, RT_NO_WAIT, RT_CALLER);
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
	else if (!o->is_foreign)
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, RT_CALLER);
	int rc = rt_real.pthread_spin_unlock(lock);
	rt_tasks_freed();
	return rc;
}
