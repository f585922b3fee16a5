/* SPDX-License-Identifier: Apache-2.0
 *
 * api_locks.c - the locks of <omp.h>
 *
 * A lock is known by its address (core.h); what the program keeps there is not used.
 */
#include "omp/abi.h"

MP_ABI(void, omp_init_lock, void *lock)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_init_lock_with_hint, void *lock, int hint)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_destroy_lock, void *lock)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_set_lock, void *lock)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_take(mp_lock_here(lock), t);
}

MP_ABI(void, omp_unset_lock, void *lock)
{
	MP_ENTER();
	mp_lock_give(mp_lock_here(lock));
}

/* A refused caller waits, sooner or later, for another thread to continue. So a refusal lets
 * other threads run. */
MP_ABI(int, omp_test_lock, void *lock)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_obstacle();
	if (mp_lock_try(mp_lock_here(lock), t))
		return 1;
	mp_yield();
	return 0;
}

MP_ABI(void, omp_init_nest_lock, void *lock)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_init_nest_lock_with_hint, void *lock, int hint)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_destroy_nest_lock, void *lock)
{
	MP_ENTER();
	mp_lock_forget(lock);
}

MP_ABI(void, omp_set_nest_lock, void *lock)
{
	struct mp_task *t = MP_ENTER();
	struct mp_lock *l = mp_lock_here(lock);
	int *depth = mp_lock_depth(l, t);
	if (depth)
		++*depth;
	else
		mp_lock_take(l, t);
}

MP_ABI(void, omp_unset_nest_lock, void *lock)
{
	struct mp_task *t = MP_ENTER();
	struct mp_lock *l = mp_lock_here(lock);
	int *depth = mp_lock_depth(l, t);
	if (depth && --*depth == 0)
		mp_lock_give(l);
}

MP_ABI(int, omp_test_nest_lock, void *lock)
{
	struct mp_task *t = MP_ENTER();
	struct mp_lock *l = mp_lock_here(lock);
	int *depth = mp_lock_depth(l, t);
	mp_lock_obstacle();
	if (depth)
		return ++*depth;
	if (mp_lock_try(l, t))
		return 1;
	mp_yield();
	return 0;
}
